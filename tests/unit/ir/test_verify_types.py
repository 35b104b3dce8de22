"""What the verifier says of operands and results whose types don't go together: a statement, and its fault or none.

What is wrong is said of the operand that SPIR-V 1.6, 3.52, names at the instruction; next to each wrong statement one
that is right, at the boundary.
"""

import pytest

from reknit.ir.text.parser import parse
from reknit.ir.verify import verify

FRAME = """%glsl = ExtInstImport "GLSL.std.450"
%other = ExtInstImport "NonSemantic.Other"
%S = TypeStruct u32, f32
%Pair = TypeStruct u32, u32
%Three = TypeStruct u32, u32, u32
%Nested = TypeStruct %S, array<vec2<f32>, 3>
%Open = TypeStruct f32, array<u32>
%image = TypeImage f32 2D 0 0 0 1 Unknown
%odd = TypeFloat 32 0
%n = SpecConstant 2 : u32
%sized = TypeArray u32, %n
%u = Undef : u32
%i = Undef : i32
%w = Undef : u8
%l = Undef : u64
%f = Undef : f32
%h = Undef : f16
%d = Undef : f64
%o = Undef : %odd
%o2 = Undef : vec2<%odd>
%b = Undef : bool
%u2 = Undef : vec2<u32>
%i2 = Undef : vec2<i32>
%u3 = Undef : vec3<u32>
%u4 = Undef : vec4<u32>
%w4 = Undef : vec4<u8>
%f2 = Undef : vec2<f32>
%f3 = Undef : vec3<f32>
%f4 = Undef : vec4<f32>
%d2 = Undef : vec2<f64>
%b2 = Undef : vec2<bool>
%b3 = Undef : vec3<bool>
%m = Undef : mat3x2<f32>
%mm = Undef : mat2x3<f32>
%q = Undef : mat2x2<f32>
%s = Undef : %S
%p = Undef : %Pair
%nested = Undef : %Nested
%arr = Undef : array<u32, 2>
%run = Undef : %sized
%img = Undef : %image

func @callee(%a: u32, %at: ptr<Function, u32>) -> u32 {
  return %a
}

func @main(%pu: ptr<Function, u32>, %ps: ptr<Function, %S>, %pn: ptr<Function, %Nested>, \
%pv: ptr<Function, vec2<u32>>, %pr: ptr<StorageBuffer, %Open>, %pg: ptr<Function, %sized>, %priv: ptr<Private, u32>\
) -> void {
  STATEMENT
  return
}
"""

SIZES = "the sizes of its operands and the result don't go together"
KINDS = "its operands are not matrices, vectors and scalars of one float type"


def said(statement: str) -> list[str]:
    faults = verify(parse(FRAME.replace("STATEMENT", statement)))
    assert all(fault.code in ("RK0415", "RK0416", "RK0417") for fault in faults), faults
    return [fault.message.rpartition("`: ")[2] for fault in faults]


# --- operands like the result, comparisons, memory, calls -------------------------------------------------------------

COMMON = [
    ("CopyMemory %pu, %priv", ""),
    ("CopyMemory %pu, %u", "operand 2 is not a pointer"),
    ("CopyMemory %u, %pu", "operand 1 is not a pointer"),
    ("%x = IAdd %u, %i : u32", ""),
    ("%x = IAdd %u2, %i2 : vec2<i32>", ""),
    ("%x = IAdd %u, %l : u32", "operand 2 is not an integer of the result's width and size"),
    ("%x = IAdd %l, %u : u32", "operand 1 is not an integer of the result's width and size"),
    ("%x = IAdd %u2, %u : vec2<u32>", "operand 2 is not an integer of the result's width and size"),
    ("%x = IAdd %u, %f : u32", "operand 2 is not an integer of the result's width and size"),
    ("%x = IAdd %u, %u : f32", "the result is no integer"),
    ("%x = SNegate %u2 : vec2<i32>", ""),
    ("%x = Not %b : bool", "the result is no integer"),
    ("%x = FAdd %f, %f : f32", ""),
    ("%x = FAdd %f2, %f2 : vec2<f32>", ""),
    ("%x = FAdd %f, %d : f32", "operand 2 is not of the result's type"),
    ("%x = FAdd %f2, %f : vec2<f32>", "operand 2 is not of the result's type"),
    ("%x = FNegate %d : f32", "operand 1 is not of the result's type"),
    ("%x = FNegate %u : u32", "the result is no float"),
    ("%x = LogicalAnd %b, %b : bool", ""),
    ("%x = LogicalAnd %b2, %b : vec2<bool>", "operand 2 is not of the result's type"),
    ("%x = LogicalNot %u : u32", "the result is no bool"),
    ("%x = IEqual %u, %i : bool", ""),
    ("%x = IEqual %u2, %i2 : vec2<bool>", ""),
    ("%x = IEqual %u, %l : bool", "the operands differ in width or size"),
    ("%x = IEqual %u2, %u3 : vec2<bool>", "the operands differ in width or size"),
    ("%x = IEqual %u2, %u2 : vec3<bool>", "the result differs in size from the operands"),
    ("%x = IEqual %u2, %u2 : bool", "the result differs in size from the operands"),
    ("%x = IEqual %u, %f : bool", "an operand is not an integer"),
    ("%x = IEqual %f, %u : bool", "an operand is not an integer"),
    ("%x = IEqual %u, %u : u32", "the result is no bool"),
    ("%x = FOrdLessThan %f, %f : bool", ""),
    ("%x = FOrdLessThan %f, %h : bool", "the operands differ in width or size"),
    ("%x = FOrdLessThan %u, %f : bool", "an operand is not a float"),
    ("%x = Load %pu : u32", ""),
    ("%x = Load %pu : f32", "the result is not what operand 1 points to"),
    ("%x = Load %u : u32", "operand 1 is not a pointer"),
    ("Store %pu, %u", ""),
    ("Store %pu, %i", "the value stored is not what operand 1 points to"),
    ("Store %u, %u", "operand 1 is not a pointer"),
    ("%x = Variable Function : ptr<Function, u32>", ""),
    ("%x = Variable Private : ptr<Function, u32>", "its type is not a pointer to its storage class"),
    ("%x = Variable Function : u32", "its type is not a pointer to its storage class"),
    ("%x = CopyObject %s : %S", ""),
    ("%x = CopyObject %s : %Pair", "operand 1 is not of the result's type"),
    ("%x = Select %b, %s, %s : %S", ""),
    ("%x = Select %b, %s, %p : %S", "operand 3 is not of the result's type"),
    ("%x = Select %b, %p, %s : %S", "operand 2 is not of the result's type"),
    ("%x = Select %u, %s, %s : %S", "the condition is not a bool"),
    ("%x = Select %b2, %u2, %u2 : vec2<u32>", ""),
    ("%x = Select %b, %u2, %u2 : vec2<u32>", ""),
    ("%x = Select %b2, %u3, %u3 : vec3<u32>", "the condition differs in size from the result"),
    ("%x = Select %b2, %s, %s : %S", "the condition differs in size from the result"),
    ("%x = FunctionCall @callee, %u, %pu : u32", ""),
    ("%x = FunctionCall @callee, %u, %priv : u32", ""),  # pointers need only match logically
    ("%x = FunctionCall @callee, %u : u32", "1 arguments for 2 parameters"),
    ("%x = FunctionCall @callee, %u, %pu, %u : u32", "3 arguments for 2 parameters"),
    ("%x = FunctionCall @callee, %f, %pu : u32", "argument 1 is not of its parameter's type"),
    ("%x = FunctionCall @callee, %u, %u : u32", "argument 2 is not of its parameter's type"),
    ("%x = FunctionCall @callee, u32, %pu : u32", "argument 1 or its parameter has no type"),
    ("%x = FunctionCall @callee, %u, %pu : f32", "the result is not of the called function's result type"),
    ("%x = FunctionCall %u : u32", "operand 1 is not a function"),
    ("%x = AtomicLoad %pu 1u 0u : u32", ""),
    ("%x = AtomicLoad %u 1u 0u : u32", "operand 1 is not a pointer"),
    ("%x = ArrayLength %u 1 : u32", "operand 1 is not a pointer"),
]

# --- ballots, parts of composites, chains -----------------------------------------------------------------------------

PARTS = [
    ("%x = GroupNonUniformBallot Subgroup %b : vec4<u32>", ""),
    ("%x = GroupNonUniformBallot Subgroup u32 : vec4<u32>", "its predicate is not a bool"),
    ("%x = GroupNonUniformBallot Subgroup %b : vec3<u32>", "its ballot is not four 32-bit integers"),
    ("%x = GroupNonUniformBallot Subgroup %b : vec4<u8>", "its ballot is not four 32-bit integers"),
    ("%x = GroupNonUniformBallot Subgroup %b : vec4<f32>", "its ballot is not four 32-bit integers"),
    ("%x = GroupNonUniformInverseBallot Subgroup %u4 : bool", ""),
    ("%x = GroupNonUniformInverseBallot Subgroup %u3 : bool", "its ballot is not four 32-bit integers"),
    ("%x = GroupNonUniformBallotBitExtract Subgroup %u4, %u : bool", ""),
    ("%x = GroupNonUniformBallotBitExtract Subgroup %u, %u4 : bool", "its ballot is not four 32-bit integers"),
    ("%x = GroupNonUniformBallotBitCount Subgroup Reduce %u4 : u32", ""),
    ("%x = GroupNonUniformBallotBitCount Subgroup Reduce %w4 : u32", "its ballot is not four 32-bit integers"),
    ("%x = GroupNonUniformBallotFindLSB Subgroup %u4 : u32", ""),
    ("%x = GroupNonUniformBallotFindMSB Subgroup %f4 : u32", "its ballot is not four 32-bit integers"),
    ("%x = CompositeExtract %s 1 : f32", ""),
    ("%x = CompositeExtract %s 0 : f32", "the part is of another type"),
    ("%x = CompositeExtract %s 2 : f32", "its composite has no part 2 at that level"),
    ("%x = CompositeExtract %u2 1 : u32", ""),
    ("%x = CompositeExtract %u2 2 : u32", "its composite has no part 2 at that level"),
    ("%x = CompositeExtract %m 2 1 : f32", ""),
    ("%x = CompositeExtract %m 3 1 : f32", "its composite has no part 3 at that level"),
    ("%x = CompositeExtract %m 2 2 : f32", "its composite has no part 2 at that level"),
    ("%x = CompositeExtract %arr 1 : u32", ""),
    ("%x = CompositeExtract %arr 2 : u32", "its composite has no part 2 at that level"),
    ("%x = CompositeExtract %run 9 : u32", ""),  # as long as a specialization constant says
    ("%x = CompositeExtract %nested 1 2 1 : f32", ""),
    ("%x = CompositeExtract %nested 1 3 1 : f32", "its composite has no part 3 at that level"),
    ("%x = CompositeExtract %nested 0 : %S", ""),
    ("%x = CompositeExtract %u 0 : u32", "its composite has no part 0 at that level"),
    ("%x = CompositeExtract %pu 0 : u32", "its composite has no part 0 at that level"),
    ("%x = CompositeInsert %f, %s 1 : %S", ""),
    ("%x = CompositeInsert %u, %s 1 : %S", "the part is of another type"),
    ("%x = CompositeInsert %f, %p 1 : %S", "the composite is not of the result's type"),
    ("%x = CompositeInsert %u, %u2 2 : vec2<u32>", "its composite has no part 2 at that level"),
    ("%x = AccessChain %ps, 1u : ptr<Function, f32>", ""),
    ("%x = AccessChain %ps, 0u : ptr<Function, f32>", "the result points to another type"),
    ("%x = AccessChain %ps, 2u : ptr<Function, f32>", "operand 2 leads nowhere"),
    ("%x = AccessChain %ps, %u : ptr<Function, f32>", "operand 2 is not the constant that a member's number must be"),
    ("%x = AccessChain %ps, %n : ptr<Function, f32>", "operand 2 is not the constant that a member's number must be"),
    ("%x = AccessChain %pv, %u : ptr<Function, u32>", ""),
    ("%x = AccessChain %pv, %f : ptr<Function, u32>", "operand 2 is not an integer"),
    ("%x = AccessChain %pv, %u, %u : ptr<Function, u32>", "operand 3 leads nowhere"),
    ("%x = AccessChain %pn, 1u, %u, %u : ptr<Function, f32>", ""),
    ("%x = AccessChain %pn, 1u, %u : ptr<Function, vec2<f32>>", ""),
    ("%x = AccessChain %pr, 1u, %u : ptr<StorageBuffer, u32>", ""),
    ("%x = AccessChain %pg, %u : ptr<Function, u32>", ""),
    ("%x = AccessChain %pu : ptr<Function, u32>", ""),
    ("%x = AccessChain %pu : ptr<Function, f32>", "the result points to another type"),
    ("%x = AccessChain %pu : u32", "the result is not a pointer"),
    ("%x = AccessChain %u, 1u : ptr<Function, f32>", "operand 1 is not a pointer"),
    ("%x = PtrAccessChain %pu, %u : ptr<Function, u32>", ""),
    ("%x = PtrAccessChain %ps, %u, 1u : ptr<Function, f32>", ""),
    ("%x = PtrAccessChain %ps, %u, 0u : ptr<Function, f32>", "the result points to another type"),
    ("%x = CopyObject %u2 : vec2<u32>", ""),
]

# --- what goes by a pattern -------------------------------------------------------------------------------------------

PATTERNS = [
    ("%x = ConvertFToU %f2 : vec2<u32>", ""),
    ("%x = ConvertFToU %d2 : vec2<u32>", ""),
    ("%x = ConvertFToU %f3 : vec2<u32>", "operand 1 differs in size from the result"),
    ("%x = ConvertFToU %u2 : vec2<u32>", "operand 1 is not a float"),
    ("%x = ConvertFToU %f : f32", "the result is not an integer"),
    ("%x = ConvertSToF %u : u32", "the result is not a float"),
    ("%x = QuantizeToF16 %f : f32", ""),
    ("%x = QuantizeToF16 %d : f32", "operand 1 differs in width or size from the result"),
    ("%x = ShiftLeftLogical %u, %l : u32", ""),
    ("%x = ShiftLeftLogical %l, %u : u32", "operand 1 differs in width or size from the result"),
    ("%x = ShiftLeftLogical %u2, %u : vec2<u32>", "operand 2 differs in size from the result"),
    ("%x = BitFieldUExtract %u2, %u, %l : vec2<u32>", ""),
    ("%x = BitFieldUExtract %u2, %u2, %u : vec2<u32>", "operand 2 is not a scalar"),
    ("%x = BitFieldUExtract %u2, %u, %f : vec2<u32>", "operand 3 is not an integer"),
    ("%x = BitCount %u2 : vec2<u8>", ""),
    ("%x = Any %b2 : bool", ""),
    ("%x = Any %b3 : bool", ""),
    ("%x = Any %b2 : vec2<bool>", "the result is not a scalar"),
    ("%x = Any %b2 : u32", "the result is not a bool"),
    ("%x = IsNan %f2 : vec2<bool>", ""),
    ("%x = IsNan %f2 : bool", "operand 1 differs in size from the result"),
    ("%x = Unordered %f, %f : bool", ""),
    ("%x = Unordered %f, %d : bool", "operand 2 differs in width or size from the operand before it"),
    ("%x = Unordered %f2, %f2 : vec2<bool>", ""),
    ("%x = Dot %f2, %f2 : f32", ""),
    ("%x = Dot %f, %f : f32", "operand 1 is not a vector"),
    ("%x = Dot %f2, %f3 : f32", "operand 2 differs in width or size from the operand before it"),
    ("%x = Dot %f2, %f2 : vec2<f32>", "the result is not a scalar"),
    ("%x = VectorExtractDynamic %u2, %u : u32", ""),
    ("%x = VectorExtractDynamic %b2, %u : bool", ""),
    ("%x = VectorExtractDynamic %u, %u : u32", "operand 1 is not a vector"),
    ("%x = VectorExtractDynamic %u2, %u2 : u32", "operand 2 is not a scalar"),
    ("%x = VectorInsertDynamic %f2, %f, %u : vec2<f32>", ""),
    ("%x = VectorInsertDynamic %u2, %f, %u : vec2<f32>", "operand 1 is not of the result's kind"),
    ("%x = GroupNonUniformElect Subgroup : bool", ""),
    ("%x = GroupNonUniformElect Subgroup : vec2<bool>", "the result is not a scalar"),
    ("%x = GroupNonUniformAllEqual Subgroup %u2 : bool", ""),
    ("%x = GroupNonUniformAllEqual Subgroup %s : bool", "operand 2 is neither a scalar nor a vector"),
    ("%x = GroupNonUniformAllEqual Subgroup %arr : bool", "operand 2 is neither a scalar nor a vector"),
    ("%x = GroupNonUniformAllEqual Subgroup %m : bool", "operand 2 is neither a scalar nor a vector"),
    ("%x = GroupNonUniformBroadcastFirst Subgroup %u2 : vec2<u32>", ""),
    ("%x = GroupNonUniformBroadcastFirst Subgroup %u2 : vec2<f32>", "operand 2 is not of the result's kind"),
    ("%x = GroupNonUniformShuffle Subgroup %f2, %u : vec2<f32>", ""),
    ("%x = GroupNonUniformShuffle Subgroup %f2, %u2 : vec2<f32>", "operand 3 is not a scalar"),
    ("%x = GroupNonUniformIAdd Subgroup Reduce %u : u32", ""),
    ("%x = GroupNonUniformIAdd Subgroup ClusteredReduce %u, 4u : u32", ""),
    ("%x = GroupNonUniformIAdd Subgroup Reduce %u2 : u32", "operand 2 differs in width or size from the result"),
    ("%x = GroupNonUniformFAdd Subgroup Reduce %d : f32", "operand 2 differs in width or size from the result"),
    ("%x = GroupNonUniformLogicalXor Subgroup Reduce %u : bool", "operand 2 is not a bool"),
    ("%x = FConvert %o : f64", ""),  # a float of another encoding is left to spirv-val
    ("%x = FMul %o, %o : %odd", ""),
    ("%x = ConvertFToU %f : %image", ""),
]

# --- what is made of parts --------------------------------------------------------------------------------------------

MADE = [
    ("%x = CompositeConstruct %u, %f : %S", ""),
    ("%x = CompositeConstruct %u : %S", "it has 1 constituents, which are not the parts of its type"),
    ("%x = CompositeConstruct %u, %f, %u : %S", "it has 3 constituents, which are not the parts of its type"),
    ("%x = CompositeConstruct %f, %f : %S", "constituent 1 is not of its part's type"),
    ("%x = CompositeConstruct %u, %u : %S", "constituent 2 is not of its part's type"),
    ("%x = CompositeConstruct %f2, %f2, %f2 : mat3x2<f32>", ""),
    ("%x = CompositeConstruct %f2, %f2 : mat3x2<f32>", "it has 2 constituents, which are not the parts of its type"),
    ("%x = CompositeConstruct %f2, %f2, %f3 : mat3x2<f32>", "constituent 3 is not of its part's type"),
    ("%x = CompositeConstruct %u, %u : array<u32, 2>", ""),
    ("%x = CompositeConstruct %u, %u, %u : %sized", ""),
    ("%x = CompositeConstruct %u, %f : array<u32, 2>", "constituent 2 is not of the element's type"),
    ("%x = CompositeConstruct %u, %u2 : vec3<u32>", ""),
    ("%x = CompositeConstruct %u, %u : vec3<u32>", "its constituents have 2 components, and its type 3"),
    ("%x = CompositeConstruct %u2, %u2 : vec3<u32>", "its constituents have 4 components, and its type 3"),
    ("%x = CompositeConstruct %u, %i2 : vec3<u32>", ""),
    ("%x = CompositeConstruct %u, %l, %u : vec3<u32>", "constituent 2 is not of the component's type"),
    ("%x = CompositeConstruct %f, %u, %u : vec3<u32>", "constituent 1 is not of the component's type"),
    ("%x = CompositeConstruct %s, %u, %u : vec3<u32>", "constituent 1 is not of the component's type"),
    ("%x = VectorShuffle %u2, %u3 0 4 : vec2<u32>", ""),
    ("%x = VectorShuffle %u2, %u3 0 5 : vec2<u32>", "its operands have no component 5"),
    ("%x = VectorShuffle %u2, %u3 0 4294967295 : vec2<u32>", ""),
    ("%x = VectorShuffle %u2, %u3 0 4294967294 : vec2<u32>", "its operands have no component 4294967294"),
    ("%x = VectorShuffle %u2, %u2 0 1 : vec3<u32>", "it picks 2 components, and the result has 3"),
    ("%x = VectorShuffle %u2, %f2 0 1 : vec2<u32>", "its operands and the result differ in the component's type"),
    ("%x = VectorShuffle %f2, %u2 0 1 : vec2<u32>", "its operands and the result differ in the component's type"),
    ("%x = VectorShuffle %o2, %o2 0 3 : vec2<%odd>", ""),
    ("%x = VectorShuffle %o2, %f2 0 3 : vec2<%odd>", "its operands and the result differ in the component's type"),
    ("%x = VectorShuffle %s, %u2 0 1 : vec2<u32>", "its operands are not vectors"),
    ("%x = VectorShuffle %u2, %s 0 1 : vec2<u32>", "its operands are not vectors"),
    ("%x = VectorShuffle %u2, %u2 0 1 : %S", "its operands are not vectors"),
    ("%x = Transpose %m : mat2x3<f32>", ""),
    ("%x = Transpose %m : mat3x2<f32>", SIZES),
    ("%x = MatrixTimesScalar %m, %f : mat3x2<f32>", ""),
    ("%x = MatrixTimesScalar %m, %f2 : mat3x2<f32>", SIZES),
    ("%x = MatrixTimesScalar %mm, %f : mat3x2<f32>", SIZES),
    ("%x = OuterProduct %f2, %f3 : mat3x2<f32>", ""),
    ("%x = OuterProduct %f3, %f2 : mat3x2<f32>", SIZES),
    ("%x = OuterProduct %q, %f2 : mat2x2<f32>", SIZES),
    ("%x = OuterProduct %f2, %q : mat2x2<f32>", SIZES),
    ("%x = VectorTimesMatrix %f2, %m : vec3<f32>", ""),
    ("%x = VectorTimesMatrix %f3, %m : vec3<f32>", SIZES),
    ("%x = VectorTimesMatrix %f2, %m : vec2<f32>", SIZES),
    ("%x = VectorTimesMatrix %q, %q : mat2x2<f32>", SIZES),
    ("%x = MatrixTimesVector %m, %f3 : vec2<f32>", ""),
    ("%x = MatrixTimesVector %m, %f2 : vec2<f32>", SIZES),
    ("%x = MatrixTimesVector %m, %f3 : vec3<f32>", SIZES),
    ("%x = MatrixTimesMatrix %m, %mm : mat2x2<f32>", ""),
    ("%x = MatrixTimesMatrix %m, %m : mat3x2<f32>", SIZES),
    ("%x = MatrixTimesVector %q, %d2 : vec2<f32>", KINDS),
    ("%x = MatrixTimesVector %q, %u2 : vec2<f32>", KINDS),
    ("%x = MatrixTimesVector %q, %s : vec2<f32>", KINDS),
    ("%x = IAddCarry %u, %u : %Pair", ""),
    ("%x = IAddCarry %u, %i : %Pair", "operand 2 is not of the members' type"),
    ("%x = IAddCarry %u2, %u : %Pair", "operand 1 is not of the members' type"),
    ("%x = IAddCarry %u, %u : %S", "the result is not a struct of two members of one type"),
    ("%x = IAddCarry %u, %u : %Three", "the result is not a struct of two members of one type"),
    ("%x = IAddCarry %u, %u : u32", "the result is not a struct of two members of one type"),
    ("%x = Bitcast %u2 : u64", ""),
    ("%x = Bitcast %l : vec2<f32>", ""),
    ("%x = Bitcast %u3 : u64", "the operand has another number of bits"),
    ("%x = Bitcast %u : u64", "the operand has another number of bits"),
    ("%x = Bitcast %pu : u64", ""),
    ("%x = ExtInst %glsl Sqrt %f : f32", ""),
    ("%x = ExtInst %u 31 %f : f32", "operand 1 is not an imported set of instructions"),
    (
        "%x = ExtInst %glsl Sqrt f32 : f32",
        "GLSL.std.450 Sqrt: operand 1 (x) is no value, expected f32, the result's type",
    ),
    ("%x = ExtInst %glsl Sqrt %u : u32", "GLSL.std.450 Sqrt: the result is u32, expected a float scalar or vector"),
    ("%x = ExtInst %other 5 f32 : f32", "NonSemantic.Other: the result is not void"),
    ("%x = ExtInst %other 5 f32 : void", ""),
    ("%x = FMul f32, %f : f32", "operand 1 is not of the result's type"),
    ("%x = ConvertFToU f32 : u32", "operand 1 is not a value"),
    ("%x = Dot @callee, %f2 : f32", "operand 1 is not a value"),
    ("%x = Transpose f32 : mat2x3<f32>", "operand 1 is not a value"),
]


@pytest.mark.parametrize(("statement", "fault"), COMMON + PARTS + PATTERNS + MADE)
def test_of_one_statement(statement: str, fault: str) -> None:
    assert said(statement) == ([fault] if fault else [])


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("declare vec4<u32>, vec8<u32>, vec16<u32>, vec3<u32>, vec2<u32>", []),
        ("declare vec5<u32>", ["a vector has 2, 3, 4, 8 or 16 components"]),
        ("declare vec1<u32>", ["a vector has 2, 3, 4, 8 or 16 components"]),
        ("Capability LongVectorEXT\ndeclare vec5<u32>", []),
        ("%t = TypeFloat 0", ["a float has 16, 32 or 64 bits"]),
        ("%t = TypeFloat 8 4214", []),  # with an encoding: Float8E4M3EXT
        ("%t = TypeInt 0 0", ["an integer has 1 to 1024 bits"]),
        ("%c = Constant !1 : u32", []),
        ("%c = Constant !1 !2 : u32", ["the number of its type takes 1 words"]),
        ("%c = Constant !1 : u64", ["the number of its type takes 2 words"]),
        ("%c = Constant !1 !2 : u64", []),
        ("%c = Constant !1 : u33", ["the number of its type takes 2 words"]),
        ("%c = SpecConstant !1 !2 : f32", ["the number of its type takes 1 words"]),
        ("%c = Constant !1 : bool", ["its type is no integer or float"]),
        ("%a = Constant 1 : u32\n%c = ConstantComposite %a, %a : vec2<u32>", []),
        (
            "%a = Constant 1 : u32\n%c = ConstantComposite %a : vec2<u32>",
            ["its constituents have 1 components, and its type 2"],
        ),
    ],
)
def test_of_the_module(line: str, faults: list[str]) -> None:
    assert [fault.message.rpartition("`: ")[2] for fault in verify(parse(line + "\n"))] == faults


@pytest.mark.parametrize(
    ("statement", "result", "fault"),
    [
        ("return", "void", ""),
        ("return", "u32", "the function returns a value, and this gives none"),
        ("return 1u", "u32", ""),
        ("return 1", "u32", "the value is not of the function's result type"),
        ("return u32", "u32", "the value is not of the function's result type"),
    ],
)
def test_of_a_return(statement: str, result: str, fault: str) -> None:
    faults = verify(parse(f"func @f() -> {result} {{\n{statement}\n}}\n"))
    assert [one.message.rpartition("`: ")[2] for one in faults] == ([fault] if fault else [])
