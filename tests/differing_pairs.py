"""Pairs of shaders: some that differ in one thing only, of every kind that a proof has to look at, some that do not.

    differing()   name -> (before, after): after does something that before does not allow, for some input, size, number
                  of workgroups, specialization, or because it promises less
    equal()       name -> (before, after): by arithmetic or by the specification they do the same

Each is two bodies put into one frame that has a buffer of each type, push constants, images, samplers, specialization
constants, shared memory and the built-in variables of compute shaders. `%lane` is GlobalInvocationId.x; OUT stores a
u32, OUTF an f32, to the element of the invocation; ASK makes %r 1 where something holds, else 0.
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


def _ints() -> dict[str, Pair]:
    """Whole numbers: signs, widths, shifts, constants of one side only, the second buffer only."""
    made: dict[str, Pair] = {}
    plain = {
        "constant before": ("ASK IEqual {u}, 987654u", "%r = IMul {u}, 0u : u32"),
        "less or equal": ("ASK ULessThan {u}, 1000u", "ASK ULessThanEqual {u}, 1000u"),
        "one off": ("ASK UGreaterThan {u}, 70000u", "ASK UGreaterThan {u}, 70001u"),
        "signed comparison": ("ASK ULessThan {u}, 5u", "ASK SLessThan {u}, 5u"),
        "signed shift": ("%r = ShiftRightLogical {u}, 3u : u32", "%r = ShiftRightArithmetic {u}, 3u : u32"),
        "signed division": ("%r = UDiv {u}, 3u : u32", "%r = SDiv {u}, 3u : u32"),
        "remainder and modulus": ("%r = SRem {i}, 3 : u32", "%r = SMod {i}, 3 : u32"),
        "division is no shift": ("%r = SDiv {u}, 4u : u32", "%r = ShiftRightArithmetic {u}, 2u : u32"),
        "minus one": ("ASK IEqual {i}, -1", "%r = Bitcast 0 : u32"),
        "most negative": ("ASK IEqual {u}, 0x80000000u", "%r = IMul {u}, 0u : u32"),
        "absolute of the most negative": (
            "%a = ExtInst %glsl SAbs {i} : i32\nASK SLessThan %a, 0",
            "%r = IMul {u}, 0u : u32",
        ),
        "high bits": ("%r = IAdd {u}, 0u : u32", "%r = BitwiseAnd {u}, 0xffffffu : u32"),
        "xor and or": ("%r = BitwiseXor {u}, 12u : u32", "%r = BitwiseOr {u}, 12u : u32"),
        "second buffer only": ("%r = BitwiseAnd {v}, 65535u : u32", "%r = BitwiseAnd {v}, 32767u : u32"),
        "second buffer's constant": (
            "%c = IEqual {v}, 31337u : bool\n%y = Select %c, 1u, 0u : u32\n%r = IAdd {u}, %y : u32",
            "%r = IAdd {u}, 0u : u32",
        ),
        "both buffers": ("%r = ISub {u}, {v} : u32", "%r = ISub {v}, {u} : u32"),
        "overflow of a sum": ("%y = IAdd {u}, 1u : u32\nASK UGreaterThan %y, {u}", "%r = Bitcast 1 : u32"),
        "sum of products": (
            "%y = IMul {u}, {u} : u32\n%r = IAdd %y, {v} : u32",
            "%y = IMul {u}, {v} : u32\n%r = IAdd %y, {u} : u32",
        ),
        "low product": (
            "%r = IMul {u}, 65537u : u32",
            "%y = ShiftLeftLogical {u}, 16u : u32\n%r = BitwiseOr %y, {u} : u32",
        ),
        "bit count": ("%r = BitCount {u} : u32", "%y = BitwiseAnd {u}, 0x7fffffffu : u32\n%r = BitCount %y : u32"),
        "highest bit, signed": ("%r = ExtInst %glsl FindUMsb {u} : u32", "%r = ExtInst %glsl FindSMsb {u} : u32"),
        "16 bits signed": (
            "%y = UConvert {s} : u32\n%r = IAdd %y, 0u : u32",
            "%y = SConvert {s} : u32\n%r = IAdd %y, 0u : u32",
        ),
        "8 bits signed": (
            "%y = UConvert {b} : u32\n%r = IAdd %y, 0u : u32",
            "%y = SConvert {b} : u32\n%r = IAdd %y, 0u : u32",
        ),
        "64 bits cut": ("%y = ShiftRightLogical {l}, 33u : u64\n%r = UConvert %y : u32", "%r = IMul {u}, 0u : u32"),
        "64 bits constant": ("ASK IEqual {l}, 0x123456789u64", "%r = IMul {u}, 0u : u32"),
    }
    for name, (before, after) in plain.items():
        made[f"ints: {name}"] = f"{before}\nOUT %r", f"{after}\nOUT %r"
    for number in (3, 77, 4096, 100_000, 0x7FFFFFFE):
        body = f"ASK IEqual {{u}}, {number}u\nOUT %r"
        made[f"ints: only after names {number}"] = "%r = IMul {u}, 0u : u32\nOUT %r", body
        made[f"ints: only before names {number}"] = body, "%r = IMul {u}, 0u : u32\nOUT %r"
    for code, of in (("ShiftLeftLogical", "u"), ("ShiftRightLogical", "u"), ("ShiftRightArithmetic", "i")):
        guarded = f"%n = BitwiseAnd {{v}}, 31u : u32\n%y = {code} {{{of}}}, %n : u32\nOUT %y"
        made[f"shifts: {code} by 32 and more"] = guarded, f"%y = {code} {{{of}}}, {{v}} : u32\nOUT %y"
    body = "%c = ULessThan {v}, 32u : bool\n%y = ShiftLeftLogical {u}, {v} : u32\n%r = Select %c, %y, 0u : u32\nOUT %r"
    made["shifts: the guard is gone"] = body, "%y = ShiftLeftLogical {u}, {v} : u32\nOUT %y"
    body = "%c = IEqual {v}, 0u : bool\n%d = Select %c, 1u, {v} : u32\n%r = UDiv {u}, %d : u32\nOUT %r"
    made["division: by zero"] = body, "%r = UDiv {u}, {v} : u32\nOUT %r"
    return made


def _floats() -> dict[str, Pair]:
    """Fractions, NaN, signed zeros, infinities, denormals, -1, large numbers; f16 and f64 too."""
    made: dict[str, Pair] = {}
    one = {
        "floor": "ExtInst %glsl Floor {f}",
        "trunc": "ExtInst %glsl Trunc {f}",
        "round": "ExtInst %glsl RoundEven {f}",
        "ceil": "ExtInst %glsl Ceil {f}",
        "abs": "ExtInst %glsl FAbs {f}",
        "negated": "FNegate {f}",
        "saturated": "ExtInst %glsl FClamp {f}, 0.0f, 1.0f",
        "square": "FMul {f}, {f}",
        "plus zero": "FAdd {f}, 0.0f",
        "sign": "ExtInst %glsl FSign {f}",
        "of the other": "FMul {g}, 1.0f",
        "half": "FMul {f}, 0.5f",
        "minus itself": "FSub {f}, {f}",
        "over itself": "FDiv {f}, {f}",
        "times zero": "FMul {f}, 0.0f",
        "up to 2": "ExtInst %glsl FMin {f}, 2.0f",
        "doubled and halved": "FMul %twice, 0.5f",
        "and a little": "FAdd {f}, 0.015625f",
        "whole": "ConvertSToF %whole",
    }
    heads = {"doubled and halved": "%twice = FMul {f}, 2.0f : f32\n", "whole": "%whole = ConvertFToS {f} : i32\n"}
    for name, code in one.items():
        made[f"floats: {name}"] = "OUTF {f}", f"{heads.get(name, '')}%y = {code} : f32\nOUTF %y"
    tests = {
        "NaN": ("FOrdEqual {f}, {f}", "FUnordEqual {f}, {f}"),
        "ordered or not": ("FOrdLessThan {f}, 1.0f", "FUnordLessThan {f}, 1.0f"),
        "not greater": ("FOrdLessThanEqual {f}, 1.0f", "FUnordLessThanEqual {f}, 1.0f"),
        "infinite": ("IsInf {f}", "IsNan {f}"),
        "bits of zeros": ("FOrdEqual {f}, 0.0f", "IEqual %bits, 0u"),
        "negative by its bit": ("FOrdLessThan {f}, 0.0f", "SLessThan %bits, 0u"),
        "constant": ("FOrdEqual {f}, 0.3f", "FOrdEqual {f}, 0.3125f"),
        "below a constant": ("FOrdLessThan {f}, 2.75f", "FOrdLessThanEqual {f}, 2.75f"),
        "minus one": ("FOrdEqual {f}, -1.0f", "FOrdEqual {f}, -1.0625f"),
        "the second buffer": ("FOrdGreaterThan {g}, 0.1f", "FOrdGreaterThan {g}, 0.2f"),
        "largest": ("FOrdGreaterThan {f}, 3e38f", "IsInf {f}"),
        "denormal": ("FOrdNotEqual {f}, 0.0f", "FOrdGreaterThanEqual %abs, f32(0x00800000)"),
        "f16": ("FOrdEqual {h}, 0.5h", "FOrdEqual {h}, 0.625h"),
        "f16 infinity": ("IsInf {h}", "IsNan {h}"),
        "f64": ("FOrdLessThan {d}, 0.1d", "FOrdLessThan {d}, 0.2d"),
        "f64 below": ("FOrdLessThan {d}, 1.5d", "FOrdLessThanEqual {d}, 1.5d"),
    }
    for name, (before, after) in tests.items():
        head = "%bits = Bitcast {f} : u32\n%abs = ExtInst %glsl FAbs {f} : f32\n"
        pair = [f"{head}ASK {code}\nOUT %r" for code in (before, after)]
        made[f"comparison of floats: {name}"] = pair[0], pair[1]
    made["floats: order of a sum"] = (
        "%y = FAdd {f}, {g} : f32\n%z = FAdd %y, 1.0f : f32\nOUTF %z",
        "%y = FAdd {g}, 1.0f : f32\n%z = FAdd {f}, %y : f32\nOUTF %z",
    )
    made["floats: fused"] = (
        "%y = FMul {f}, {g} : f32\n%z = FAdd %y, {f} : f32\nOUTF %z",
        "%z = ExtInst %glsl Fma {f}, {g}, {f} : f32\nOUTF %z",
    )
    made["floats: minimum with NaN"] = (
        "%z = ExtInst %glsl NMin {f}, {g} : f32\nOUTF %z",
        "%c = FOrdLessThan {f}, {g} : bool\n%z = Select %c, {f}, {g} : f32\nOUTF %z",
    )
    made["floats: f16 is less exact"] = ("OUTF {f}", "%y = FConvert {f} : f16\n%z = FConvert %y : f32\nOUTF %z")
    return made


def _sizes() -> dict[str, Pair]:
    """Built-in variables, specialization constants, push constants, lengths, images and samplers."""
    made: dict[str, Pair] = {}
    zero = "%r = IMul {u}, 0u : u32\nOUT %r"
    for axis in range(3):
        # By axis: the other axes' workgroups would store to the same elements.
        own = f"%w = Load %wid : vec3<u32>\n%wa = CompositeExtract %w {axis} : u32\n%first = IMul %wa, 4u : u32\n"
        own += "%index = IAdd %first, %local : u32\n%own = AccessChain %buf_o, 0u, %index : ptr<StorageBuffer, u32>\n"
        load = f"{own}%n = Load %nwg : vec3<u32>\n%a = CompositeExtract %n {axis} : u32\n"
        made[f"builtins: NumWorkgroups {axis}"] = f"{load}Store %own, %a", f"{own}Store %own, 1u"
        made[f"builtins: NumWorkgroups {axis} and 5"] = (
            f"{load}ASK IEqual %a, 5u\nStore %own, %r",
            f"{own}Store %own, 0u",
        )
        made[f"builtins: WorkgroupId {axis}"] = f"{own}Store %own, %wa", f"{own}Store %own, 0u"
        made[f"builtins: WorkgroupId {axis} and 5"] = f"{own}ASK IEqual %wa, 5u\nStore %own, %r", f"{own}Store %own, 0u"
    made["builtins: GlobalInvocationId 1000"] = "ASK IEqual %lane, 1000u\nOUT %r", "OUT 0u"
    made["builtins: axes of NumWorkgroups"] = (
        "%n = Load %nwg : vec3<u32>\n%a = CompositeExtract %n 0 : u32\nOUT %a",
        "%n = Load %nwg : vec3<u32>\n%a = CompositeExtract %n 1 : u32\nOUT %a",
    )
    made["builtins: the first workgroup"] = (
        "%w = Load %wid : vec3<u32>\n%n = Load %nwg : vec3<u32>\n%a = CompositeExtract %w 0 : u32\n"
        "%b = CompositeExtract %n 0 : u32\nASK ULessThan %a, %b\nOUT %r",
        "OUT 1u",
    )
    made["builtins: local and global"] = "OUT %lane", "OUT %local"
    made["builtins: DeviceIndex"] = "%a = Load %device : u32\nOUT %a", "OUT 0u"
    made["builtins: DeviceIndex 3"] = ("%a = Load %device : u32\nASK IEqual %a, 3u\nOUT %r", "OUT 0u")
    for size in (1, 2, 4, 8, 16, 32, 64, 128):
        body = f"%a = Load %sgsize : u32\nASK IEqual %a, {size}u\nOUT %r"
        made[f"builtins: SubgroupSize {size}"] = body, "OUT 0u"
    made["builtins: SubgroupId"] = "%a = Load %sgid : u32\nOUT %a", "OUT 0u"
    made["builtins: NumSubgroups"] = "%a = Load %nsg : u32\nOUT %a", "OUT 1u"
    made["builtins: lane of the subgroup"] = "%a = Load %sglane : u32\nOUT %a", "OUT %local"
    made["specialization: gone"] = "OUT %spec", "OUT 4u"
    for number in (0, 1, 7, 100, 65536):
        body = f"ASK IEqual %spec, {number}u\nOUT %r"
        made[f"specialization: {number}"] = body, "%r = IMul %spec, 0u : u32\nOUT %r"
    made["specialization: a float's"] = "OUTF %specf", "OUTF 1.0f"
    made["specialization: a float's fraction"] = ("OUTF %specf", "%y = ExtInst %glsl Floor %specf : f32\nOUTF %y")
    made["specialization: a bool's"] = "%r = Select %specb, 1u, 0u : u32\nOUT %r", "OUT 0u"
    made["specialization: above 10"] = (
        "%c = UGreaterThan %spec, 10u : bool\n%r = Select %c, %spec, 0u : u32\nOUT %r",
        "OUT 0u",
    )
    whole = "%p = AccessChain %pc, 0u : ptr<PushConstant, u32>\n%k = Load %p : u32\n"
    part = "%p = AccessChain %pc, 1u : ptr<PushConstant, f32>\n%k = Load %p : f32\n"
    made["push constants: read"] = f"{whole}OUT %k", zero
    for number in (9, 1234, 0xFFFFFFFF):
        body = f"{whole}ASK IEqual %k, {number}u\nOUT %r"
        made[f"push constants: {number}"] = body, "OUT 0u"
    made["push constants: a fraction"] = f"{part}OUTF %k", f"{part}%y = ExtInst %glsl Trunc %k : f32\nOUTF %y"
    made["push constants: 0.7"] = f"{part}ASK FOrdLessThan %k, 0.7f\nOUT %r", "OUT 0u"
    made["lengths: read"] = "%n = ArrayLength %buf_u 0 : u32\nOUT %n", "OUT 4u"
    made["lengths: 21"] = ("%n = ArrayLength %buf_u 0 : u32\nASK IEqual %n, 21u\nOUT %r", "OUT 0u")
    for axis in range(2):
        load = f"%i = Load %image : %Image\n%n = ImageQuerySize %i : vec2<u32>\n%a = CompositeExtract %n {axis} : u32\n"
        made[f"images: size {axis}"] = f"{load}OUT %a", "OUT 4u" if axis == 0 else "OUT 1u"
        made[f"images: size {axis} and 9"] = (f"{load}ASK IEqual %a, 9u\nOUT %r", "OUT 0u")
    load = "%t = Load %texture : %Sampled\n%i = Image %t : %Texture\n"
    made["images: levels"] = f"{load}%n = ImageQueryLevels %i : u32\nOUT %n", "OUT 1u"
    made["images: size of a level"] = (
        f"{load}%n = ImageQuerySizeLod %i, 1u : vec2<u32>\n%a = CompositeExtract %n 0 : u32\nOUT %a",
        f"{load}%n = ImageQuerySizeLod %i, 0u : vec2<u32>\n%a = CompositeExtract %n 0 : u32\nOUT %a",
    )
    at = "%at = CompositeConstruct %lane, 0u : vec2<u32>\n"
    read = f"{at}%i = Load %image : %Image\n%v = ImageRead %i, %at : vec4<f32>\n"
    made["images: a texel"] = f"{read}%x = CompositeExtract %v 0 : f32\nOUTF %x", "OUTF 0.0f"
    made["images: a component"] = (
        f"{read}%x = CompositeExtract %v 1 : f32\nOUTF %x",
        f"{read}%x = CompositeExtract %v 2 : f32\nOUTF %x",
    )
    made["images: a texel's fraction"] = (
        f"{read}%x = CompositeExtract %v 0 : f32\nOUTF %x",
        f"{read}%x = CompositeExtract %v 0 : f32\n%y = ExtInst %glsl Floor %x : f32\nOUTF %y",
    )
    write = (
        at + "%i = Load %image : %Image\n%v = CompositeConstruct {}, 0.0f, 0.0f : vec4<f32>\nImageWrite %i, %at, %v\n"
    )
    made["images: what is written"] = write.format("1.0f, 0.0f"), write.format("1.0f, 0.5f")
    made["images: nothing is written"] = f"{write.format('0.0f, 0.0f')}OUT 1u", "OUT 1u"
    sample = "%t = Load %texture : %Sampled\n%p = CompositeConstruct {}f, 0.5f : vec2<f32>\n"
    sample += "%v = ImageSampleExplicitLod %t, %p Lod {}f : vec4<f32>\n%x = CompositeExtract %v 0 : f32\nOUTF %x"
    made["samplers: filter"] = sample.format(0.5, 0.0), sample.format(0.55, 0.0)
    made["samplers: address"] = sample.format(1.25, 0.0), sample.format(0.25, 0.0)
    made["samplers: level"] = sample.format(0.5, 0.0), sample.format(0.5, 1.0)
    made["samplers: between levels"] = sample.format(0.5, 0.5), sample.format(0.5, 1.0)
    return made


def _undefined() -> dict[str, Pair]:
    """OpUndef, another value at each use; memory that nothing has written; results that are undefined."""
    made: dict[str, Pair] = {}
    uses = {
        "stored": "OUT undef<u32>",
        "added": "%y = IAdd {u}, undef<u32> : u32\nOUT %y",
        "chosen by": "%y = Select undef<bool>, {u}, 7u : u32\nOUT %y",
        "subtracted from itself": "%y = ISub undef<u32>, undef<u32> : u32\n%z = IAdd %y, {u} : u32\nOUT %z",
        "compared with itself": "%c = IEqual undef<u32>, undef<u32> : bool\n%y = Select %c, {u}, 7u : u32\nOUT %y",
        "half of a vector": "%y = CompositeConstruct {u}, undef<u32> : vec2<u32>\n"
        "%z = CompositeExtract %y 1 : u32\nOUT %z",
        "a bit of": "%y = BitwiseOr undef<u32>, 0xfffffffeu : u32\n%z = BitwiseAnd %y, {u} : u32\nOUT %z",
        "branched on": "if undef<bool> {\nOUT {u}\n} else {\nOUT 9u\n}",
        "unwritten": "%v = Load %unwritten : u32\nOUT %v",
        "unwritten in part": "%lower = ULessThan %local, 2u : bool\nif %lower {\nStore %unwritten, {u}\n}\n"
        "%v = Load %unwritten : u32\nOUT %v",
        "unwritten and shared": "%at = AccessChain %shared, %local : ptr<Workgroup, u32>\n%v = Load %at : u32\nOUT %v",
        "division by zero": "%y = UDiv {u}, 0u : u32\nOUT %y",
        "conversion of what is too large": "%y = FMul {f}, 1e30f : f32\n%z = ConvertFToU %y : u32\nOUT %z",
    }
    for name, after in uses.items():
        made[f"undefined: {name}"] = "OUT {u}", after
    return made


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


def _promises() -> dict[str, Pair]:
    """What is promised by modes, decorations, scopes and semantics. After promises less."""
    made: dict[str, Pair] = {"modes: MaximallyReconvergesKHR": (module_text(BALLOTS), _without(MAXIMAL, BALLOTS))}
    sucf = module_text(BALLOTS).replace(MAXIMAL, "ExecutionMode @main SubgroupUniformControlFlowKHR")
    made["modes: SubgroupUniformControlFlowKHR is less"] = module_text(BALLOTS), sucf
    controls = ("DenormPreserve", "DenormFlushToZero", "SignedZeroInfNanPreserve", "RoundingModeRTE", "RoundingModeRTZ")
    for mode in controls:
        line = f"ExecutionMode @main {mode} 32"
        made[f"modes: {mode}"] = module_text(SUM, modes=line), module_text(SUM)
        other = controls[(controls.index(mode) + 1) % len(controls)]
        made[f"modes: {other} for {mode}"] = (
            module_text(SUM, modes=line),
            module_text(SUM, modes=line.replace(mode, other)),
        )
    made["modes: ContractionOff"] = module_text(SUM, modes="ExecutionMode @main ContractionOff"), module_text(SUM)
    for kind, before, after in (
        ("NoContraction", "Decorate %p NoContraction\nDecorate %s NoContraction", ""),
        (
            "NoContraction of the sum",
            "Decorate %p NoContraction\nDecorate %s NoContraction",
            "Decorate %p NoContraction",
        ),
        ("RelaxedPrecision", "", "Decorate %s RelaxedPrecision"),
        ("FPFastMathMode", "", "Decorate %s FPFastMathMode NotNaN"),
        (
            "FPFastMathMode with more",
            "Decorate %s FPFastMathMode NotNaN",
            "Decorate %s FPFastMathMode NotNaN|AllowRecip",
        ),
        ("Coherent", "Decorate %buf_of Coherent", ""),
        ("Volatile", "Decorate %buf_of Volatile", ""),
        ("Restrict", "", "Decorate %buf_of Restrict"),
    ):
        made[f"decorations: {kind}"] = module_text(SUM, decorations=before), module_text(SUM, decorations=after)
    full = "ControlBarrier 2u, 2u, {}u\n"
    for name, body, ends, strong, weak in (
        ("shared", WRITE_SHARED, READ_SHARED, 0x108, 0),
        ("shared, of buffers", WRITE_SHARED, READ_SHARED, 0x108, 0x48),
        ("shared, Release only", WRITE_SHARED, READ_SHARED, 0x108, 0x104),
        ("shared, Acquire only", WRITE_SHARED, READ_SHARED, 0x108, 0x102),
        ("shared, no storage class", WRITE_SHARED, READ_SHARED, 0x108, 0x8),
        ("buffer", WRITE_BUFFER, READ_BUFFER, 0x148, 0x108),
        ("buffer, nothing", WRITE_BUFFER, READ_BUFFER, 0x48, 0),
    ):
        pair = [module_text(body + full.format(semantics) + ends) for semantics in (strong, weak)]
        made[f"barriers: {name}"] = pair[0], pair[1]
    kept = WRITE_SHARED + full.format(0x108) + READ_SHARED
    made["barriers: none"] = module_text(kept), module_text(WRITE_SHARED + READ_SHARED)
    made["barriers: of the subgroup"] = module_text(kept), module_text(kept.replace("2u, 2u", "3u, 3u"))
    made["barriers: memory of the subgroup"] = module_text(kept), module_text(kept.replace("2u, 2u", "2u, 3u"))
    made["barriers: memory of the invocation"] = module_text(kept), module_text(kept.replace("2u, 2u", "2u, 4u"))
    fence = WRITE_BUFFER + "MemoryBarrier 1u, 72u\nControlBarrier 2u, 2u, 264u\n" + READ_BUFFER
    made["barriers: the fence is gone"] = module_text(fence), module_text(fence.replace("MemoryBarrier 1u, 72u\n", ""))
    made["barriers: the fence of Workgroup memory"] = module_text(fence), module_text(fence.replace("72u", "264u"))
    add = "%all = AccessChain %buf_o, 0u, 0u : ptr<StorageBuffer, u32>\n%was = AtomicIAdd %all {}u {}u {} : u32"
    plain = "%sum = Load %all : u32\n%more = IAdd %sum, 1u : u32\nStore %all, %more"
    made["atomics: Workgroup"] = module_text(add.format(1, 0, "1u")), module_text(add.format(2, 0, "1u"))
    made["atomics: Subgroup"] = module_text(add.format(1, 0, "1u")), module_text(add.format(3, 0, "1u"))
    made["atomics: Invocation"] = module_text(add.format(2, 0, "1u")), module_text(add.format(4, 0, "1u"))
    made["atomics: plain"] = module_text(add.format(1, 0, "1u")), module_text(add.split("\n")[0] + f"\n{plain}")
    made["atomics: another operation"] = (
        module_text(add.format(1, 0, "%local")),
        module_text(add.format(1, 0, "%local").replace("IAdd", "UMax")),
    )
    publish = """%flag = AccessChain %buf_v, 0u, 0u : ptr<StorageBuffer, u32>
%data = AccessChain %buf_o, 0u, 0u : ptr<StorageBuffer, u32>
%writer = IEqual %lane, 0u : bool
if %writer {
  Store %data, 42u
  AtomicStore %flag SCOPE RELEASE 1u
} else {
  %set = AtomicLoad %flag SCOPE ACQUIRE : u32
  %seen = IEqual %set, 77u : bool
  if %seen {
    %got = Load %data : u32
  }
}"""
    good = publish.replace("SCOPE", "1u").replace("77u", "1u")
    good = good.replace("RELEASE", "68u").replace("ACQUIRE", "66u")
    made["atomics: Release is gone"] = module_text(good), module_text(good.replace("68u", "0u"))
    made["atomics: Acquire is gone"] = module_text(good), module_text(good.replace("66u", "0u"))
    made["atomics: Release of Workgroup memory"] = module_text(good), module_text(good.replace("68u", "260u"))
    return made


def _without(line: str, body: str) -> str:
    return module_text(body).replace(f"{line}\n", "")


def differing() -> dict[str, Pair]:
    """Texts of modules."""
    made: dict[str, Pair] = {}
    for bodies in (_ints(), _floats(), _sizes(), _undefined()):
        for name, (before, after) in bodies.items():
            made[name] = (
                module_text(before, after, locals=LOCALS if "%unwritten" in before + after else ""),
                module_text(after, before, locals=LOCALS if "%unwritten" in before + after else ""),
            )
    made.update(_promises())
    return made


def unlike() -> dict[str, Pair]:
    """Texts of modules that can't be compared: what is outside of both means something else in the other."""
    texel = "%at = CompositeConstruct %lane, 0u : vec2<u32>\n%there = Load %image : %Image\n"
    texel += "%got = ImageRead %there, %at : vec4<f32>\n%x = CompositeExtract %got 0 : f32\nOUTF %x"
    image, plain = module_text(texel), module_text("OUT {u}")
    layers = image.replace("2D 0 0 0 2", "2D 0 1 0 2").replace("%lane, 0u : vec2", "%lane, 0u, 0u : vec3")
    cast = module_text("%y = Bitcast %spec : u32\nOUT %y").replace("SpecConstant 4 : u32", "SpecConstant 4 : i32")
    return {
        "an image's format": (image, module_text(texel, image_format="Rgba8")),
        "an image that is an array": (image, layers),
        "a binding": (plain, plain.replace("Decorate %buf_u Binding 0", "Decorate %buf_u Binding 1")),
        "a set": (plain, plain.replace("Decorate %buf_u DescriptorSet 0", "Decorate %buf_u DescriptorSet 3")),
        "an offset": (plain, plain.replace("MemberDecorate %Block_u 0 Offset 0", "MemberDecorate %Block_u 0 Offset 4")),
        "a stride": (plain, plain.replace("Decorate %words_u ArrayStride 4", "Decorate %words_u ArrayStride 8")),
        "an element's type": (plain, plain.replace("%words_u = TypeRuntimeArray u32", "%words_u = TypeRuntimeArray i32")
                              .replace("ptr<StorageBuffer, u32>\n%in1 = Load %at1 : u32",
                                       "ptr<StorageBuffer, i32>\n%in = Load %at1 : i32\n%in1 = Bitcast %in : u32")),
        "the size of a workgroup": (plain, plain.replace("LocalSize 4 1 1", "LocalSize 8 1 1")),
        "the memory model": (plain, plain.replace("Logical GLSL450", "Logical Vulkan")),
        "derivative groups": (plain, module_text("OUT {u}", modes="ExecutionMode @main DerivativeGroupQuadsKHR")),
        "a specialization constant's type": (module_text("OUT %spec"), cast),
    }  # fmt: skip


def equal() -> dict[str, Pair]:
    """Texts of modules that do the same, and why."""
    same = {
        "x + 0": ("OUT {u}", "%y = IAdd {u}, 0u : u32\nOUT %y"),
        "x * 1": ("OUT {u}", "%y = IMul {u}, 1u : u32\nOUT %y"),
        "x xor 0": ("OUT {u}", "%y = BitwiseXor {u}, 0u : u32\nOUT %y"),
        "x and all": ("OUT {u}", "%y = BitwiseAnd {u}, 0xffffffffu : u32\nOUT %y"),
        "not not x": ("OUT {u}", "%y = Not {u} : u32\n%z = Not %y : u32\nOUT %z"),
        "minus minus x": ("OUT {u}", "%y = SNegate {u} : u32\n%z = SNegate %y : u32\nOUT %z"),
        "a sum's order": ("%y = IAdd {u}, {v} : u32\nOUT %y", "%y = IAdd {v}, {u} : u32\nOUT %y"),
        "a sum's brackets": (
            "%y = IAdd {u}, {v} : u32\n%z = IAdd %y, {i} : u32\nOUT %z",
            "%y = IAdd {v}, {i} : u32\n%z = IAdd {u}, %y : u32\nOUT %z",
        ),
        "distribution": (
            "%y = IAdd {u}, {v} : u32\n%z = IMul %y, 3u : u32\nOUT %z",
            "%a = IMul {u}, 3u : u32\n%b = IMul {v}, 3u : u32\n%z = IAdd %a, %b : u32\nOUT %z",
        ),
        "times 8": ("%y = IMul {u}, 8u : u32\nOUT %y", "%y = ShiftLeftLogical {u}, 3u : u32\nOUT %y"),
        "over 8": ("%y = UDiv {u}, 8u : u32\nOUT %y", "%y = ShiftRightLogical {u}, 3u : u32\nOUT %y"),
        "modulo 8": ("%y = UMod {u}, 8u : u32\nOUT %y", "%y = BitwiseAnd {u}, 7u : u32\nOUT %y"),
        "de Morgan": (
            "%y = BitwiseAnd {u}, {v} : u32\n%z = Not %y : u32\nOUT %z",
            "%a = Not {u} : u32\n%b = Not {v} : u32\n%z = BitwiseOr %a, %b : u32\nOUT %z",
        ),
        "comparison turned round": ("ASK ULessThan {u}, {v}\nOUT %r", "ASK UGreaterThan {v}, {u}\nOUT %r"),
        "comparison negated": (
            "ASK ULessThan {u}, {v}\nOUT %r",
            "%n = UGreaterThanEqual {u}, {v} : bool\n%c = LogicalNot %n : bool\n%r = Select %c, 1u, 0u : u32\nOUT %r",
        ),
        "below 6 or at most 5": ("ASK ULessThan {u}, 6u\nOUT %r", "ASK ULessThanEqual {u}, 5u\nOUT %r"),
        "a bool's bits": (
            "ASK IEqual {u}, {v}\nOUT %r",
            "%d = BitwiseXor {u}, {v} : u32\n%c = IEqual %d, 0u : bool\n%r = Select %c, 1u, 0u : u32\nOUT %r",
        ),
        "an if and a select": (
            "%c = ULessThan {u}, 9u : bool\nif %c {\nOUT 1u\n} else {\nOUT 2u\n}",
            "%c = ULessThan {u}, 9u : bool\n%y = Select %c, 1u, 2u : u32\nOUT %y",
        ),
        "an if turned round": (
            "%c = ULessThan {u}, 9u : bool\nif %c {\nOUT 1u\n} else {\nOUT 2u\n}",
            "%c = UGreaterThanEqual {u}, 9u : bool\nif %c {\nOUT 2u\n} else {\nOUT 1u\n}",
        ),
        "both arms alike": ("%c = ULessThan {u}, 9u : bool\nif %c {\nOUT 1u\n} else {\nOUT 1u\n}", "OUT 1u"),
        "stored twice": ("OUT 5u\nOUT {u}", "OUT {u}"),
        "loaded once": ("%y = IAdd {u}, {u} : u32\nOUT %y", "%y = ShiftLeftLogical {u}, 1u : u32\nOUT %y"),
        "unused": ("OUT {u}", "%y = IMul {v}, {v} : u32\nOUT {u}"),
        "an unused division": ("OUT {u}", "%y = UDiv {v}, {u} : u32\nOUT {u}"),
        "16 bits and back": (
            "%y = UConvert {s} : u32\nOUT %y",
            "%y = UConvert {s} : u32\n%z = BitwiseAnd %y, 65535u : u32\nOUT %z",
        ),
        "64 bits cut": (
            "%y = UConvert {l} : u32\nOUT %y",
            "%m = BitwiseAnd {l}, 0xffffffffu64 : u64\n%y = UConvert %m : u32\nOUT %y",
        ),
        "signedness of a product": (
            "%y = IMul {u}, {v} : u32\nOUT %y",
            "%a = Bitcast {u} : i32\n%b = Bitcast {v} : i32\n%p = IMul %a, %b : i32\n%y = Bitcast %p : u32\nOUT %y",
        ),
        "rotated by 0": ("OUT {u}", "%y = ShiftLeftLogical {u}, 0u : u32\nOUT %y"),
        "bits of a float": ("OUTF {f}", "%y = Bitcast {f} : u32\n%z = Bitcast %y : f32\nOUTF %z"),
        "x * 2 and x + x": ("%y = FMul {f}, 2.0f : f32\nOUTF %y", "%y = FAdd {f}, {f} : f32\nOUTF %y"),
        "x / 2 and x * 0.5": ("%y = FDiv {f}, 2.0f : f32\nOUTF %y", "%y = FMul {f}, 0.5f : f32\nOUTF %y"),
        "a float sum's order": ("%y = FAdd {f}, {g} : f32\nOUTF %y", "%y = FAdd {g}, {f} : f32\nOUTF %y"),
        "minus a minus": (
            "%y = FSub {f}, {g} : f32\nOUTF %y",
            "%n = FNegate {g} : f32\n%y = FAdd {f}, %n : f32\nOUTF %y",
        ),
        "NaN by itself": ("ASK IsNan {f}\nOUT %r", "ASK FUnordNotEqual {f}, {f}\nOUT %r"),
        "unordered turned round": (
            "ASK FOrdLessThan {f}, {g}\nOUT %r",
            "%n = FUnordGreaterThanEqual {f}, {g} : bool\n%c = LogicalNot %n : bool\n"
            "%r = Select %c, 1u, 0u : u32\nOUT %r",
        ),
        "an absolute value": ("%y = ExtInst %glsl FAbs {f} : f32\nOUTF %y", "%n = FNegate {f} : f32\n"
                              "%y = ExtInst %glsl FAbs %n : f32\nOUTF %y"),
        "f16 is exact in f32": ("ASK FOrdLessThan {h}, 1.0h\nOUT %r", "%y = FConvert {h} : f32\n"
                                "ASK FOrdLessThan %y, 1.0f\nOUT %r"),
        "global from group and local": (
            "OUT %lane",
            "%w = Load %wid : vec3<u32>\n%a = CompositeExtract %w 0 : u32\n%f = IMul %a, 4u : u32\n"
            "%x = IAdd %f, %local : u32\nOUT %x",
        ),
        "lane of the subgroup": (
            "%a = Load %sglane : u32\nOUT %a",
            "%n = Load %sgsize : u32\n%a = UMod %local, %n : u32\nOUT %a",
        ),
        "a ballot and a vote": (
            "%t = ULessThan {u}, 5u : bool\n%b = GroupNonUniformBallot Subgroup %t : vec4<u32>\n"
            "%n = GroupNonUniformBallotBitCount Subgroup Reduce %b : u32\nASK INotEqual %n, 0u\nOUT %r",
            "%t = ULessThan {u}, 5u : bool\n%c = GroupNonUniformAny Subgroup %t : bool\n"
            "%r = Select %c, 1u, 0u : u32\nOUT %r",
        ),
        "all and any": (
            "%t = ULessThan {u}, 5u : bool\n%c = GroupNonUniformAll Subgroup %t : bool\n"
            "%r = Select %c, 1u, 0u : u32\nOUT %r",
            "%t = UGreaterThanEqual {u}, 5u : bool\n%a = GroupNonUniformAny Subgroup %t : bool\n"
            "%c = LogicalNot %a : bool\n%r = Select %c, 1u, 0u : u32\nOUT %r",
        ),
        "a sum of twos": (
            "%y = GroupNonUniformIAdd Subgroup Reduce 2u : u32\nOUT %y",
            "%n = GroupNonUniformIAdd Subgroup Reduce 1u : u32\n%y = IMul %n, 2u : u32\nOUT %y",
        ),
        "a constant of the specialization": (
            "%y = IMul %spec, 2u : u32\nOUT %y", "%y = IAdd %spec, %spec : u32\nOUT %y",
        ),
        "push constants": (
            "%p = AccessChain %pc, 0u : ptr<PushConstant, u32>\n%k = Load %p : u32\n%y = IMul %k, 2u : u32\nOUT %y",
            "%p = AccessChain %pc, 0u : ptr<PushConstant, u32>\n%k = Load %p : u32\n%y = IAdd %k, %k : u32\nOUT %y",
        ),
        "a length": (
            "%n = ArrayLength %buf_u 0 : u32\n%y = IMul %n, 4u : u32\nOUT %y",
            "%n = ArrayLength %buf_u 0 : u32\n%y = ShiftLeftLogical %n, 2u : u32\nOUT %y",
        ),
        "through shared memory": (
            f"{WRITE_SHARED}ControlBarrier 2u, 2u, 264u\n{READ_SHARED}",
            f"{WRITE_SHARED}ControlBarrier 2u, 2u, 328u\n{READ_SHARED}",
        ),
        "through its own element": (
            "OUT {u}",
            f"{WRITE_SHARED}%back = Load %mine : u32\nOUT %back",
        ),
        "an undefined value that is not taken": ("OUT {u}", "%y = Select true, {u}, undef<u32> : u32\nOUT %y"),
        "what was undefined": ("OUT undef<u32>", "OUT 17u"),
        "an unwritten variable": ("%v = Load %unwritten : u32\nOUT %v", "OUT {u}"),
        "an atomic that orders more": (
            "%a = AccessChain %buf_o, 0u, 0u : ptr<StorageBuffer, u32>\n%w = AtomicIAdd %a 1u 0u 1u : u32",
            "%a = AccessChain %buf_o, 0u, 0u : ptr<StorageBuffer, u32>\n%w = AtomicIAdd %a 1u 72u 1u : u32",
        ),
    }  # fmt: skip
    made: dict[str, Pair] = {}
    for name, (before, after) in same.items():
        locals = LOCALS if "%unwritten" in before + after else ""
        made[name] = module_text(before, after, locals=locals), module_text(after, before, locals=locals)
    made["a mode more"] = _without(MAXIMAL, BALLOTS), module_text(BALLOTS)
    made["a float control more"] = module_text(SUM), module_text(SUM, modes="ExecutionMode @main RoundingModeRTE 32")
    made["NoContraction more"] = module_text(SUM), module_text(SUM, decorations="Decorate %s NoContraction")
    return made
