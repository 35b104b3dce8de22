"""Random compute programs that read, write, fetch and ask for the size of images, in divergent control flow.

Each invocation writes one texel of its own, and adds to others atomically. Now and then a coordinate is outside,
an integer doesn't fit its format, and invocations end or become helpers.
"""

import random
from typing import Any, Final

from reknit.ir.module import Module
from reknit.sim.images import Image
from reknit.sim.texels import BY_NAME, SINT, UINT, TexelFormat
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

NAMES: Final = {
    "rgba32f": "Rgba32f", "r32f": "R32f", "rg32f": "Rg32f", "rgba16f": "Rgba16f", "r16f": "R16f", "rgba8": "Rgba8",
    "rgba8_snorm": "Rgba8Snorm", "r8": "R8", "rg16": "Rg16", "rg16_snorm": "Rg16Snorm", "rgba32i": "Rgba32i",
    "r32i": "R32i", "rg16i": "Rg16i", "rgba8i": "Rgba8i", "rgba32ui": "Rgba32ui", "r32ui": "R32ui", "rg32ui": "Rg32ui",
    "r16ui": "R16ui", "rgba8ui": "Rgba8ui", "r8ui": "R8ui",
}  # fmt: skip
SHAPES: Final = (("1D", 0, 1), ("2D", 0, 2), ("2D", 1, 3), ("3D", 0, 3), ("1D", 1, 2), ("Buffer", 0, 1), ("Cube", 0, 2))
"""Dimension, whether arrayed, numbers of a size."""
HEAD: Final = """
OpCapability Shader
OpCapability Sampled1D
OpCapability Image1D
OpCapability SampledBuffer
OpCapability ImageBuffer
OpCapability ImageQuery
OpCapability GroupNonUniformArithmetic
OpCapability DemoteToHelperInvocation
OpCapability StorageImageReadWithoutFormat
OpCapability StorageImageWriteWithoutFormat
OpCapability StorageImageExtendedFormats
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize {lanes} 1 1
OpName %out "out"
OpName %source "source"
OpName %target "target"
OpName %sums "sums"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %source DescriptorSet 0
OpDecorate %source Binding 1
OpDecorate %target DescriptorSet 0
OpDecorate %target Binding 2
OpDecorate %sums DescriptorSet 0
OpDecorate %sums Binding 3
%void = OpTypeVoid
%voidfn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%f32 = OpTypeFloat 32
%u2 = OpTypeVector %u32 2
%u3 = OpTypeVector %u32 3
%u4 = OpTypeVector %u32 4
%i2 = OpTypeVector %i32 2
%i3 = OpTypeVector %i32 3
%i4 = OpTypeVector %i32 4
%f4 = OpTypeVector %f32 4
{constants}
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%ptrblock = OpTypePointer StorageBuffer %block
%ptru32 = OpTypePointer StorageBuffer %u32
%keptu32 = OpTypePointer Function %u32
%inu32 = OpTypePointer Input %u32
%index = OpVariable %inu32 Input
%out = OpVariable %ptrblock StorageBuffer
%image = OpTypeImage %{component} {shape} {sampled} {named}
%holder = OpTypePointer UniformConstant %image
%source = OpVariable %holder UniformConstant
%aim = OpTypeImage %{component} 2D 0 0 0 2 {target}
%aimer = OpTypePointer UniformConstant %aim
%target = OpVariable %aimer UniformConstant
%summed = OpTypeImage %u32 2D 0 0 0 2 R32ui
%summer = OpTypePointer UniformConstant %summed
%sums = OpVariable %summer UniformConstant
%texel = OpTypePointer Image %u32
%main = OpFunction %void None %voidfn
%entry = OpLabel
%kept = OpVariable %keptu32 Function
%lane = OpLoad %u32 %index
OpStore %kept %lane
"""


class Writer:
    def __init__(self, seed: int) -> None:
        draw = self.draw = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.numbers: dict[int, None] = {}
        self.lanes = draw.choice((4, 24, 32, 64))
        self.component = draw.choice(("u32", "i32", "f32"))
        self.dimension, self.arrayed, axes = draw.choice(SHAPES)
        kind = {"u32": UINT, "i32": SINT}.get(self.component)
        fitting = [name for name in NAMES if self.fits(BY_NAME[name], kind)]
        self.stored = draw.random() < 0.5 and self.dimension != "Cube"
        self.format, self.target = draw.choice(fitting), draw.choice(fitting)
        self.levels = draw.choice((1, 1, 3)) if not self.stored and self.dimension != "Buffer" else 1
        self.size = [draw.choice((4, 5, 8)) for _ in range(axes)]
        if self.dimension == "Cube":
            self.size[1] = self.size[0]
        self.odd = draw.random() < 0.12
        self.adds = draw.random() < 0.2
        self.wide = draw.random() < 0.1  # integers that may not fit

    def fits(self, format: TexelFormat, kind: int | None) -> bool:
        return format.kind == kind if kind is not None else format.kind not in (UINT, SINT)

    def let(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%t{self.count} = {text}")
        return f"%t{self.count}"

    def number(self, value: int) -> str:
        self.numbers[value] = None
        return f"%n{value}"

    def kept(self) -> str:
        return self.let("OpLoad %u32 %kept")

    def mix(self, value: str, type: str = "u32") -> None:
        if type != "u32":
            value = self.let(f"OpBitcast %u32 {value}")
        old = self.let(f"OpIMul %u32 {self.kept()} {self.number(1664525)}")
        self.lines.append(f"OpStore %kept {self.let(f'OpIAdd %u32 {old} {value}')}")

    # --- parts --------------------------------------------------------------------------------------------------------

    def place(self, level: int, moved: bool) -> str:
        """Coordinates inside of a level; `moved`: 1 less along the first axis than there may be."""
        axes = len(self.size) - self.arrayed
        least = [max(size >> level, 1) if axis < axes else size for axis, size in enumerate(self.size)]
        if self.dimension == "Cube":
            least.append(6)
        if self.odd and self.draw.random() < 0.3:
            least[self.draw.randrange(len(least))] += 1
        parts: list[str] = []
        signed = self.draw.random() < 0.5
        for axis, size in enumerate(least):
            from_what = self.draw.choice(("%lane", self.kept(), self.number(self.draw.randrange(9))))
            shift = self.let(f"OpShiftRightLogical %u32 {from_what} {self.number(self.draw.randrange(3))}")
            size -= moved and axis == 0
            part = self.let(f"OpUMod %u32 {shift} {self.number(size)}")
            if axis == 0 and not moved and from_what == "%lane" and self.lanes <= size and self.draw.random() < 0.5:
                part = "%lane"
            parts.append(self.let(f"OpBitcast %i32 {part}") if signed else part)
        type = "i" if signed else "u"
        return parts[0] if len(parts) == 1 else self.let(f"OpCompositeConstruct %{type}{len(parts)} {' '.join(parts)}")

    def read(self) -> None:
        four = f"{self.component[0]}4"
        image = self.let("OpLoad %image %source")
        if self.stored:
            texel = self.let(f"OpImageRead %{four} {image} {self.place(0, False)}")
        elif self.dimension == "Buffer":
            texel = self.let(f"OpImageFetch %{four} {image} {self.place(0, False)}")
        else:
            level = self.draw.randrange(self.levels)
            varies = self.levels > 1 and self.draw.random() < 0.5
            kept = self.kept()
            at = self.let(f"OpUMod %u32 {kept} {self.number(self.levels)}") if varies else self.number(level)
            level = self.levels - 1 if varies else level
            moved = self.dimension != "Cube" and self.size[0] >> level > 1 and self.draw.random() < 0.4
            place = self.place(level, moved)
            shape = len(self.size) - self.arrayed
            offset = "%p1" if shape == 1 else f"%p1{shape}"
            given = f"Lod|ConstOffset {at} {offset}" if moved else f"Lod {at}"
            texel = self.let(f"OpImageFetch %{four} {image} {place} {given}")
        for part in range(4):
            value = self.let(f"OpCompositeExtract %{self.component} {texel} {part}")
            self.mix(value, self.component)

    def ask(self) -> None:
        image = self.let("OpLoad %image %source")
        count = len(self.size)
        type = "%u32" if count == 1 else f"%u{count}"
        if self.stored or self.dimension == "Buffer":
            size = self.let(f"OpImageQuerySize {type} {image}")
        else:
            self.mix(self.let(f"OpImageQueryLevels %u32 {image}"))
            size = self.let(f"OpImageQuerySizeLod {type} {image} {self.number(self.draw.randrange(self.levels))}")
        for part in range(count):
            self.mix(size if count == 1 else self.let(f"OpCompositeExtract %u32 {size} {part}"))

    def write(self) -> None:
        """To its own texel, and back."""
        image = self.let("OpLoad %aim %target")
        x = self.let(f"OpUMod %u32 %lane {self.number(8)}")
        place = self.let(f"OpCompositeConstruct %u2 {x} {self.let(f'OpUDiv %u32 %lane {self.number(8)}')}")
        parts: list[str] = []
        format = BY_NAME[self.target]
        for _ in range(4):
            word = self.let(f"OpIMul %u32 {self.kept()} {self.number(self.draw.choice((3, 69069, 1 << 24 | 5)))}")
            if self.component != "f32" and not self.wide:
                low = (1 << (format.widths[0] - (format.kind == SINT))) - 1
                word = self.let(f"OpBitwiseAnd %u32 {word} {self.number(low)}")
            elif self.component == "f32" and self.draw.random() < 0.5:
                small = self.let(f"OpConvertUToF %f32 {self.let(f'OpBitwiseAnd %u32 {word} {self.number(1023)}')}")
                small = self.let(f"OpFMul %f32 {small} {self.draw.choice(('%f1', '%f2', '%f3'))}")
                word = self.let(f"OpBitcast %u32 {small}")
            parts.append(word if self.component == "u32" else self.let(f"OpBitcast %{self.component} {word}"))
        four = f"{self.component[0]}4"
        texel = self.let(f"OpCompositeConstruct %{four} {' '.join(parts)}")
        self.lines.append(f"OpImageWrite {image} {place} {texel}")
        if self.draw.random() < 0.5:
            back = self.let(f"OpImageRead %{four} {image} {place}")
            self.mix(self.let(f"OpCompositeExtract %{self.component} {back} {self.draw.randrange(4)}"), self.component)

    def add(self) -> None:
        """Atomically, to one of 3 x 2 texels."""
        x = self.let(f"OpUMod %u32 {self.kept()} {self.number(4 if self.odd else 3)}")
        place = self.let(f"OpCompositeConstruct %u2 {x} {self.let(f'OpBitwiseAnd %u32 %lane {self.number(1)}')}")
        pointer = self.let(f"OpImageTexelPointer %texel %sums {place} {self.number(0)}")
        rest = f"{self.number(1)} {self.number(0)} {self.kept()}"
        name = self.draw.choice(("IAdd", "UMax", "Xor", "Exchange"))
        self.mix(self.let(f"OpAtomic{name} %u32 {pointer} {rest}"))

    def branch(self, depth: int) -> None:
        bit = self.let(f"OpBitwiseAnd %u32 {self.kept()} {self.number(self.draw.choice((1, 3, 16)))}")
        condition = self.let(f"OpINotEqual %bool {bit} {self.number(0)}")
        self.count += 1
        name = f"b{self.count}"
        self.lines += [f"OpSelectionMerge %{name}m None", f"OpBranchConditional {condition} %{name}t %{name}f"]
        for arm in "tf":
            self.lines.append(f"%{name}{arm} = OpLabel")
            self.statements(depth + 1)
            ends = arm == "t" and self.draw.random() < 0.12
            self.lines.append("OpReturn" if ends else f"OpBranch %{name}m")
        self.lines.append(f"%{name}m = OpLabel")

    def loop(self, depth: int) -> None:
        most = self.let(f"OpBitwiseAnd %u32 {self.kept()} {self.number(3)}")
        self.count += 1
        name = f"l{self.count}"
        before = f"%{name}p"
        self.lines += [
            f"OpBranch {before}", f"{before} = OpLabel", f"OpBranch %{name}h", f"%{name}h = OpLabel",
            f"%{name}i = OpPhi %u32 {self.number(0)} {before} %{name}n %{name}c",
            f"%{name}x = OpULessThan %bool %{name}i {most}", f"OpLoopMerge %{name}m %{name}c None",
            f"OpBranchConditional %{name}x %{name}b %{name}m", f"%{name}b = OpLabel",
        ]  # fmt: skip
        self.statements(depth + 1)
        self.lines += [
            f"OpBranch %{name}c", f"%{name}c = OpLabel", f"%{name}n = OpIAdd %u32 %{name}i {self.number(1)}",
            f"OpBranch %{name}h", f"%{name}m = OpLabel",
        ]  # fmt: skip

    def statements(self, depth: int) -> None:
        for _ in range(self.draw.randrange(1, 4)):
            choice = self.draw.random()
            if choice < 0.3:
                self.read()
            elif choice < 0.5:
                self.write()
            elif choice < 0.6:
                self.ask()
            elif choice < 0.7:
                self.mix(self.let(f"OpGroupNonUniformIAdd %u32 {self.number(3)} Reduce {self.kept()}"))
            elif choice < 0.72:
                self.lines.append("OpDemoteToHelperInvocation")
            elif choice < 0.8 and self.adds:
                self.add()
            elif depth < 3:
                self.branch(depth) if choice < 0.9 else self.loop(depth)

    def text(self) -> str:
        self.statements(0)
        self.read()
        self.write()
        at = self.let(f"OpAccessChain %ptru32 %out {self.number(0)} %lane")
        self.lines += [f"OpStore {at} {self.kept()}", "OpReturn", "OpFunctionEnd"]
        constants = [f"%n{value} = OpConstant %u32 {value}" for value in self.numbers]
        constants += ["%p1 = OpConstant %i32 1", "%p0 = OpConstant %i32 0"]
        constants += ["%p12 = OpConstantComposite %i2 %p1 %p0", "%p13 = OpConstantComposite %i3 %p1 %p0 %p0"]
        constants += ["%f1 = OpConstant %f32 0.001", "%f2 = OpConstant %f32 -0.0019607844", "%f3 = OpConstant %f32 97"]
        return HEAD.format(
            lanes=self.lanes, component=self.component, constants="\n".join(constants), target=self.named(self.target),
            shape=self.dimension, sampled=f"0 {self.arrayed} 0 {2 if self.stored else 1}",
            named=self.named(self.format),
        ) + "\n".join(self.lines) + "\n"  # fmt: skip

    def named(self, format: str) -> str:
        return NAMES[format] if self.draw.random() < 0.6 else "Unknown"

    def texels(self, format: str, size: list[int], levels: int) -> Image:
        count = 6 if self.dimension == "Cube" and size is self.size else 1
        for part in size:
            count *= part
        bits = bytes(self.draw.randrange(256) for _ in range(count * BY_NAME[format].size()))
        return Image(size, format, bits, levels)


def program(seed: int) -> tuple[Module, dict[str, Any]]:
    """A program, and what it is run on."""
    writer = Writer(seed)
    module = read_module(assemble(writer.text()))
    return module, {
        "out": [0] * writer.lanes,
        "source": writer.texels(writer.format, writer.size, writer.levels),
        "target": writer.texels(writer.target, [8, -(-writer.lanes // 8)], 1),
        "sums": Image([3, 2], "", [0]),
    }
