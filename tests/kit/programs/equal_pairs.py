"""Pairs of shaders that do the same, by arithmetic or by the specification.

    equal()   name -> (before, after)
"""

from kit.programs.pair_frame import BALLOTS, LOCALS, MAXIMAL, READ_SHARED, SUM, WRITE_SHARED, Pair, module_text, without


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
    # Vulkan leaves it to the implementation whether products that are added are fused, and 2.5 ULP of a division.
    made["a fused product"] = (
        module_text("%y = FMul {f}, {g} : f32\n%z = FAdd %y, {f} : f32\nOUTF %z"),
        module_text("%z = ExtInst %glsl Fma {f}, {g}, {f} : f32\nOUTF %z"),
    )
    made["a reciprocal"] = (
        module_text("%y = FDiv {f}, 3.0f : f32\nOUTF %y"),
        module_text("%y = FMul {f}, f32(0x3eaaaaab) : f32\nOUTF %y"),
    )
    made["a mode more"] = without(MAXIMAL, BALLOTS), module_text(BALLOTS)
    made["a float control more"] = module_text(SUM), module_text(SUM, modes="ExecutionMode @main RoundingModeRTE 32")
    made["NoContraction more"] = module_text(SUM), module_text(SUM, decorations="Decorate %s NoContraction")
    return made
