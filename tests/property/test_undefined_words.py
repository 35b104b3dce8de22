"""What is not marked as undefined does not depend on undefined values: random programs with many sources of such, run
with other bits in their place.

    tracked run       out: 3 ? 7 ?       undefined values are zeros, and `?` are the words that may be anything
    other fills       out: 3 9 7 2       all bits set, random bits ...: words that are not `?` are the same

Programs are straight but for an `if` on the lane, so that no branch goes by an undefined value; where an access
does, a store to an unknown place marks all of the variable.
"""

import random
from collections.abc import Callable

import pytest

import reknit
from reknit.ir.module import Module
from reknit.sim.fill import ONES, RANDOM, ZEROS
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import prepare

LANES = 8
HEAD = """Capability Shader
Capability GroupNonUniform
Capability GroupNonUniformVote
Capability GroupNonUniformBallot
Capability GroupNonUniformShuffle
Capability GroupNonUniformShuffleRelative
Capability GroupNonUniformArithmetic
Capability GroupNonUniformClustered
Capability GroupNonUniformQuad
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out, %lane_id, %given
ExecutionMode @main LocalSize 8 1 1
names @main, %out, %given
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %given DescriptorSet 0
Decorate %given Binding 1
Decorate %lane_id BuiltIn LocalInvocationIndex
%words = TypeRuntimeArray u32
%Words = TypeStruct %words
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%given = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%lane_id = Variable Input : ptr<Input, u32>
%shared = Variable Workgroup : ptr<Workgroup, array<u32, 8>>
%half = ConstantComposite undef<u32>, 5u : vec2<u32>
"""

BINARY = ["IAdd", "ISub", "IMul", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "UDiv", "UMod", "SDiv", "SRem", "SMod"]
BINARY += ["ShiftLeftLogical", "ShiftRightLogical", "ShiftRightArithmetic"]
COMPARED = ["IEqual", "INotEqual", "ULessThan", "SLessThan", "UGreaterThanEqual", "SGreaterThanEqual"]
REDUCED = ["IAdd", "IMul", "UMin", "SMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor"]
EXTENDED = ["UMin", "UMax", "SMin", "SMax", "FindUMsb", "FindILsb", "SAbs"]


class Writer:
    """Writes a program, value after value. `words`, `pairs` and `truths` are the names of values of u32, vec2<u32> and
    bool."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.words = ["0u", "1u", "4294967295u", "7u", "%lane", "%x"]
        self.pairs = ["%half"]
        self.truths = ["%low"]
        self.count = 0

    def make(self, text: str, type: str, into: list[str]) -> None:
        self.count += 1
        self.lines.append(f"  %n{self.count} = {text} : {type}")
        into.append(f"%n{self.count}")

    def word(self) -> str:
        return self.random.choice(self.words[-8:] if self.random.random() < 0.6 else self.words)

    def pair(self) -> str:
        return self.random.choice(self.pairs)

    def truth(self) -> str:
        return self.random.choice(self.truths)

    def arithmetic(self) -> None:
        self.make(f"{self.random.choice(BINARY)} {self.word()}, {self.word()}", "u32", self.words)

    def on_pairs(self) -> None:
        """Of operations that are always defined: a fill puts other bits into all components where one is undefined."""
        self.make(f"{self.random.choice(BINARY[:6])} {self.pair()}, {self.pair()}", "vec2<u32>", self.pairs)

    def joined(self) -> None:
        self.make(f"CompositeConstruct {self.word()}, {self.word()}", "vec2<u32>", self.pairs)

    def parted(self) -> None:
        self.make(f"CompositeExtract {self.pair()} {self.random.randrange(2)}", "u32", self.words)

    def shuffled(self) -> None:
        picks = f"{self.random.randrange(4)}, {self.random.randrange(4)}"
        self.make(f"VectorShuffle {self.pair()}, {self.pair()}, {picks}", "vec2<u32>", self.pairs)

    def picked(self) -> None:
        self.make(f"VectorExtractDynamic {self.pair()}, {self.word()}", "u32", self.words)

    def compared(self) -> None:
        self.make(f"{self.random.choice(COMPARED)} {self.word()}, {self.word()}", "bool", self.truths)

    def logical(self) -> None:
        self.make(
            f"{self.random.choice(['LogicalAnd', 'LogicalOr'])} {self.truth()}, {self.truth()}", "bool", self.truths
        )

    def selected(self) -> None:
        self.make(f"Select {self.truth()}, {self.word()}, {self.word()}", "u32", self.words)

    def undefined(self) -> None:
        self.make("CopyObject undef<u32>", "u32", self.words)

    def bits(self) -> None:
        text = f"BitFieldInsert {self.word()}, {self.word()}, {self.word()}, {self.word()}"
        self.make(text, "u32", self.words)

    def loaded(self) -> None:
        place = self.random.choice(["%v", "%pair[0u]", "%pair[1u]"])
        if place == "%v":
            self.make("Load %v", "u32", self.words)
        else:
            self.element("%four", "Function", None)

    def stored(self) -> None:
        if self.random.random() < 0.5:
            self.lines.append(f"  Store %v, {self.word()}")
        else:
            self.element("%four", "Function", self.word())

    def element(self, variable: str, storage: str, value: str | None) -> None:
        """Of an array, at an index that is in bounds, whatever bits it has."""
        self.make(f"BitwiseAnd {self.word()}, 3u", "u32", [])
        index = f"%n{self.count}"
        self.make(f"AccessChain {variable}, {index}", f"ptr<{storage}, u32>", [])
        if value is None:
            self.make(f"Load %n{self.count}", "u32", self.words)
        else:
            self.lines.append(f"  Store %n{self.count}, {value}")

    def shared(self) -> None:
        """A word of the workgroup's, which only this lane writes."""
        self.make("AccessChain %shared, %lane", "ptr<Workgroup, u32>", [])
        place = f"%n{self.count}"
        if self.random.random() < 0.5:
            self.lines.append(f"  Store {place}, {self.word()}")
        else:
            self.make(f"Load {place}", "u32", self.words)

    def sometimes(self) -> None:
        self.lines.append(f"  if %low {{ Store %v, {self.random.choice(['7u', '%lane', '%x'])} }}")

    def reduced(self) -> None:
        how = self.random.choice(["Reduce", "InclusiveScan", "ExclusiveScan"])
        self.make(f"GroupNonUniform{self.random.choice(REDUCED)} 3u {how} {self.word()}", "u32", self.words)

    def voted(self) -> None:
        name = self.random.choice(["All", "Any"])
        self.make(f"GroupNonUniform{name} 3u, {self.truth()}", "bool", self.truths)

    def equal(self) -> None:
        self.make(f"GroupNonUniformAllEqual 3u, {self.word()}", "bool", self.truths)

    def ballot(self) -> None:
        self.make(f"GroupNonUniformBallot 3u, {self.truth()}", "vec4<u32>", [])
        self.make(f"CompositeExtract %n{self.count} 0", "u32", self.words)

    def exchanged(self) -> None:
        name = self.random.choice(["Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown"])
        which = self.random.choice(["1u", "2u", "%lane", self.word()])
        self.make(f"GroupNonUniform{name} 3u, {self.word()}, {which}", "u32", self.words)

    def first(self) -> None:
        self.make(f"GroupNonUniformBroadcastFirst 3u, {self.word()}", "u32", self.words)

    def swapped(self) -> None:
        self.make(f"GroupNonUniformQuadSwap 3u, {self.word()}, {self.random.randrange(3)}u", "u32", self.words)

    def extended(self) -> None:
        name = self.random.choice(EXTENDED)
        more = f", {self.word()}" if name[0] in "US" and name != "SAbs" else ""
        self.make(f"ExtInst %glsl {name} {self.word()}{more}", "u32", self.words)

    def counted(self) -> None:
        self.make("AccessChain %given, 0u, %lane", "ptr<StorageBuffer, u32>", [])
        name = self.random.choice(["IAdd", "And", "Or", "UMax", "Exchange"])
        self.make(f"Atomic{name} %n{self.count}, 1u, 0u, {self.word()}", "u32", self.words)

    def text(self, length: int) -> str:
        kinds: list[Callable[[], None]] = [
            self.arithmetic, self.arithmetic, self.arithmetic, self.on_pairs, self.joined, self.parted, self.shuffled,
            self.picked, self.compared, self.logical, self.selected, self.selected, self.undefined, self.bits,
            self.loaded, self.loaded, self.stored, self.stored, self.shared, self.sometimes, self.reduced, self.voted,
            self.equal,
            self.ballot, self.exchanged, self.first, self.swapped, self.extended, self.counted,
        ]  # fmt: skip
        for _ in range(length):
            self.random.choice(kinds)()
        for at in range(8):
            value = self.random.choice(self.words[6:] or self.words)
            self.make(f"IAdd %base, {at}u", "u32", [])
            self.make(f"AccessChain %out, 0u, %n{self.count}", "ptr<StorageBuffer, u32>", [])
            self.lines.append(f"  Store %n{self.count}, {value}")
        body = "\n".join(self.lines)
        return f"""{HEAD}
func @main() -> void {{
  %v = Variable Function : ptr<Function, u32>
  %four = Variable Function : ptr<Function, array<u32, 4>>
  %lane = Load %lane_id : u32
  %low = ULessThan %lane, 3u : bool
  %at = AccessChain %given, 0u, %lane : ptr<StorageBuffer, u32>
  %x = Load %at : u32
  %base = IMul %lane, 8u : u32
{body}
  return
}}
"""


def ran(module: Module, size: int, fill: int) -> Result:
    program = prepare(module, subgroup_size=size, fill=fill)
    return program.run(Policy(), buffers={"given": [0, 1, 5, 0xFFFFFFFF, 8, 3, 0x80000000, 2], "out": [0] * 8 * LANES})


def words(result: Result) -> list[int]:
    return [*result.buffers["out"].words, *result.buffers["given"].words]


def marked(result: Result) -> list[bool]:
    buffers = [result.buffers[name] for name in ("out", "given")]
    return [word in buffer.undefined for buffer in buffers for word in range(len(buffer.words))]


def judged(seed: int, fills: int) -> tuple[int, int, int]:
    """How many words are marked; of these how many differ between fills; and how many there are."""
    size = (4, 8, 32, 64)[seed % 4]
    module = reknit.load(Writer(seed).text(4 + seed % 30).encode(), format="rk")
    tracked = ran(module, size, ZEROS)
    assert tracked.finished
    open = marked(tracked)
    expected = words(tracked)
    seen = [False] * len(open)
    for fill in (ONES, RANDOM, *range(3, 3 + fills)):
        other = words(ran(module, size, fill))
        for at, word in enumerate(other):
            if word != expected[at]:
                assert open[at], (seed, fill, at, expected[at], word)
                seen[at] = True
    return sum(open), sum(seen), len(open)


@pytest.mark.parametrize("part", range(10))
def test_words_that_are_not_marked_never_differ(part: int) -> None:
    open = differ = every = 0
    for seed in range(100 * part, 100 * part + 12):
        mine = judged(seed, 6)
        open, differ, every = open + mine[0], differ + mine[1], every + mine[2]
    assert 0 < differ <= open < every


@pytest.mark.full
@pytest.mark.parametrize("part", range(40))
def test_words_that_are_not_marked_never_differ_in_many(part: int) -> None:
    for seed in range(10_000 + 100 * part, 10_000 + 100 * part + 100):
        judged(seed, 12)
