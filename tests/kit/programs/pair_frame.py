"""The frame that pairs of shaders are put into: one body each, everything else the same.

It has a buffer of each type, push constants, images, samplers, specialization constants, shared memory and the built-in
variables of compute shaders. `%lane` is GlobalInvocationId.x; OUT stores a u32, OUTF an f32, to the element of the
invocation; ASK makes %r 1 where something holds, else 0.
"""

import re
from typing import Final

FRAME: Final = """
Capability Shader
Capability Int64
Capability Float64
Capability Float16
Capability Int16
Capability Int8
Capability StorageBuffer16BitAccess
Capability StorageBuffer8BitAccess
Capability ImageQuery
Capability DeviceGroup
Capability GroupNonUniform
Capability GroupNonUniformBallot
Capability GroupNonUniformVote
Capability GroupNonUniformArithmetic
Capability GroupNonUniformShuffle
Extension "SPV_KHR_maximal_reconvergence"
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %gid, %lid, %wid, %nwg, %sgsize, %sgid, %sglane, %nsg, %device
ExecutionMode @main LocalSize 4 1 1
ExecutionMode @main MaximallyReconvergesKHR
MODES
BUFFERS
Decorate %Pc Block
MemberDecorate %Pc 0 Offset 0
MemberDecorate %Pc 1 Offset 4
Decorate %gid BuiltIn GlobalInvocationId
Decorate %lid BuiltIn LocalInvocationId
Decorate %wid BuiltIn WorkgroupId
Decorate %nwg BuiltIn NumWorkgroups
Decorate %sgsize BuiltIn SubgroupSize
Decorate %sgid BuiltIn SubgroupId
Decorate %sglane BuiltIn SubgroupLocalInvocationId
Decorate %nsg BuiltIn NumSubgroups
Decorate %device BuiltIn DeviceIndex
Decorate %spec SpecId 0
Decorate %specf SpecId 1
Decorate %specb SpecId 2
Decorate %image DescriptorSet 1
Decorate %image Binding 0
Decorate %texture DescriptorSet 1
Decorate %texture Binding 1
DECORATIONS
%Pc = TypeStruct u32, f32
%spec = SpecConstant 4 : u32
%specf = SpecConstant 1065353216 : f32
%specb = SpecConstantFalse : bool
%Image = TypeImage f32 2D 0 0 0 2 IMAGEFORMAT
%Texture = TypeImage f32 2D 0 0 0 1 Unknown
%Sampled = TypeSampledImage %Texture
VARIABLES
%pc = Variable PushConstant : ptr<PushConstant, %Pc>
%image = Variable UniformConstant : ptr<UniformConstant, %Image>
%texture = Variable UniformConstant : ptr<UniformConstant, %Sampled>
%shared = Variable Workgroup : ptr<Workgroup, array<u32, 4>>
%gid = Variable Input : ptr<Input, vec3<u32>>
%lid = Variable Input : ptr<Input, vec3<u32>>
%wid = Variable Input : ptr<Input, vec3<u32>>
%nwg = Variable Input : ptr<Input, vec3<u32>>
%sgsize = Variable Input : ptr<Input, u32>
%sgid = Variable Input : ptr<Input, u32>
%sglane = Variable Input : ptr<Input, u32>
%nsg = Variable Input : ptr<Input, u32>
%device = Variable Input : ptr<Input, u32>
func @main() -> void {
LOCALS
  %gids = Load %gid : vec3<u32>
  %lane = CompositeExtract %gids 0 : u32
  %lids = Load %lid : vec3<u32>
  %local = CompositeExtract %lids 0 : u32
BODY
  return
}
"""

TYPES: Final = {
    "u": ("u32", 4),
    "i": ("i32", 4),
    "f": ("f32", 4),
    "d": ("f64", 8),
    "l": ("u64", 8),
    "h": ("f16", 2),
    "s": ("u16", 2),
    "b": ("u8", 1),
    "v": ("u32", 4),
    "g": ("f32", 4),
    "o": ("u32", 4),
    "of": ("f32", 4),
}
"""Buffers: `%buf_u` is a buffer of u32 and so on; v and g are second ones of u32 and f32; o and of are written."""


def module_text(
    body: str, other: str = "", modes: str = "", decorations: str = "", image_format: str = "Rgba32f", locals: str = ""
) -> str:
    """`{x}` of a buffer x is the element of the invocation, loaded; each use is a load of its own. `other` is the other
    body of the pair, whose buffers this one has too."""
    parts: list[str] = []
    fresh = 0
    for line in map(str.strip, body.split("\n")):
        ask = line.startswith("ASK ")
        line = f"%c = {line[4:]} : bool" if ask else line
        for name in re.findall(r"\{(\w+)\}", line):
            fresh += 1
            type = TYPES[name][0]
            parts.append(f"%at{fresh} = AccessChain %buf_{name}, 0u, %lane : ptr<StorageBuffer, {type}>")
            parts.append(f"%in{fresh} = Load %at{fresh} : {type}")
            line = line.replace(f"{{{name}}}", f"%in{fresh}", 1)
        for word, name in (("OUTF", "of"), ("OUT", "o")):
            if line.startswith(f"{word} "):
                fresh += 1
                parts.append(f"%to{fresh} = AccessChain %buf_{name}, 0u, %lane : ptr<StorageBuffer, {TYPES[name][0]}>")
                line = f"Store %to{fresh}, {line.split(' ', 1)[1]}"
        parts.extend([line, "%r = Select %c, 1u, 0u : u32"] if ask else [line])
    text = "\n".join(parts)
    both = text + decorations + re.sub(r"\{(\w+)\}", r"%buf_\1", other.replace("OUTF ", "%buf_of "))
    used = [name for name in TYPES if re.search(rf"%buf_{name}\b", both) or name == "o"]
    about = []
    variables = []
    for at, name in enumerate(TYPES):
        if name in used:
            type, stride = TYPES[name]
            about += [f"Decorate %words_{name} ArrayStride {stride}", f"Decorate %Block_{name} Block"]
            about += [f"MemberDecorate %Block_{name} 0 Offset 0", f"Decorate %buf_{name} DescriptorSet 0"]
            about += [f"Decorate %buf_{name} Binding {at}"]
            variables += [f"%words_{name} = TypeRuntimeArray {type}", f"%Block_{name} = TypeStruct %words_{name}"]
            variables += [f"%buf_{name} = Variable StorageBuffer : ptr<StorageBuffer, %Block_{name}>"]
    made = FRAME.replace("BUFFERS", "\n".join(about)).replace("VARIABLES", "\n".join(variables))
    made = made.replace("MODES", modes).replace("DECORATIONS", decorations).replace("IMAGEFORMAT", image_format)
    return made.replace("LOCALS", locals).replace("BODY", text)


Pair = tuple[str, str]

LOCALS: Final = "  %unwritten = Variable Function : ptr<Function, u32>"
BALLOTS: Final = """%first = ULessThan %local, 3u : bool
if %first {
  %second = ULessThan %local, 2u : bool
  if %second {
    OUT 1u
  }
  %who = GroupNonUniformBallot Subgroup true : vec4<u32>
  %mask = CompositeExtract %who 0 : u32
  OUT %mask
}"""
MAXIMAL: Final = "ExecutionMode @main MaximallyReconvergesKHR"
SUM: Final = "%p = FMul {f}, {g} : f32\n%s = FAdd %p, {f} : f32\nOUTF %s"
WRITE_SHARED: Final = "%mine = AccessChain %shared, %local : ptr<Workgroup, u32>\nStore %mine, {u}\n"
READ_SHARED: Final = """%n = IAdd %local, 1u : u32
%near = BitwiseAnd %n, 3u : u32
%other = AccessChain %shared, %near : ptr<Workgroup, u32>
%got = Load %other : u32
OUT %got"""
WRITE_BUFFER: Final = "%mine = AccessChain %buf_v, 0u, %local : ptr<StorageBuffer, u32>\nStore %mine, {u}\n"
READ_BUFFER: Final = READ_SHARED.replace("%shared, %near : ptr<Workgroup", "%buf_v, 0u, %near : ptr<StorageBuffer")


def without(line: str, body: str) -> str:
    return module_text(body).replace(f"{line}\n", "")
