"""OpSpecConstantOp, swept: what a constant is computed as is what folding gives of the same numbers, and what folding
leaves alone since it is undefined is refused where it is used.

Nothing but the simulator computes these constants: passes leave them to whoever specializes the module (SPIR-V 1.6,
2.12 "Specialization").
"""

import itertools

import pytest
from kit.oracles.folded_values import BINARY, COMPARE, corners, folded, name

from reknit.ir import op
from reknit.ir.constants import int_constant, int_words
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.types import bool_type, int_type
from reknit.sim.globals import Globals
from reknit.sim.run import run
from reknit.source.diagnostic import InputError

MOST = 40  # pairs


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("signs", list(itertools.product((False, True), repeat=2)), ids=str)
def test_operations_on_constants(width: int, signs: tuple[bool, bool]) -> None:
    module = Module()
    types = [int_type(module, width, sign) for sign in signs]
    truth = bool_type(module)
    expected: dict[Instr, int | None] = {}
    pairs = list(itertools.product(corners(width), repeat=2))
    for a, b in pairs[:: 1 + len(pairs) // MOST]:
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
