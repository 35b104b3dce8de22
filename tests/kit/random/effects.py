"""Random programs full of what others see, and of what may be undefined, for each seed one.

    buffers in, out, counters; shared memory between barriers; atomics; volatile accesses; arrays, structs and vectors
    in own variables; guarded divisions, shifts and products that don't wrap; undef; tangled operations; calls

    random_effects(7)   ->   .rk text: @main over 16 lanes under maximal reconvergence

Every invocation stores to elements of its own, reads what others wrote behind barriers alone, and counts its loops'
trips, so no order of invocations shows but where `ordered` results of atomics are used.
"""

import random
import re
from typing import Final

LANES: Final = 16
INPUTS: Final = ("in", "more")
"""Buffers that are read alone: what to fill for other paths."""

_BUFFERS: Final = ("out", "in", "more", "counters")
_TANGLED: Final = (
    "GroupNonUniformIAdd Subgroup Reduce {u} : u32",
    "GroupNonUniformIAdd Subgroup ExclusiveScan {u} : u32",
    "GroupNonUniformUMax Subgroup Reduce {u} : u32",
    "GroupNonUniformBroadcastFirst Subgroup {u} : u32",
    "GroupNonUniformAll Subgroup {b} : bool",
    "GroupNonUniformAny Subgroup {b} : bool",
    "GroupNonUniformElect Subgroup : bool",
)
_PURE: Final = (
    "IAdd {u}, {u} : u32", "ISub {u}, {u} : u32", "IMul {u}, {u} : u32", "BitwiseAnd {u}, {u} : u32",
    "BitwiseOr {u}, {u} : u32", "BitwiseXor {u}, {u} : u32", "Not {u} : u32", "Select {b}, {u}, {u} : u32",
    "ULessThan {u}, {u} : bool", "IEqual {u}, {u} : bool", "SGreaterThan {u}, {u} : bool", "UDiv {u}, 3u : u32",
    "UMod {u}, 5u : u32", "ShiftLeftLogical {u}, 3u : u32", "ShiftRightArithmetic {u}, 7u : u32",
    "LogicalAnd {b}, {b} : bool", "LogicalNot {b} : bool", "LogicalNotEqual {b}, {b} : bool", "BitCount {u} : u32",
    "ConvertUToF {u} : f32", "FAdd {f}, {f} : f32", "FMul {f}, {f} : f32", "FNegate {f} : f32",
    "FOrdLessThan {f}, {f} : bool", "Bitcast {f} : u32", "CompositeConstruct {u}, {u} : vec2<u32>",
    "CompositeExtract {v} 1 : u32", "VectorShuffle {v}, {v} 3 0 : vec2<u32>", "IAdd {v}, {v} : vec2<u32>",
    "ExtInst %glsl UMin {u}, {u} : u32", "ExtInst %glsl FMax {f}, {f} : f32",
)  # fmt: skip
_DEPTH: Final = 3
_KINDS: Final = {"u32": "u", "bool": "b", "f32": "f", "vec2<u32>": "v"}

_HEAD: Final = """Capability Shader
Capability GroupNonUniformBallot
Capability GroupNonUniformVote
Capability GroupNonUniformArithmetic
Extension "SPV_KHR_maximal_reconvergence"
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %lane_id
ExecutionMode @main LocalSize 16 1 1
ExecutionMode @main MaximallyReconvergesKHR
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %words ArrayStride 4
MemberDecorate %block 0 Offset 0
Decorate %block Block
Decorate %many ArrayStride 4
MemberDecorate %wide 0 Offset 0
Decorate %wide Block
DECORATIONS
%words = TypeRuntimeArray u32
%block = TypeStruct %words
%many = TypeArray u32 64u
%wide = TypeStruct %many
%pair = TypeStruct u32, vec2<u32>
%lane_id = Variable Input : ptr<Input, u32>
%shared = Variable Workgroup : ptr<Workgroup, array<u32, 16>>
%mine = Variable Private : ptr<Private, u32>
"""


class _Scope:
    """The values that may be used at a place, by kind."""

    def __init__(self, known: dict[str, list[str]]) -> None:
        self.known = {kind: list(names) for kind, names in known.items()}


class _Writer:
    """`loops` are the labels of the loops around, innermost last; `whole`: everyone of the workgroup is here."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.decorations: list[str] = []
        self.count = 0
        self.left = self.random.choice((3, 5, 8, 13))
        self.ordered = self.random.random() < 0.15
        self.loops: list[str] = []
        self.calls = self.random.random() < 0.4
        self.whole = True

    def text(self) -> str:
        functions = self.function() if self.calls else ""
        self.lines = []
        scope = _Scope({"u": ["0u", "1u", "3u", "7u"], "b": ["true"], "f": ["1.5f"], "v": []})
        for line in (
            "%local = Variable Function : ptr<Function, u32>",
            "%table = Variable Function : ptr<Function, array<u32, 4>>",
            "%record = Variable Function : ptr<Function, %pair>",
            "%lane = Load %lane_id : u32",
            "Store %local, %lane", "Store %mine, 5u", "Store %table, null<array<u32, 4>>", "Store %record, null<%pair>",
        ):  # fmt: skip
            self.lines.append(line)
        scope.known["u"] += ["%lane", "%lane"]
        self.load(scope, "in", "%lane")
        self.define(scope, "u32", "BitwiseAnd {u}, 3u : u32")
        self.define(scope, "vec2<u32>", "CompositeConstruct {u}, {u} : vec2<u32>")
        self.define(scope, "bool", "ULessThan {u}, {u} : bool")
        while self.left > 0:
            self.body(scope, 0)
        self.store(scope)
        self.lines.append("return")
        body = "\n".join(self.lines)
        used = [name for name in _BUFFERS if re.search(rf"%{name}\b", body)]
        for name in used:
            self.decorations += [f"Decorate %{name} DescriptorSet 0"]
            self.decorations += [f"Decorate %{name} Binding {_BUFFERS.index(name)}"]
        if "more" in used and self.random.random() < 0.3:
            self.decorations.append("Decorate %more NonWritable")
        head = _HEAD.replace("DECORATIONS", "\n".join(self.decorations))
        types = {name: "wide" if name == "out" else "block" for name in used}
        buffers = [f"%{name} = Variable StorageBuffer : ptr<StorageBuffer, %{types[name]}>" for name in used]
        return "{}{}\n{}func @main() -> void {{\n{}\n}}\n".format(head, "\n".join(buffers), functions, body)

    def function(self) -> str:
        """A helper that reads and writes the caller's variable, and takes part in a tangled operation."""
        result = "%sum" if self.random.random() < 0.5 else "%old"
        tangled = self.random.choice(_TANGLED[:4]).format(u="%x")
        return f"""func @helper(%x: u32, %p: ptr<Function, u32>) -> u32 {{
%old = Load %p : u32
%sum = IAdd %old, %x : u32
%c = ULessThan %sum, {self.random.choice((5, 9, 40))}u : bool
if %c {{
%t = {tangled}
Store %p, %t
return %t
}}
Store %p, {result}
return {result}
}}
"""

    # --- values -------------------------------------------------------------------------------------------------------

    def fresh(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def pick(self, scope: _Scope, kind: str) -> str:
        names = scope.known[kind]
        return self.random.choice(names[-8:] if self.random.random() < 0.6 else names)

    def define(self, scope: _Scope, type: str, pattern: str) -> str:
        """A new value of `pattern`, with operands put in."""
        while "{" in pattern:
            at = pattern.index("{")
            pattern = pattern[:at] + self.pick(scope, pattern[at + 1]) + pattern[at + 3 :]
        name = self.fresh()
        self.lines.append(f"{name} = {pattern}")
        scope.known[_KINDS[type]].append(name)
        return name

    def value(self, scope: _Scope) -> None:
        pattern = self.random.choice(_PURE)
        name = self.define(scope, pattern.rsplit(" : ", 1)[1], pattern)
        if pattern.startswith(("FAdd", "FMul")) and self.random.random() < 0.3:
            self.decorations.append(f"Decorate {name} NoContraction")

    def risky(self, scope: _Scope) -> None:
        """What is undefined for some operands, behind what keeps it from them."""
        kind = self.random.randrange(4)
        a, b = self.pick(scope, "u"), self.pick(scope, "u")
        if kind == 0:
            small = [self.define(scope, "u32", f"BitwiseAnd {each}, 255u : u32") for each in (a, b)]
            name = self.define(scope, "u32", f"IAdd {small[0]}, {small[1]} : u32")
            self.decorations.append(f"Decorate {name} {self.random.choice(('NoUnsignedWrap', 'NoSignedWrap'))}")
            return
        test, code = (("INotEqual {}, 0u", "UDiv"), ("ULessThan {}, 32u", "ShiftLeftLogical"))[kind % 2]
        condition = self.define(scope, "bool", f"{test.format(b)} : bool")
        self.lines.append(f"if {condition} {{")
        inner = _Scope(scope.known)
        name = self.define(inner, "u32", f"{code} {a}, {b} : u32")
        self.lines.append(f"Store {'%local' if kind < 3 else '%mine'}, {name}")
        self.lines.append("}")

    def load(self, scope: _Scope, buffer: str, index: str, access: str = "") -> None:
        pointer = self.fresh()
        self.lines.append(f"{pointer} = AccessChain %{buffer}, 0u, {index} : ptr<StorageBuffer, u32>")
        self.define(scope, "u32", f"Load {pointer}{access} : u32")

    def read(self, scope: _Scope) -> None:
        kind = self.random.randrange(7)
        if kind < 2:
            index = self.define(scope, "u32", "BitwiseAnd {u}, 15u : u32")
            self.load(scope, self.random.choice(INPUTS), index)
        elif kind == 2:
            self.load(scope, "out", self.own(scope), self.random.choice(("", "", " Volatile")))
        elif kind == 3:
            self.define(scope, "u32", f"Load {self.random.choice(('%local', '%mine'))} : u32")
        else:
            self.define(scope, "u32", f"Load {self.part(scope)} : u32")

    def part(self, scope: _Scope) -> str:
        """A pointer into a variable of its own."""
        pointer = self.fresh()
        if self.random.random() < 0.6:
            small = self.random.choice(("0u", "1u", "3u"))
            if self.random.random() < 0.5:
                small = self.define(scope, "u32", "BitwiseAnd {u}, 3u : u32")
            self.lines.append(f"{pointer} = AccessChain %table, {small} : ptr<Function, u32>")
        else:
            path = self.random.choice(("0u", "1u, 0u", "1u, 1u"))
            self.lines.append(f"{pointer} = AccessChain %record, {path} : ptr<Function, u32>")
        return pointer

    def own(self, scope: _Scope) -> str:
        """The index of an element of `out` that is this invocation's."""
        first = self.define(scope, "u32", "IMul %lane, 4u : u32")
        step = self.random.choice(("0u", "1u", "2u", ""))
        if not step:
            step = self.define(scope, "u32", "BitwiseAnd {u}, 3u : u32")
        return self.define(scope, "u32", f"IAdd {first}, {step} : u32")

    # --- effects ------------------------------------------------------------------------------------------------------

    def store(self, scope: _Scope) -> None:
        pointer = self.fresh()
        index = self.own(scope)
        access = self.random.choice(("", "", "", " Volatile"))
        self.lines.append(f"{pointer} = AccessChain %out, 0u, {index} : ptr<StorageBuffer, u32>")
        self.lines.append(f"Store {pointer}, {self.pick(scope, 'u')}{access}")

    def write(self, scope: _Scope) -> None:
        kind = self.random.randrange(6)
        if kind < 2:
            self.store(scope)
        elif kind < 4:
            self.lines.append(f"Store {self.random.choice(('%local', '%mine'))}, {self.pick(scope, 'u')}")
        elif kind == 4:
            self.lines.append(f"Store {self.part(scope)}, {self.pick(scope, 'u')}")
        else:
            name = self.define(scope, "u32", "Select {b}, undef<u32>, {u} : u32")
            self.lines.append(f"Store %local, {name}")
            scope.known["u"].remove(name)
            if self.random.random() < 0.8:
                self.lines.append(f"Store %local, {self.pick(scope, 'u')}")

    def atomic(self, scope: _Scope) -> None:
        pointer = self.fresh()
        at = self.random.randrange(3)
        self.lines.append(f"{pointer} = AccessChain %counters, 0u, {at}u : ptr<StorageBuffer, u32>")
        code = ("AtomicIAdd", "AtomicUMax", "AtomicOr")[at]
        semantics = self.random.choice(("0u", "72u"))
        name = self.fresh()
        self.lines.append(f"{name} = {code} {pointer} 1u {semantics} {self.pick(scope, 'u')} : u32")
        if self.ordered:
            scope.known["u"].append(name)

    def exchange(self, scope: _Scope) -> None:
        """Through shared memory, where all of the workgroup are."""
        index, near, mine, other = (self.fresh() for _ in range(4))
        barrier = "ControlBarrier 2u, 2u, 264u"
        self.lines += [
            f"{mine} = AccessChain %shared, %lane : ptr<Workgroup, u32>",
            f"Store {mine}, {self.pick(scope, 'u')}",
            barrier,
            f"{index} = IAdd %lane, {self.random.choice((1, 2, 5))}u : u32",
            f"{near} = BitwiseAnd {index}, 15u : u32",
            f"{other} = AccessChain %shared, {near} : ptr<Workgroup, u32>",
        ]
        self.define(scope, "u32", f"Load {other} : u32")
        self.lines.append(barrier)

    def tangled(self, scope: _Scope) -> None:
        if self.random.random() < 0.3:
            ballot = self.fresh()
            self.lines.append(f"{ballot} = GroupNonUniformBallot Subgroup {self.pick(scope, 'b')} : vec4<u32>")
            self.define(scope, "u32", f"CompositeExtract {ballot} 0 : u32")
            return
        pattern = self.random.choice(_TANGLED)
        self.define(scope, pattern.rsplit(" : ", 1)[1], pattern)

    # --- control ------------------------------------------------------------------------------------------------------

    def body(self, scope: _Scope, depth: int) -> bool:
        """A few statements. Whether the place behind them is reached."""
        for _ in range(self.random.randrange(1, 5)):
            self.left -= 1
            kind = self.random.randrange(20)
            if kind < 4:
                self.value(scope)
            elif kind < 6:
                self.read(scope)
            elif kind < 9:
                self.write(scope)
            elif kind == 9:
                self.risky(scope)
            elif kind < 12:
                self.tangled(scope)
            elif kind == 12:
                self.atomic(scope)
            elif kind == 13 and depth == 0 and self.whole:
                self.exchange(scope)
            elif kind == 13:
                self.lines.append(self.random.choice(("ControlBarrier 3u, 3u, 72u", "MemoryBarrier 1u, 72u")))
            elif kind == 14 and self.calls:
                call = f"FunctionCall @helper {self.pick(scope, 'u')} %local : u32"
                self.define(scope, "u32", call)
            elif depth < _DEPTH and kind < 18:
                self.choice(scope, depth)
            elif depth < _DEPTH and kind == 18:
                self.loop(scope, depth)
            elif depth < _DEPTH:
                self.select(scope, depth)
            if self.loops and depth and self.random.random() < 0.08:
                jump = self.random.choice(("break", "continue"))
                self.lines.append(f"{jump} @{self.loops[-1]}")
                return False
        return True

    def choice(self, scope: _Scope, depth: int) -> None:
        self.lines.append(f"if {self.pick(scope, 'b')} {{")
        self.body(_Scope(scope.known), depth + 1)
        if self.random.random() < 0.4:
            self.lines.append("} else {")
            self.body(_Scope(scope.known), depth + 1)
        elif self.random.random() < 0.1 and depth == 0:
            self.lines.append("return")
            self.whole = False
        self.lines.append("}")

    def loop(self, scope: _Scope, depth: int) -> None:
        label = f"loop{self.count}"
        self.count += 1
        trips = self.define(scope, "u32", "BitwiseAnd {u}, 3u : u32")
        counter, here, test, more = (self.fresh() for _ in range(4))
        self.lines.insert(0, f"{counter} = Variable Function : ptr<Function, u32>")
        inner = _Scope(scope.known)
        inner.known["u"].append(here)
        self.lines += [
            f"Store {counter}, 0u", f"loop @{label} {{", f"{here} = Load {counter} : u32",
            f"{test} = UGreaterThanEqual {here}, {trips} : bool", f"if {test} nojoin {{", f"break @{label}", "}",
            f"{more} = IAdd {here}, 1u : u32", f"Store {counter}, {more}",
        ]  # fmt: skip
        self.loops.append(label)
        self.body(inner, depth + 1)
        self.loops.pop()
        self.lines.append("}")

    def select(self, scope: _Scope, depth: int) -> None:
        selector = self.define(scope, "u32", "BitwiseAnd {u}, 3u : u32")
        self.lines.append(f"switch {selector} {{")
        labels = self.random.choice((("0", "1", "default"), ("1", "0, 2", "default"), ("default", "2, 3", "1")))
        for number, label in enumerate(labels):
            self.lines.append(f"{'' if label == 'default' else 'case '}{label}: {{")
            ends = self.body(_Scope(scope.known), depth + 1)
            if ends and number + 1 < len(labels) and self.random.random() < 0.3:
                self.lines.append("fallthrough")
            self.lines.append("}")
        self.lines.append("}")


def random_effects(seed: int) -> str:
    """The program of a seed."""
    return _Writer(seed).text()
