"""Random programs with interfaces: existentials made, kept, passed, tested and called in nested control flow.

    random_program(7)   ->   .rk text: four types, helpers, @main over 16 lanes that stores a checksum into out[lane]

Everything that is dispatched on was set before, so that every run is defined; what a lane does depends on its number.
"""

import random

from kit.programs.dispatch import HEAD, call
from kit.text.preludes import listing

SHAPES = ["u32", "u32, u32", "f32, u32, bool", "u32, vec2<u32>, u32", "i32", "u32, u64", "u16, u16, u32"]
FIRST = {"u32": "u32", "f32": "f32", "i32": "i32", "u16": "u16"}


class Program:
    """Writes one program. A scope is the existentials that may be used there."""

    def __init__(self, seed: int, ballots: float) -> None:
        self.random = random.Random(seed)
        self.ballots = ballots
        self.count = 0
        self.types = self.random.randint(2, 4)
        self.shapes = [self.random.choice(SHAPES) for _ in range(self.types)]
        self.helpers: list[str] = []
        self.lines: list[str] = []
        self.own = list(range(self.types))  # table -> the type that it is for

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}_{self.count}"

    def text(self) -> str:
        tables = ""
        methods = ""
        for n, shape in enumerate(self.shapes):
            # Types of one table may share a method: they are parted all the same.
            shared = n > 0 and self.shapes[n] == self.shapes[0] and self.random.random() < 0.5
            own = 0 if shared else n
            type = f"%T{own}" if shared else f"%T{n}"
            if not shared:
                tables += f"%T{n} = TypeStruct {shape}\n"
                methods += self.method(n, shape)
            tables += f"%W{n} = WitnessTable {type} {n} %foo, @T{own}_foo, %bump, @T{own}_bump : %WT\n"
            self.own[n] = own
        for index in range(self.random.randint(0, 3)):
            methods += self.helper(index)
        return (
            "Capability Int16\nCapability Int64\n"
            + listing(HEAD.replace("LocalSize 64", "LocalSize 16"), "objects").replace(
                "%words = Type",
                "Decorate %list ArrayStride 48\nMemberDecorate %public 0 Offset 0\nDecorate %public Block\n"
                "Decorate %objects DescriptorSet 0\nDecorate %objects Binding 1\n%words = Type",
            ).replace('"IFoo" 0', '"IFoo" 32')
            + '%bump = Requirement "bump" : %IFoo\n%pair = TypeArray %IFoo, 2u\n%held = TypeStruct u32, %IFoo\n'
            + "%list = TypeRuntimeArray %IFoo\n%public = TypeStruct %list\n"
            + "%objects = Variable StorageBuffer : ptr<StorageBuffer, %public>\n"
            + tables
            + methods
            + GENERIC
            + self.main()
        )  # fmt: skip

    def method(self, n: int, shape: str) -> str:
        """foo(v): something of the object, the value and, for some, who is here; bump: change the first member."""
        first = FIRST[shape.split(",")[0]]
        ballot = ""
        last = "%s"
        if self.random.random() < self.ballots:
            ballot = """  %m = GroupNonUniformBallot Subgroup true : vec4<u32>
  %m0 = CompositeExtract %m 0 : u32
  %q = BitwiseXor %s, %m0 : u32
"""
            last = "%q"
        return f"""
func @T{n}_foo(%this: %T{n}, %v: u32) -> u32 {{
  %a = CompositeExtract %this 0 : {first}
{self.to_word("%a", first, "%b")}  %c = IMul %v, 3u : u32
  %d = IAdd %b, %c : u32
  %s = IAdd %d, {n * 1000}u : u32
{ballot}  return {last}
}}

func @T{n}_bump(%this: ptr<Function, %T{n}>, %v: u32) -> void {{
  %p = AccessChain %this, 0u : ptr<Function, {first}>
{self.from_word("%v", first, "%a")}  Store %p, %a
  return
}}
"""

    def to_word(self, value: str, type: str, name: str) -> str:
        if type == "u32":
            return f"  {name} = CopyObject {value} : u32\n"
        return f"  {name} = {'UConvert' if type == 'u16' else 'Bitcast'} {value} : u32\n"

    def from_word(self, value: str, type: str, name: str) -> str:
        if type == "u32":
            return f"  {name} = CopyObject {value} : u32\n"
        return f"  {name} = {'UConvert' if type == 'u16' else 'Bitcast'} {value} : {type}\n"

    # --- functions ----------------------------------------------------------------------------------------------------

    def helper(self, index: int) -> str:
        kept = self.lines
        self.lines = []
        scope = ["%e"]
        self.statements(scope, 2, self.random.randint(2, 5), "%v", ["%to"], False)
        result = self.random.choice(scope)
        body = "".join(self.lines)
        self.lines = kept
        self.helpers.append(f"h{index}")
        return (
            f"\nfunc @h{index}(%e: %IFoo, %to: ptr<Function, %IFoo>, %v: u32, %acc: ptr<Function, u32>) -> %IFoo {{\n"
            "  %tmp = Variable Function : ptr<Function, %This>\n  %flag = Variable Function : ptr<Function, bool>\n"
            f"  Store %flag, false\n{body}  return {result}\n}}\n"
        )

    def main(self) -> str:
        self.lines = []
        scope: list[str] = []
        self.make(scope, "%lane")
        for place in ("%one", "%two0", "%two1", "%h1"):
            self.lines.append(f"  Store {place}, {scope[0]}\n")
        self.lines.append(f"  Store %own, {scope[0]}\n  Store %acc, 0u\n  Store %flag, false\n")
        self.statements(scope, 3, self.random.randint(4, 10), "%lane", ["%one", "%two0", "%two1", "%h1"], True)
        return f"""
func @main() -> void {{
  %acc = Variable Function : ptr<Function, u32>
  %n = Variable Function : ptr<Function, u32>
  %flag = Variable Function : ptr<Function, bool>
  %tmp = Variable Function : ptr<Function, %This>
  %one = Variable Function : ptr<Function, %IFoo>
  %arg = Variable Function : ptr<Function, %IFoo>
  %two = Variable Function : ptr<Function, %pair>
  %h = Variable Function : ptr<Function, %held>
  %lane = Load %lane_in : u32
  %low = BitwiseAnd %lane, 1u : u32
  %at = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  %own = AccessChain %objects, 0u, %lane : ptr<StorageBuffer, %IFoo>
  %two0 = AccessChain %two, 0u : ptr<Function, %IFoo>
  %two1 = AccessChain %two, 1u : ptr<Function, %IFoo>
  %h1 = AccessChain %h, 1u : ptr<Function, %IFoo>
{"".join(self.lines)}  %end = Load %acc : u32
  Store %at, %end
  return
}}
"""

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, scope: list[str], depth: int, count: int, word: str, places: list[str], is_main: bool) -> None:
        for _ in range(count):
            kind = self.random.randrange(12)
            if kind <= 1:
                self.make(scope, word)
            elif kind <= 3:
                self.method_call(scope)
            elif kind == 4:
                self.lines.append(f"  Store {self.random.choice(places)}, {self.random.choice(scope)}\n")
            elif kind == 5:
                scope.append(self.load(self.random.choice([*places, "%own"] if is_main else places)))
            elif kind == 6 and self.helpers:
                self.helper_call(scope, word, places, is_main)
            elif kind == 7 and depth > 0:
                self.choice(scope, depth, word, places, is_main)
            elif kind == 8 and depth > 0:
                self.narrowing(scope, depth, word, places, is_main)
            elif kind == 9:
                self.bump(scope, word)
            elif kind == 10:
                self.generic(scope)
            elif is_main:
                self.special(scope, word)

    def make(self, scope: list[str], word: str) -> None:
        n = self.random.randrange(self.types)
        shape = self.shapes[n]
        own = self.own[n]
        parts = []
        for part in shape.split(", "):
            name = self.fresh("%p")
            if part == "bool":
                self.lines.append(f"  {name} = IEqual {word}, {self.random.randrange(4)}u : bool\n")
            elif part == "vec2<u32>":
                self.lines.append(f"  {name} = CompositeConstruct {word}, 7u : vec2<u32>\n")
            elif part in ("u64", "u16"):
                self.lines.append(f"  {name} = UConvert {word} : {part}\n")
            elif part == "u32":
                self.lines.append(f"  {name} = IAdd {word}, {self.random.randrange(100)}u : u32\n")
            else:
                self.lines.append(f"  {name} = Bitcast {word} : {part}\n")
            parts.append(name)
        value = self.fresh("%v")
        made = self.fresh("%e")
        self.lines.append(f"  {value} = CompositeConstruct {', '.join(parts)} : %T{own}\n")
        self.lines.append(f"  {made} = MakeExistential {value}, %W{n} : %IFoo\n")
        scope.append(made)

    def method_call(self, scope: list[str]) -> None:
        result = self.fresh("r")
        before = self.fresh("%k")
        self.lines.append(f"  {before} = Load %acc : u32\n")
        self.lines.append(call(self.random.choice(scope), before, result))
        self.lines.append(f"  Store %acc, %{result}\n")

    def load(self, place: str) -> str:
        name = self.fresh("%e")
        self.lines.append(f"  {name} = Load {place} : %IFoo\n")
        return name

    def helper_call(self, scope: list[str], word: str, places: list[str], is_main: bool) -> None:
        name = self.fresh("%e")
        helper = self.random.choice(self.helpers)
        place = "%one" if is_main else places[0]
        self.lines.append(
            f"  {name} = FunctionCall @{helper} {self.random.choice(scope)}, {place}, {word}, %acc : %IFoo\n"
        )
        scope.append(name)

    def choice(self, scope: list[str], depth: int, word: str, places: list[str], is_main: bool) -> None:
        bit, test = self.fresh("%i"), self.fresh("%t")
        self.lines.append(f"  {bit} = BitwiseAnd {word}, {self.random.choice((1, 2, 4))}u : u32\n")
        self.lines.append(f"  {test} = IEqual {bit}, 0u : bool\n  if {test} {{\n")
        yes, no = self.fresh("%b"), self.fresh("%b")
        first = self.arm(scope, depth, word, places, is_main, yes)
        self.lines.append("  } else {\n")
        second = self.arm(scope, depth, word, places, is_main, no)
        name = self.fresh("%e")
        self.lines.append(f"  }}\n  {name} = Phi {first} {yes}, {second} {no} : %IFoo\n")
        scope.append(name)
        if self.random.random() < 0.5:
            self.method_call([name])

    def arm(self, scope: list[str], depth: int, word: str, places: list[str], is_main: bool, end: str) -> str:
        inner = list(scope)
        self.statements(inner, depth - 1, self.random.randint(1, 4), word, places, is_main)
        self.lines.append(f"  {end}:\n")
        return self.random.choice(inner)

    def narrowing(self, scope: list[str], depth: int, word: str, places: list[str], is_main: bool) -> None:
        place = self.random.choice(places)
        table = f"%W{self.random.randrange(self.types)}"
        tested = self.load(place) if self.random.random() < 0.5 else self.random.choice(scope)
        test = self.fresh("%t")
        kind = self.random.randrange(3)
        if kind < 2:
            self.lines.append(f"  {test} = IsType {tested}, {table} : bool\n")
        if kind == 1:  # the test is kept, and other things come between
            self.lines.append(f"  Store %flag, {test}\n")
            self.statements(scope, 0, self.random.randint(0, 2), word, places, is_main)
            test = self.fresh("%t")
            self.lines.append(f"  {test} = Load %flag : bool\n")
        elif kind == 2:  # what is in the place is tested on one way only
            bit, first, yes, no = self.fresh("%i"), self.fresh("%t"), self.fresh("%b"), self.fresh("%b")
            self.lines.append(f"  {bit} = BitwiseAnd {word}, 2u : u32\n  {first} = IEqual {bit}, 0u : bool\n")
            self.lines.append(f"  if {first} {{\n")
            inner = self.load(place)
            self.lines.append(f"  {test} = IsType {inner}, {table} : bool\n  {yes}:\n  }} else {{\n  {no}:\n  }}\n")
            either, test = test, self.fresh("%t")
            settled = self.random.choice(("true", "false"))
            self.lines.append(f"  {test} = Phi {either} {yes}, {settled} {no} : bool\n")
        self.lines.append(f"  if {test} {{\n")
        self.method_call([tested])
        self.method_call([self.load(place)])
        self.statements(list(scope), depth - 1, 2, word, places, is_main)
        self.lines.append("  } else {\n")
        self.method_call([tested])
        self.method_call([self.load(place)])
        self.lines.append("  }\n")

    def bump(self, scope: list[str], word: str) -> None:
        e = self.random.choice(scope)
        n = self.fresh("n")
        made = self.fresh("%e")
        self.lines.append(f"""  %w{n} = ExtractExistentialWitnessTable {e} : %WT
  %x{n} = ExtractExistentialValue {e} : %This
  Store %tmp, %x{n}
  %f{n} = LookupWitness %w{n}, %bump : fn(ptr<Function, %This>, u32) -> void
  %u{n} = CallDynamic %f{n}, %tmp, {word} : void
  %y{n} = Load %tmp : %This
  {made} = MakeExistential %y{n}, %w{n} : %IFoo
""")
        scope.append(made)

    def generic(self, scope: list[str]) -> None:
        e = self.random.choice(scope)
        n = self.fresh("g")
        self.lines.append(f"""  %w{n} = ExtractExistentialWitnessTable {e} : %WT
  %x{n} = ExtractExistentialValue {e} : %This
  %k{n} = Load %acc : u32
  %f{n} = Specialize @twice, %w{n} : fn(%This, u32) -> u32
  %r{n} = CallDynamic %f{n}, %x{n}, %k{n} : u32
  Store %acc, %r{n}
""")

    def special(self, scope: list[str], word: str) -> None:
        """What only @main does: public storage, a place that isn't known, a loop, an object from an id."""
        kind = self.random.randrange(4)
        if kind == 0:
            self.lines.append(f"  Store %own, {self.random.choice(scope)}\n")
            scope.append(self.load("%own"))
        elif kind == 1:
            place = self.fresh("%q")
            self.lines.append(f"  {place} = AccessChain %two, %low : ptr<Function, %IFoo>\n")
            self.lines.append(f"  Store {place}, {self.random.choice(scope)}\n")
            scope.append(self.load(place))
        elif kind == 2:
            loop, test, old, new = self.fresh("l"), self.fresh("%t"), self.fresh("%i"), self.fresh("%i")
            self.lines.append(f"  Store %n, 0u\n  loop @{loop} {{\n")
            inner = [*scope, self.load("%one")]
            self.statements(inner, self.random.randrange(2), 3, word, ["%one", "%two0"], True)
            self.lines.append(f"  Store %one, {self.random.choice(inner)}\n  {old} = Load %n : u32\n")
            self.lines.append(f"  {new} = IAdd {old}, 1u : u32\n  Store %n, {new}\n")
            self.lines.append(
                f"  {test} = UGreaterThan {old}, {word} : bool\n  if {test} {{\n    break @{loop}\n  }}\n"
            )
            limit = self.fresh("%t")
            self.lines.append(
                f"  {limit} = UGreaterThan {new}, 2u : bool\n  if {limit} {{\n    break @{loop}\n  }}\n  }}\n"
            )
            scope.append(self.load("%one"))
        else:
            name, id, value = self.fresh("%e"), self.fresh("%i"), self.fresh("%v")
            self.lines.append(f"  {id} = UMod {word}, {self.types}u : u32\n")
            self.lines.append(f"  {value} = CompositeConstruct {word}, 5u, 6u, 7u : vec4<u32>\n")
            self.lines.append(f"  {name} = CreateExistentialObject {id}, {value} : %IFoo\n")
            scope.append(name)


GENERIC = """
func @twice(%W: %WT, %t: %This, %v: u32) -> u32 {
  %m = GroupNonUniformBallot Subgroup true : vec4<u32>
  %m0 = CompositeExtract %m 0 : u32
  %f = LookupWitness %W, %foo : fn(%This, u32) -> u32
  %r1 = CallDynamic %f, %t, %v : u32
  %r2 = CallDynamic %f, %t, %r1 : u32
  %r = BitwiseXor %r2, %m0 : u32
  return %r
}
"""


def random_program(seed: int, ballots: float = 0.5) -> str:
    """`ballots`: how many methods give something that depends on who runs them together; 1 for all."""
    return Program(seed, ballots).text()
