"""Pairs of shaders that differ in one thing only, of every kind that a proof has to look at.

    differing()   name -> (before, after): after does something that before does not allow, for some input, size, number
                  of workgroups, specialization, or because it promises less
    unlike()      name -> (before, after): they can't be compared

Each is two bodies in the frame of `pair_frame`.
"""

from kit.programs.pair_frame import (
    BALLOTS,
    LOCALS,
    MAXIMAL,
    READ_BUFFER,
    READ_SHARED,
    SUM,
    WRITE_BUFFER,
    WRITE_SHARED,
    Pair,
    module_text,
    without,
)


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


def _promises() -> dict[str, Pair]:
    """What is promised by modes, decorations, scopes and semantics. After promises less."""
    made: dict[str, Pair] = {"modes: MaximallyReconvergesKHR": (module_text(BALLOTS), without(MAXIMAL, BALLOTS))}
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
    first = "%y = FAdd {f}, {g} : f32\n%z = FAdd %y, 1.0f : f32\nOUTF %z"
    other = "%y = FAdd {g}, 1.0f : f32\n%z = FAdd {f}, %y : f32\nOUTF %z"
    fixed = "Decorate %y NoContraction\nDecorate %z NoContraction"
    made["floats: order of a sum"] = module_text(first, decorations=fixed), module_text(other, decorations=fixed)
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
