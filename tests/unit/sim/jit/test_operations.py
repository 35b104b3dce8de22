"""Each operation as native code, on corners and random bits, against the interpreter's functions, which the tests of
`sim.ops` hold against other judges: integers of 8 to 64 bits, floats of 16 to 64, conversions, GLSL.std.450.

    in[3 lane], in[3 lane + 1], in[3 lane + 2]  ──▶  a, b, c as bits, and as floats  ──▶  out[results lane + k], 64 bits
"""

import random

import pytest
from unit.sim.ops.ops_floats import corners

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.sim.engine import native_run
from reknit.sim.run import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

FRAME = """
Capability Shader
Capability Int8
Capability Int16
Capability Int64
Capability Float16
Capability Float64
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %id
ExecutionMode @main LocalSize 8 1 1
Decorate %id BuiltIn GlobalInvocationId
Decorate %given ArrayStride {bytes}
MemberDecorate %Given 0 Offset 0
Decorate %Given Block
Decorate %in DescriptorSet 0
Decorate %in Binding 0
Decorate %results ArrayStride 8
MemberDecorate %Results 0 Offset 0
Decorate %Results Block
Decorate %out DescriptorSet 0
Decorate %out Binding 1
declare u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, f64, bool
declare vec2<u8>, vec2<u16>, vec2<u32>, vec2<u64>, vec2<f16>, vec2<f32>, vec2<f64>
%given = TypeRuntimeArray u{width}
%Given = TypeStruct %given
%results = TypeRuntimeArray u64
%Results = TypeStruct %results
%in = Variable StorageBuffer : ptr<StorageBuffer, %Given>
%out = Variable StorageBuffer : ptr<StorageBuffer, %Results>
%id = Variable Input : ptr<Input, vec3<u32>>
func @main() -> void {{
  %where = Load %id : vec3<u32>
  %lane = CompositeExtract %where, 0 : u32
  %at0 = IMul %lane, 3u : u32
  %at1 = IAdd %at0, 1u : u32
  %at2 = IAdd %at0, 2u : u32
  %p0 = AccessChain %in, 0u, %at0 : ptr<StorageBuffer, u{width}>
  %p1 = AccessChain %in, 0u, %at1 : ptr<StorageBuffer, u{width}>
  %p2 = AccessChain %in, 0u, %at2 : ptr<StorageBuffer, u{width}>
  %a = Load %p0 : u{width}
  %b = Load %p1 : u{width}
  %c = Load %p2 : u{width}
{lines}
  return
}}
"""
INTEGERS = (
    "IAdd %a, %b", "ISub %a, %b", "IMul %a, %b", "BitwiseAnd %a, %b", "BitwiseOr %a, %b", "BitwiseXor %a, %b",
    "Not %a", "SNegate %a", "BitReverse %a", "BitCount %a", "UDiv %a, %odd", "UMod %a, %odd", "SDiv %a, %small",
    "SRem %a, %small", "SMod %a, %small", "ShiftLeftLogical %a, %by", "ShiftRightLogical %a, %by",
    "ShiftRightArithmetic %a, %by", "BitFieldUExtract %a, %by, %few", "BitFieldSExtract %a, %by, %few",
    "BitFieldInsert %a, %b, %by, %few",
)  # fmt: skip
COMPARISONS = (
    "IEqual", "INotEqual", "ULessThan", "ULessThanEqual", "UGreaterThan", "UGreaterThanEqual", "SLessThan",
    "SLessThanEqual", "SGreaterThan", "SGreaterThanEqual",
)  # fmt: skip
EXTENDED_INTEGERS = ("SAbs %a", "SSign %a", "UMin %a, %b", "UMax %a, %b", "SMin %a, %b", "SMax %a, %b")
BITS = ("FindILsb %a", "FindUMsb %a", "FindSMsb %a")
FLOATS = ("FAdd %x, %y", "FSub %x, %y", "FMul %x, %y", "FDiv %x, %y", "FNegate %x", "FRem %x, %good", "FMod %x, %good")
ORDERS = ("Equal", "NotEqual", "LessThan", "GreaterThan", "LessThanEqual", "GreaterThanEqual")
FLOAT_COMPARISONS = tuple(f"F{order}{how}" for order in ("Ord", "Unord") for how in ORDERS)
CLASSES = ("IsNan", "IsInf")
EXTENDED_FLOATS = (
    "FAbs %x", "FSign %x", "Floor %x", "Ceil %x", "Trunc %x", "RoundEven %x", "Fract %x", "NMin %x, %y", "NMax %x, %y",
    "FMix %x, %y, %z", "Step %x, %y", "Fma %x, %y, %z", "NClamp %x, %least, %good", "Sqrt %tame",
)  # fmt: skip
CURVES = (
    "Radians %x", "Degrees %x", "Sin %x", "Cos %x", "Tan %x", "Atan %x", "Sinh %x", "Cosh %x", "Tanh %x", "Exp %x",
    "Exp2 %x", "Log %tame", "Log2 %tame", "InverseSqrt %tame", "Pow %tame, %y", "Atan2 %tame, %y", "Asin %part",
    "Acos %part", "SmoothStep %least, %tame, %part",
)  # fmt: skip
OF_ANY_WIDTH = ("InverseSqrt", "SmoothStep")  # of the others "component type is 16-bit or 32-bit floating-point"
PAIRS = ("Length %v : {f}", "Distance %v, %w : {f}", "Normalize %v : vec2<{f}>", "Reflect %v, %w : vec2<{f}>")
LANES = 32


def module_of(width: int, body: list[tuple[str, str]], before: list[str]) -> tuple[Module, int]:
    """`body` has (instruction, type of its result)."""
    lines = list(before)
    for at, (text, type) in enumerate(body):
        lines += [f"%r{at} = {text} : {type}"]
        bits = f"%r{at}"
        if type == "bool":
            lines += [f"%s{at} = Select {bits}, 1u, 0u : u32"]
            type, bits = "u32", f"%s{at}"
        if type.startswith("vec2"):
            lines += [f"%e{at} = CompositeExtract {bits}, 1 : {type[5:-1]}"]
            type, bits = type[5:-1], f"%e{at}"
        if type[0] == "f":
            lines += [f"%t{at} = Bitcast {bits} : u{type[1:]}"]
            type, bits = f"u{type[1:]}", f"%t{at}"
        if type != "u64":
            lines += [f"%w{at} = UConvert {bits} : u64"]
            bits = f"%w{at}"
        lines += [f"%m{at} = IMul %lane, {len(body)}u : u32", f"%n{at} = IAdd %m{at}, {at}u : u32"]
        lines += [f"%q{at} = AccessChain %out, 0u, %n{at} : ptr<StorageBuffer, u64>", f"Store %q{at}, {bits}"]
    text = FRAME.format(bytes=width // 8, width=width, lines="\n".join([f"  {line}" for line in lines]))
    return parse(text), len(body)


def compare(width: int, body: list[tuple[str, str]], before: list[str], patterns: list[int]) -> None:
    module, count = module_of(width, body, before)
    data = b"".join([pattern.to_bytes(width // 8, "little") for pattern in patterns])
    found, interpreted = [
        run(
            module,
            groups=(LANES // 8, 1, 1),
            subgroup_size=8,
            buffers={"in": data, "out": [0] * (2 * LANES * count)},
            native=native_run(engine),
        )
        for engine in ("jit", "interpreter")
    ]  # fmt: skip
    assert interpreted.diagnostics == [] and found.fallback == ""
    words = [result.buffers["out"].words for result in (found, interpreted)]
    for at in range(LANES * count):
        lane, place = divmod(at, count)
        a = words[0][2 * at] | words[0][2 * at + 1] << 32
        b = words[1][2 * at] | words[1][2 * at + 1] << 32
        operands = [hex(pattern) for pattern in patterns[3 * lane : 3 * lane + 3]]
        assert a == b, f"{body[place]} of {operands}: {a:#x}, not {b:#x}"


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_integers(width: int, full: bool) -> None:
    u = f"u{width}"
    before = [
        f"%odd = BitwiseOr %b, 1u{width} : {u}", f"%half = ShiftRightLogical %b, 1u{width} : {u}",
        f"%small = BitwiseOr %half, 1u{width} : {u}", f"%by = BitwiseAnd %c, {width - 1}u{width} : {u}",
        f"%few = ISub {width}u{width}, %by : {u}",
    ]  # fmt: skip
    body = [(text, u) for text in INTEGERS] + [(f"{how} %a, %b", "bool") for how in COMPARISONS]
    body += [(f"ExtInst %glsl {text}", u) for text in EXTENDED_INTEGERS]
    if width == 32:
        body += [(f"ExtInst %glsl {text}", u) for text in BITS]
    body += [
        (f"{how} %a", f"u{other}") for how in ("UConvert", "SConvert") for other in (8, 16, 32, 64) if other != width
    ]
    body += [(f"Convert{sign}ToF %a", f"f{other}") for sign in "SU" for other in (16, 32, 64)]
    source = random.Random(width)
    ends = [0, 1, 2, (1 << width - 1) - 1, 1 << width - 1, (1 << width - 1) + 1, (1 << width) - 1]
    for _ in range(50 if full else 1):
        patterns = [
            source.choice(ends) if source.random() < 0.4 else source.getrandbits(width) for _ in range(3 * LANES)
        ]
        compare(width, body, before, patterns)


@pytest.mark.parametrize("width", [16, 32, 64])
def test_floats(width: int, full: bool) -> None:
    """`tame` is positive and finite, `part` in [0, 1), `least` below all of these."""
    u, f, letter = f"u{width}", f"f{width}", {16: "h", 32: "f", 64: "d"}[width]
    bits = {16: 10, 32: 23, 64: 52}[width]
    one = ((1 << (width - bits - 2)) - 1) << bits
    before = [f"%{name} = Bitcast %{source} : {f}" for name, source in (("x", "a"), ("y", "b"), ("z", "c"))]
    before += [
        f"%fraction = BitwiseAnd %b, {(1 << bits) - 1}u{width} : {u}",
        f"%from1 = BitwiseOr %fraction, {one}u{width} : {u}",
        f"%good = Bitcast %from1 : {f}", f"%part = FSub %good, 1.0{letter} : {f}",
        f"%tame = FMul %good, 3.0{letter} : {f}",
        f"%least = FNegate %good : {f}", f"%v = CompositeConstruct %x, %y : vec2<{f}>",
        f"%w = CompositeConstruct %z, %x : vec2<{f}>",
    ]  # fmt: skip
    body = [(text, f) for text in FLOATS] + [(f"{how} %x, %y", "bool") for how in FLOAT_COMPARISONS]
    body += [(f"{how} %x", "bool") for how in CLASSES] + [
        (f"ExtInst %glsl {text}", f) for text in EXTENDED_FLOATS if width > 16 or text[:3] != "Fma"
    ]
    body += [("Dot %v, %w", f), ("VectorTimesScalar %v, %z", f"vec2<{f}>")]
    for text in PAIRS:
        given, type = text.format(f=f).split(" : ")
        body += [(f"ExtInst %glsl {given}", type)]
    curves = {16: (), 32: CURVES, 64: [text for text in CURVES if text.startswith(OF_ANY_WIDTH)]}[width]
    body += [(f"ExtInst %glsl {text}", f) for text in curves]
    body += [(f"ConvertFTo{sign} %tame", f"u{other}") for sign in "SU" for other in (8, 32, 64)]
    body += [("FConvert %x", f"f{other}") for other in (16, 32, 64) if {other, width} in ({16, 32}, {32, 64})]
    if width == 32:
        body += [("QuantizeToF16 %x", f)]
    source = random.Random(width)
    for _ in range(50 if full else 1):
        ends = corners(width)
        patterns = [
            source.choice(ends) if source.random() < 0.4 else source.getrandbits(width) for _ in range(3 * LANES)
        ]
        compare(width, body, before, patterns)
