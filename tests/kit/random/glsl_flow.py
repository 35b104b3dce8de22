"""Small random GLSL shaders that ballot wherever lanes may be apart, for what nothing declares.

    for (uint i = 0u; i < 3u; ++i) {
        if (i == (lane & 3u)) { SEE(4u); break; }         a block that breaks, a switch, a return in a function
    }

`SEE` mixes a ballot into the lane's word and stores it, so that every grouping shows. One seed gives one text.
"""

import random

HEAD = """#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
{extension}layout(local_size_x = {lanes}) in;
layout(set = 0, binding = 0) buffer Out {{ uint seen[]; }};
uint lane;
uint h;
#define SEE(place) h = h * 31u + place + subgroupBallot(true).x; seen[lane] = h
"""
MODES = {
    "base": ("", ""),
    "sucf": ("#extension GL_EXT_subgroup_uniform_control_flow : enable\n", " [[subgroup_uniform_control_flow]]"),
}


def head(rules: str = "base", lanes: int = 8) -> str:
    """What stands above the functions."""
    return HEAD.format(extension=MODES[rules][0], lanes=lanes)


def shader(seed: int, rules: str = "base", lanes: int = 8) -> str:
    """The text of a shader whose entry point declares what `rules` says."""
    made = _Maker(seed)
    function = made.body(2, False, True)
    main = made.body(3, False, False)
    return (
        head(rules, lanes)
        + f"void f() {{\n{function}}}\n"
        + f"void main(){MODES[rules][1]} {{\nlane = gl_LocalInvocationIndex;\nh = 0u;\n{main}SEE(99u);\n}}\n"
    )


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.places = 0
        self.loops = 0

    def body(self, depth: int, in_loop: bool, in_function: bool) -> str:
        return "".join(self.statement(depth, in_loop, in_function) for _ in range(self.random.randint(1, 2)))

    def statement(self, depth: int, in_loop: bool, in_function: bool) -> str:
        kinds = ["see"]
        if depth:
            kinds += ["if", "if", "for", "switch"]
        if in_loop:
            kinds += ["break", "break", "continue"]
        if in_function:
            kinds.append("return")
        elif depth == 3:
            kinds += ["call", "return"]
        kind = self.random.choice(kinds)
        if kind == "see":
            return self.see()
        if kind == "if":
            other = f" else {{\n{self.body(depth - 1, in_loop, in_function)}}}" if self.random.random() < 0.4 else ""
            return f"if ({self.condition()}) {{\n{self.body(depth - 1, in_loop, in_function)}}}{other}\n"
        if kind == "for":
            self.loops += 1
            name = f"i{self.loops}"
            end = self.random.choice(["2u", "3u", "(lane & 1u) + 1u"])
            inside = self.body(depth - 1, True, in_function)
            if self.random.random() < 0.5:  # left at its end alone, so that optimizers merge the block that breaks
                end = self.random.choice(["2u", "(lane & 1u) + 1u", "(lane & 3u) + 1u"])
                inside = self.body(depth - 1, False, in_function)
                inside += f"if ({name} + 1u >= {end}) {{ {self.see()}break; }}\n"
                return f"for (uint {name} = 0u;; ++{name}) {{\n{inside}}}\n".replace("TURN", name)
            return f"for (uint {name} = 0u; {name} < {end}; ++{name}) {{\n{inside}}}\n".replace("TURN", name)
        if kind == "switch":
            cases = "".join(f"case {n}u: {self.see()}break;\n" for n in range(self.random.randint(1, 2)))
            return f"switch (lane & {self.random.choice([1, 3])}u) {{\n{cases}default: {self.see()}}}\n"
        if kind == "call":
            return f"if ({self.condition()}) f();\n" if self.random.random() < 0.5 else "f();\n"
        return f"if ({self.condition(in_loop)}) {{ {self.see()}{kind}; }}\n"

    def see(self) -> str:
        self.places += 1
        return f"SEE({self.places}u); "

    def condition(self, in_loop: bool = False) -> str:
        choices = ["(lane & 1u) == 0u", "lane < 3u", "(lane & 2u) != 0u", "gl_SubgroupID == 0u", "gl_NumSubgroups > 1u"]
        if in_loop:
            choices += ["TURN == (lane & 1u)", "TURN == (lane & 1u)"]
        return self.random.choice(choices)
