"""Random compute programs whose pointers are values: chosen, stepped on, merged by phis and passed to a function.

Each invocation has sixteen words of a buffer and sixteen of Workgroup memory for itself, so that no order of
invocations shows; what all read, none writes. Now and then an index is outside.
"""

import random
from typing import Any, Final

from kit.random.image_programs import Writer

from reknit.ir.module import Module
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

HEAD: Final = """
OpCapability Shader
OpCapability VariablePointers
OpCapability GroupNonUniformArithmetic
OpCapability DemoteToHelperInvocation
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize {lanes} 1 1
OpName %out "out"
OpName %data "data"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %row ArrayStride 4
OpDecorate %rows ArrayStride 16
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %table Block
OpMemberDecorate %table 0 Offset 0
OpMemberDecorate %table 1 Offset 16
OpDecorate %ptru32 ArrayStride 4
OpDecorate %ptrrow ArrayStride 16
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 1
%void = OpTypeVoid
%voidfn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
{constants}
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%row = OpTypeArray %u32 %n4
%rows = OpTypeArray %row %n{rows}
%table = OpTypeStruct %u32 %rows
%shape = OpTypeArray %u32 %n4
%shapes = OpTypeArray %shape %n{rows}
%ptrblock = OpTypePointer StorageBuffer %block
%ptrtable = OpTypePointer StorageBuffer %table
%ptrrow = OpTypePointer StorageBuffer %row
%ptru32 = OpTypePointer StorageBuffer %u32
%wgshapes = OpTypePointer Workgroup %shapes
%wgrow = OpTypePointer Workgroup %shape
%wgu32 = OpTypePointer Workgroup %u32
%keptu32 = OpTypePointer Function %u32
%inu32 = OpTypePointer Input %u32
%calledfn = OpTypeFunction %u32 %ptru32 %u32
%index = OpVariable %inu32 Input
%out = OpVariable %ptrblock StorageBuffer
%data = OpVariable %ptrtable StorageBuffer
%shared = OpVariable %wgshapes Workgroup
%called = OpFunction %u32 None %calledfn
%where = OpFunctionParameter %ptru32
%what = OpFunctionParameter %u32
%first = OpLabel
%few = OpULessThan %bool %what %n1000000000
OpSelectionMerge %last None
OpBranchConditional %few %then %last
%then = OpLabel
OpStore %where %what
OpBranch %last
%last = OpLabel
%found = OpLoad %u32 %where
OpReturnValue %found
OpFunctionEnd
%main = OpFunction %void None %voidfn
%entry = OpLabel
%kept = OpVariable %keptu32 Function
%lane = OpLoad %u32 %index
OpStore %kept %lane
"""


class PointerWriter(Writer):
    def __init__(self, seed: int) -> None:
        draw = self.draw = random.Random(seed)
        self.lines = []
        self.count = 0
        self.numbers = dict.fromkeys((0, 1, 3, 4, 1000000000))
        self.lanes = draw.choice((4, 24, 32, 64))
        self.odd = draw.random() < 0.15
        self.common = False  # whether what is written is the same for all invocations

    def bits(self, value: str, mask: int) -> str:
        return self.let(f"OpBitwiseAnd %u32 {value} {self.number(mask)}")

    def kept(self) -> str:
        """Something that differs from one invocation to another, or what none writes."""
        if not self.common:
            return super().kept()
        word = self.let(f"OpAccessChain %ptru32 %data {self.number(0)}")
        shift = self.number(self.draw.randrange(9))
        return self.let(f"OpShiftRightLogical %u32 {self.let(f'OpLoad %u32 {word}')} {shift}")

    def row(self) -> str:
        """The number of one of its four, or of the four that all read."""
        if self.common:
            first = self.number(4 * self.lanes)
            return self.let(f"OpIAdd %u32 {first} {self.bits(self.kept(), 3)}")
        first = self.let(f"OpIMul %u32 %lane {self.number(4)}")
        which = self.number(self.draw.randrange(4)) if self.draw.random() < 0.4 else self.bits(self.kept(), 3)
        row = self.let(f"OpIAdd %u32 {first} {which}")
        if self.odd and self.draw.random() < 0.1:
            row = self.let(f"OpIAdd %u32 {row} {self.number(1)}")
        return row

    def word(self, storage: str, depth: int = 0) -> str:
        """A pointer to one of its words."""
        kind = self.draw.randrange(5) if depth < 3 else 0
        if kind == 1:
            a, b = self.word(storage, depth + 1), self.word(storage, depth + 1)
            bit = self.bits(self.kept(), self.draw.choice((1, 2, 4)))
            condition = self.let(f"OpINotEqual %bool {bit} {self.number(0)}")
            return self.let(f"OpSelect {self.pointer(storage)} {condition} {a} {b}")
        if kind == 2:
            return self.merged(storage, depth)
        if kind == 3:
            return self.let(f"OpCopyObject {self.pointer(storage)} {self.word(storage, depth + 1)}")
        if kind == 4 and storage == "buffer":
            return self.stepped()
        row, at = self.row(), self.bits(self.kept(), 3)
        if storage == "buffer":
            if self.draw.random() < 0.5:
                return self.let(f"OpAccessChain %ptru32 %data {self.number(1)} {row} {at}")
            whole = self.let(f"OpAccessChain %ptrrow %data {self.number(1)} {row}")
            return self.let(f"OpAccessChain %ptru32 {whole} {at}")
        return self.let(f"OpAccessChain %wgu32 %shared {row} {at}")

    def pointer(self, storage: str) -> str:
        return "%ptru32" if storage == "buffer" else "%wgu32"

    def stepped(self) -> str:
        """From its second or third row on, by elements forward and back."""
        first = self.let(f"OpIMul %u32 {self.number(self.lanes) if self.common else '%lane'} {self.number(4)}")
        row = self.let(f"OpIAdd %u32 {first} {self.number(self.draw.choice((1, 2)))}")
        moved = self.let(f"OpISub %u32 {self.bits(self.kept(), 1)} {self.number(self.draw.choice((0, 1)))}")
        if self.odd and self.draw.random() < 0.2:
            moved = self.let(f"OpISub %u32 {moved} {self.number(3)}")
        if self.draw.random() < 0.5:
            base = self.let(f"OpAccessChain %ptrrow %data {self.number(1)} {row}")
            at = self.bits(self.kept(), 3)
            return self.let(f"OpPtrAccessChain %ptru32 {base} {moved} {at}")
        base = self.let(f"OpAccessChain %ptru32 %data {self.number(1)} {row} {self.bits(self.kept(), 3)}")
        return self.let(f"OpPtrAccessChain %ptru32 {base} {moved}")

    def merged(self, storage: str, depth: int) -> str:
        bit = self.bits(self.kept(), self.draw.choice((1, 3, 16)))
        condition = self.let(f"OpINotEqual %bool {bit} {self.number(0)}")
        self.count += 1
        name = f"p{self.count}"
        self.lines += [f"OpSelectionMerge %{name}m None", f"OpBranchConditional {condition} %{name}t %{name}f"]
        given: list[str] = []
        for arm in "tf":
            self.lines.append(f"%{name}{arm} = OpLabel")
            given += [self.word(storage, depth + 1), f"%{name}{arm}e"]
            self.lines += [f"OpBranch %{name}{arm}e", f"%{name}{arm}e = OpLabel", f"OpBranch %{name}m"]
        self.lines.append(f"%{name}m = OpLabel")
        return self.let(f"OpPhi {self.pointer(storage)} {' '.join(given)}")

    def access(self) -> None:
        storage = self.draw.choice(("buffer", "buffer", "shared"))
        self.common = self.draw.random() < 0.25
        if self.common:
            pointer = self.word(storage)
            most = self.bits(self.kept(), 3)
            self.common = False
            if self.draw.random() < 0.5:
                self.mix(self.let(f"OpLoad %u32 {pointer}"))
            else:
                self.walk(storage, pointer, most, True)
            return
        pointer = self.word(storage)
        choice = self.draw.random()
        if choice < 0.35:
            self.mix(self.let(f"OpLoad %u32 {pointer}"))
        elif choice < 0.6:
            self.lines.append(f"OpStore {pointer} {self.kept()}")
        elif choice < 0.75 and storage == "buffer":
            self.mix(self.let(f"OpFunctionCall %u32 %called {pointer} {self.kept()}"))
        elif choice < 0.85:
            self.mix(self.let(f"OpAtomicIAdd %u32 {pointer} {self.number(1)} {self.number(0)} {self.kept()}"))
        else:
            self.walk(storage, pointer, self.bits(self.kept(), 3), False)

    def walk(self, storage: str, pointer: str, most: str, common: bool) -> None:
        """A loop that goes on from one pointer to another, and uses the last one behind. Invocations may leave it at
        different times where what they have in common goes on."""
        if common and self.draw.random() < 0.5:
            most = self.bits(self.kept(), 3)
        self.count += 1
        name = f"w{self.count}"
        self.lines += [
            f"OpBranch %{name}p", f"%{name}p = OpLabel", f"OpBranch %{name}h", f"%{name}h = OpLabel",
            f"%{name}i = OpPhi %u32 {self.number(0)} %{name}p %{name}n %{name}c",
            f"%{name}q = OpPhi {self.pointer(storage)} {pointer} %{name}p %{name}r %{name}c",
            f"%{name}x = OpULessThan %bool %{name}i {most}", f"OpLoopMerge %{name}m %{name}c None",
            f"OpBranchConditional %{name}x %{name}b %{name}m", f"%{name}b = OpLabel",
        ]  # fmt: skip
        self.mix(self.let(f"OpLoad %u32 %{name}q"))
        self.common = common
        other = self.word(storage, 2)
        self.common = False
        self.lines += [
            f"OpBranch %{name}c", f"%{name}c = OpLabel",
            f"%{name}r = OpCopyObject {self.pointer(storage)} {other}",
            f"%{name}n = OpIAdd %u32 %{name}i {self.number(1)}", f"OpBranch %{name}h", f"%{name}m = OpLabel",
        ]  # fmt: skip
        if common:
            self.mix(self.let(f"OpLoad %u32 %{name}q"))
        else:
            self.lines.append(f"OpStore %{name}q {self.kept()}")

    def statements(self, depth: int) -> None:
        for _ in range(self.draw.randrange(1, 4)):
            choice = self.draw.random()
            if choice < 0.6:
                self.access()
            elif choice < 0.68:
                self.mix(self.let(f"OpGroupNonUniformIAdd %u32 {self.number(3)} Reduce {self.kept()}"))
            elif choice < 0.7:
                self.lines.append("OpDemoteToHelperInvocation")
            elif depth < 2:
                self.branch(depth) if choice < 0.88 else self.loop(depth)

    def text(self) -> str:
        rows = 4 * self.lanes + 4
        self.number(rows)
        self.statements(0)
        self.access()
        at = self.let(f"OpAccessChain %ptru32 %out {self.number(0)} %lane")
        self.lines += [f"OpStore {at} {self.kept()}", "OpReturn", "OpFunctionEnd"]
        constants = [f"%n{value} = OpConstant %u32 {value}" for value in self.numbers]
        return HEAD.format(lanes=self.lanes, rows=rows, constants="\n".join(constants)) + "\n".join(self.lines) + "\n"


def program(seed: int) -> tuple[Module, dict[str, Any]]:
    """A program, and what it is run on."""
    writer = PointerWriter(seed)
    module = read_module(assemble(writer.text()))
    data = [writer.draw.randrange(1 << 32) for _ in range(4 + 16 * (writer.lanes + 1))]
    return module, {"out": [0] * writer.lanes, "data": data}
