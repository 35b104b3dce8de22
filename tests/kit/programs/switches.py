"""Shaders around a switch, for the tests of the switch passes: the prelude of spec/switch.md, and a shorthand.

    shader("switch %kind as @s { case 0: { SEE fallthrough } ... }")     %kind and %pick are the invocation's inputs
    SEE         appends the set of columns that run this together to the invocation's digits
    NOTE %x     appends the lowest four bits of a value
"""

import re

from kit import TESTS

from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.sim.policy import Policy
from reknit.sim.run import prepare

LANES = 64
DOCUMENT = TESTS / "spec" / "switch.md"
FREEDOMS = [Policy(partition, join) for partition in ("label", "value") for join in ("never", "always")]


def prelude() -> str:
    found = re.search(r"^```rk prelude\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def shader(body: str, more: str = "", head: str = "", globals: str = "") -> Module:
    """A module whose main runs `body` between the calls of @begin and @end.

    `head` stands first in main, `more` between the other functions and main, `globals` before all functions.
    """
    start = ["%kind = FunctionCall @begin : u32", "%pick = FunctionCall @pick : u32"]
    text = "\n".join([head, *start, body, "SEE", "END", "return"])
    count = 0
    out: list[str] = []
    for line in text.splitlines():
        word = line.strip().split(" ")[0]
        if word in ("SEE", "END", "NOTE"):
            count += 1
            value = f", {line.strip().split(' ')[1]}" if word == "NOTE" else ""
            line = f"%call{count} = FunctionCall @{word.lower()}{value} : void"
        out.append(line)
    before = prelude().replace("func @begin", globals + "func @begin")
    return parse(before + more + "func @main() -> void {\n" + "\n".join(out) + "\n}\n")


def main(module: Module) -> Function:
    return module.functions[-1]


def digits(module: Module, kinds: list[int], choices: list[int], size: int = 4) -> list[list[str]]:
    """The different results over the freedoms of OpSwitch: what the first four invocations saw, in hexadecimal."""
    program = prepare(module, subgroup_size=size)
    found: list[list[str]] = []
    for policy in FREEDOMS:
        buffers = {"kinds": tiled(kinds), "choices": tiled(choices), "out": [0] * LANES}
        result = program.run(policy, (1, 1, 1), buffers)
        assert [str(diagnostic) for diagnostic in result.diagnostics] == []
        seen = [f"{word:x}" for word in result.buffers["out"].words[:4]]
        if seen not in found:
            found.append(seen)
    return found


def tiled(row: list[int]) -> list[int]:
    return [row[lane % len(row)] & 0xFFFFFFFF for lane in range(LANES)]
