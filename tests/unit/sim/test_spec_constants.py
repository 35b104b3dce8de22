"""OpSpecConstantOp, swept: what a constant is computed as is what folding gives of the same numbers, and what folding
leaves alone since it is undefined is refused where it is used.

Nothing but the simulator computes these constants: passes leave them to whoever specializes the module (SPIR-V 1.6,
2.12 "Specialization").
"""

import itertools

import pytest
from kit.oracles.folded_values import BINARY, COMPARE, corners, folded, name

import reknit
from reknit.ir import op
from reknit.ir.constants import int_constant, int_words
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.types import bool_type, int_type
from reknit.ir.verify.run import verify
from reknit.sim.globals import Globals
from reknit.sim.run import run
from reknit.source.diagnostic import InputError

MAX_PAIRS = 40  # pairs


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("signs", list(itertools.product((False, True), repeat=2)), ids=str)
def test_operations_on_constants(width: int, signs: tuple[bool, bool]) -> None:
    module = Module()
    types = [int_type(module, width, sign) for sign in signs]
    truth = bool_type(module)
    expected: dict[Instr, int | None] = {}
    pairs = list(itertools.product(corners(width), repeat=2))
    for a, b in pairs[:: 1 + len(pairs) // MAX_PAIRS]:
        first = Instr(op.SpecConstant, types[0], [*int_words(width, signs[0], a)])
        second = int_constant(module, types[1], b)
        module.globals.append(first)
        for code in [*BINARY, *COMPARE]:
            type = truth if code in COMPARE else types[0]
            made = Instr(op.SpecConstantOp, type, [code, first, second], name(code))
            module.globals.append(made)
            expected[made] = folded(code, type, types, [a, b])
    found = Globals(module, {})
    for made, value in expected.items():
        assert found.values.get(made) == value, made
        assert (made in found.problems) == (value is None)
    assert None in expected.values()


UNDEFINED = """
Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out
ExecutionMode @main LocalSize 1 1 1
Decorate %n SpecId 3
Decorate %array ArrayStride 4
Decorate %block Block
MemberDecorate %block 0 Offset 0
Decorate %out DescriptorSet 0
Decorate %out Binding 0
%array = TypeRuntimeArray u32
%block = TypeStruct %array
%out = Variable StorageBuffer : ptr<StorageBuffer, %block>
%n = SpecConstant 0 : u32
%q = SpecConstantOp UDiv 8u, %n : u32
func @main() -> void {
  %p = AccessChain %out, 0u, 0u : ptr<StorageBuffer, u32>
  Store %p, %q
  return
}
"""


def test_an_undefined_one_is_refused_where_it_is_used() -> None:
    """By hand: 8 / 2 is 4, 8 / 0 is undefined (SPIR-V 1.6, OpUDiv)."""
    module = parse(UNDEFINED)
    assert run(module, spec={3: 2}, buffers={"out": [0]}).buffers["out"].words == [4]
    with pytest.raises(InputError, match="its value is undefined: OpUDiv by zero"):
        run(module, buffers={"out": [0]})
    unused = parse(UNDEFINED.replace("Store %p, %q", "Store %p, %n"))
    assert run(unused, buffers={"out": [7]}).buffers["out"].words == [0]


OPERATIONS = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%u = OpTypeInt 32 0
%f = OpTypeFloat 32
%bool = OpTypeBool
%u3 = OpTypeVector %u 3
%pair = OpTypeStruct %u %f
%1 = OpSpecConstant %u 1
%half = OpConstant %f 0.5
%yes = OpConstantTrue %bool
%three = OpSpecConstantComposite %u3 %1 %1 %1
%both = OpConstantComposite %pair %1 %half
%x = OpSpecConstantOp {operation}
%main = OpFunction %void None %type
%label = OpLabel
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize("operation", [
    "%u CompositeExtract %three 2", "%f CompositeExtract %both 1", "%u3 CompositeInsert %1 %three 0",
    "%u3 VectorShuffle %three %three 0 5 1", "%u3 IAdd %three %three", "%pair Select %yes %both %both",
    "%bool ULessThan %1 %1", "%u Select %yes %1 %1", "%bool LogicalNot %yes",
])  # fmt: skip
def test_operations_that_fit_their_operands(operation: str) -> None:
    assert not reknit.run(reknit.load(OPERATIONS.format(operation=operation).encode(), format="spvasm")).diagnostics


@pytest.mark.parametrize("operation", [
    "%u CompositeExtract %three 3", "%u CompositeExtract %both 1", "%u CompositeExtract %1 0",
    "%u CompositeExtract %main 0",
    "%u3 CompositeInsert %1 %three 3", "%u3 CompositeInsert %half %three 0", "%u CompositeInsert %1 %1 0",
    "%u3 VectorShuffle %three %1 0 1 2", "%u3 VectorShuffle %three %three 0 1 6", "%u3 VectorShuffle %three %three 0",
    "%u3 IAdd %three %1", "%u IAdd %1 %half", "%void IAdd %1 %three", "%pair IMul %both %both", "%void SNegate %three",
    "%u ULessThan %1 %1", "%bool ULessThan %1 %three", "%bool LogicalNot %1", "%u Select %1 %1 %1",
    "%u Select %yes %1 %half", "%void UDiv %1 %1", "%void ShiftRightLogical %three %both", "%u UDiv %1 %three",
])  # fmt: skip
def test_operations_that_do_not(operation: str) -> None:
    """By what SPIR-V 1.6, 3.52 says of the operands and the result of the instruction."""
    faults = verify(reknit.load(OPERATIONS.format(operation=operation).encode(), format="spvasm"))
    assert [fault.code for fault in faults] == ["RK0417"] and "its operation" in faults[0].message
