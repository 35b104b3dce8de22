"""Random loops that invocations begin at numbers of their own, with comparisons in them, and vectors made in parts.

    i = start(index); do { if i < 96 ... else ...; v = (v.y, i); i += 64 } while (i < 256)

Starts are the invocation's index, what is left of it behind a mask, or the same for all; bounds and steps are multiples
of powers of two, or one beside. What a vector's components are at first is undefined, a constant or the index.
"""

import random

import reknit
from reknit.ir.module import Module

ORDERS = ["ULessThan", "ULessThanEqual", "UGreaterThan", "UGreaterThanEqual"]
ORDERS += ["SLessThan", "SLessThanEqual", "SGreaterThan", "SGreaterThanEqual"]
HEAD = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize {width} 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%v2u = OpTypeVector %u32 2
%index_p = OpTypePointer Input %u32
%index = OpVariable %index_p Input
%undefined = OpUndef %v2u
{constants}%main = OpFunction %void None %fn
%entry = OpLabel
%lane = OpLoad %u32 %index
"""


def program(seed: int) -> Module:
    chosen = random.Random(seed)
    width = chosen.choice([4, 8, 16, 24, 32])
    constants: dict[int, None] = {}

    def number(value: int) -> str:
        constants[value % (1 << 32)] = None
        return f"%c{value % (1 << 32)}"

    def near() -> str:
        power = 1 << chosen.randrange(6)
        return number(chosen.choice([power, width, 2 * width, 3 * power, 0]) + chosen.choice([0, 0, 0, 0, -1, 1]))

    def compared(name: str, left: str) -> str:
        both = [left, near()]
        if chosen.random() < 0.3:
            both.reverse()
        return f"%{name} = Op{chosen.choice(ORDERS)} %bool {both[0]} {both[1]}\n"

    start = chosen.choice(
        ["%s = OpBitwiseAnd %u32 %lane {mask}", "%s = OpUMod %u32 %lane {count}", "%s = OpIAdd %u32 %lane {other}",
         "%s = OpCopyObject %u32 %lane", "%s = OpIMul %u32 %lane {count}", "%s = OpCopyObject %u32 {other}"]
    )  # fmt: skip
    power = 1 << chosen.randrange(1, 6)
    body = start.format(mask=number(power - 1), count=number(power), other=near()) + "\n"
    body += f"%v0 = OpCompositeInsert %v2u {chosen.choice([number(3), '%lane'])} %undefined 1\n"
    step = number(chosen.choice([power, width, 2 * width, power + 1]))
    bound = number(chosen.choice([4 * width, 64, 3 * width + 1, 4 * power]))
    order = chosen.choice(["ULessThan", "ULessThanEqual", "SLessThan"])
    body += f"""OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %s %entry %next %cont
%v = OpPhi %v2u %v0 %entry %vn %cont
%test = Op{order} %bool %i {bound}
OpLoopMerge %done %cont None
OpBranchConditional %test %body %done
%body = OpLabel
%first = OpCompositeExtract %u32 %v 0
%second = OpCompositeExtract %u32 %v 1
"""
    for at, left in enumerate(["%i", chosen.choice(["%second", "%lane"]), chosen.choice(["%i", "%s", "%second"])]):
        body += compared(f"is{at}", left)
        body += f"""OpSelectionMerge %end{at} None
OpBranchConditional %is{at} %then{at} %end{at}
%then{at} = OpLabel
%t{at} = OpIAdd %u32 %second {number(at)}
OpBranch %end{at}
%end{at} = OpLabel
"""
    new = chosen.choice(
        ["%vn = OpCompositeInsert %v2u {one} %v 0", "%vn = OpCompositeInsert %v2u %i %v 0",
         "%vn = OpVectorShuffle %v2u %v %v 1 1", "%vn = OpCompositeConstruct %v2u %i %second",
         "%w = OpCompositeConstruct %v2u %i {one}\n%vn = OpIAdd %v2u %v %w",
         "%w = OpCompositeConstruct %v2u %i %lane\n%vn = OpCompositeInsert %v2u {one} %w 0",
         "%vn = OpVectorShuffle %v2u %v %v 1 0"]
    )  # fmt: skip
    body += new.format(one=number(1)) + "\n"
    body += f"""OpBranch %cont
%cont = OpLabel
%next = OpIAdd %u32 %i {step}
OpBranch %head
%done = OpLabel
%last = OpCompositeExtract %u32 %v 1
{compared("after", chosen.choice(["%i", "%last"]))}OpReturn
OpFunctionEnd
"""
    declared = "".join([f"%c{value} = OpConstant %u32 {value}\n" for value in constants])
    return reknit.load((HEAD.format(width=width, constants=declared) + body).encode(), format="spvasm")
