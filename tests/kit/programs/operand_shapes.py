"""Instructions that compute, each in a right form and in wrong ones, and a shader to put them in.

Rules: SPIR-V 1.6, 3.52, at each instruction.
"""

FRAME = """
Capability Shader
Capability GroupNonUniform
Capability GroupNonUniformVote
Capability GroupNonUniformArithmetic
Capability GroupNonUniformShuffle
Capability Int64
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize 4 1 1
%S = TypeStruct u32, f32
%Pair = TypeStruct u32, u32
%M3x2 = TypeMatrix vec2<f32> 3
%M2x3 = TypeMatrix vec3<f32> 2
declare array<u32, 2>

func @main() -> void {{
  %u = CopyObject 3u : u32
  %l = UConvert %u : u64
  %f = ConvertUToF %u : f32
  %b = IEqual %u, 3u : bool
  %u2 = CompositeConstruct %u, 5u : vec2<u32>
  %u3 = CompositeConstruct %u2, 5u : vec3<u32>
  %f2 = CompositeConstruct %f, %f : vec2<f32>
  %f3 = CompositeConstruct %f2, %f : vec3<f32>
  %b2 = IEqual %u2, %u2 : vec2<bool>
  %m = CompositeConstruct %f2, %f2, %f2 : %M3x2
  {}
  return
}}
"""

RIGHT_AND_WRONG = [
    ("%x = ConvertFToU %f2 : vec2<u32>", ["%x = ConvertFToU %f3 : vec2<u32>", "%x = ConvertFToU %u2 : vec2<u32>"]),
    ("%x = ConvertSToF %u : f32", ["%x = ConvertSToF %f : f32", "%x = ConvertSToF %u : u64"]),
    ("%x = ShiftLeftLogical %u2, %u2 : vec2<u32>", ["%x = ShiftLeftLogical %u2, %u : vec2<u32>"]),
    ("%x = ShiftLeftLogical %l, %u : u64", ["%x = ShiftLeftLogical %u, %u : u64"]),
    ("%x = BitFieldInsert %u2, %u2, %u, %u : vec2<u32>", ["%x = BitFieldInsert %u2, %u2, %u2, %u : vec2<u32>"]),
    ("%x = Any %b2 : bool", ["%x = Any %b2 : vec2<bool>", "%x = Any %u2 : bool"]),
    ("%x = IsNan %f2 : vec2<bool>", ["%x = IsNan %f2 : bool", "%x = IsNan %u2 : vec2<bool>"]),
    ("%x = Dot %f2, %f2 : f32", ["%x = Dot %f2, %f3 : f32", "%x = Dot %f, %f : f32"]),
    ("%x = VectorTimesScalar %f2, %f : vec2<f32>", ["%x = VectorTimesScalar %f2, %f2 : vec2<f32>"]),
    ("%x = VectorExtractDynamic %u2, %u : u32", ["%x = VectorExtractDynamic %u, %u : u32"]),
    ("%x = GroupNonUniformAllEqual 3u, %u2 : bool", ["%x = GroupNonUniformAllEqual 3u, %u2 : vec2<bool>"]),
    ("%x = GroupNonUniformShuffle 3u, %u2, %u : vec2<u32>", ["%x = GroupNonUniformShuffle 3u, %u2, %u : vec3<u32>"]),
    ("%x = GroupNonUniformIAdd 3u Reduce %u : u32", ["%x = GroupNonUniformIAdd 3u Reduce %f : u32"]),
    ("%x = GroupNonUniformFAdd 3u Reduce %f2 : vec2<f32>", ["%x = GroupNonUniformFAdd 3u Reduce %f : vec2<f32>"]),
    ("%x = CompositeConstruct %u, %f : %S", ["%x = CompositeConstruct %u : %S", "%x = CompositeConstruct %f, %u : %S"]),
    ("%x = CompositeConstruct %u, %u : array<u32, 2>", ["%x = CompositeConstruct %u, %f : array<u32, 2>"]),
    ("%x = CompositeConstruct %u2, %u : vec3<u32>", ["%x = CompositeConstruct %u2, %u2 : vec3<u32>"]),
    ("%x = VectorShuffle %u2, %u3 0 4 : vec2<u32>", ["%x = VectorShuffle %u2, %u3 0 5 : vec2<u32>"]),
    ("%x = VectorShuffle %u2, %u2 0 1 2 : vec3<u32>", ["%x = VectorShuffle %u2, %u2 0 1 : vec3<u32>"]),
    ("%x = Transpose %m : %M2x3", ["%x = Transpose %m : %M3x2"]),
    ("%x = MatrixTimesVector %m, %f3 : vec2<f32>", ["%x = MatrixTimesVector %m, %f2 : vec2<f32>"]),
    ("%x = VectorTimesMatrix %f2, %m : vec3<f32>", ["%x = VectorTimesMatrix %f3, %m : vec3<f32>"]),
    ("%x = OuterProduct %f2, %f3 : %M3x2", ["%x = OuterProduct %f3, %f2 : %M3x2"]),
    ("%x = IAddCarry %u, %u : %Pair", ["%x = IAddCarry %u, %u : %S", "%x = IAddCarry %u2, %u2 : %Pair"]),
    ("%x = Bitcast %u2 : u64", ["%x = Bitcast %u3 : u64"]),
    ("%x = Select %b2, %u2, %u2 : vec2<u32>", ["%x = Select %b2, %u3, %u3 : vec3<u32>"]),
    ("%x = BitCount %u2 : vec2<u32>", ["%x = BitCount %u2 : u32", "%x = BitCount %f : u32"]),
]
