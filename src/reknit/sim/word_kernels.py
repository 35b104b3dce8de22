"""Which kernel an instruction on words has, and which registers it reads and writes.

    %c = IAdd %a, %b      ADD  a b -> c         a register a value
    Store %v, %c          nothing               c is v's own register: the store has been done
"""

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.kernel import Kernel
from reknit.sim.ops import group_kernels, kernels
from reknit.sim.ops.table import scalar_function
from reknit.sim.prepare import Preparation
from reknit.sim.registers import Register
from reknit.sim.values import BOOL_KIND, STRUCT_KIND, VECTOR_KIND


def word_kernel(
    preparation: Preparation, instr: Instr, code: int, values: list[Value], literals: list[int]
) -> Kernel | None:
    """What computes a word from words, or takes one out of a composite. Where the word is stored to a variable at once,
    that one's register is its own: an operand may have it too, for each lane is read before it is written."""
    variable = stored_at_once(preparation, instr)
    kernel = word_kernel_to(preparation, instr, code, values, literals, variable or preparation.register(instr))
    if kernel is not None and variable is not None:
        preparation.registers[instr] = variable
    return kernel


def stored_at_once(preparation: Preparation, instr: Instr) -> Register | None:
    """The register of the variable to which the next instruction stores a value that nothing else reads. What is
    branched on keeps its own, by which a recording knows it."""
    store = instr.next
    if store is None or store.op != op.Store or store.operands[1] is not instr or len(instr.users) != 1:
        return None
    variable = store.operands[0]
    if not isinstance(variable, Instr) or variable.op != op.Variable or preparation.shape(instr).kind == BOOL_KIND:
        return None
    cells = preparation.cells.get(variable)
    return cells.register if cells is not None else None


def word_kernel_to(
    preparation: Preparation, instr: Instr, code: int, values: list[Value], literals: list[int], out: Register | None
) -> Kernel | None:
    if out is None or not values or preparation.floats.concern(code):
        return None
    shapes = [preparation.shape(value) for value in values]
    if code == op.CompositeExtract and len(literals) == 1 and shapes[0].kind in (VECTOR_KIND, STRUCT_KIND):
        return kernels.Component(out, preparation.column(values[0]), literals[0])
    registers = _registers(preparation, values)
    if registers is None:
        return None
    result = preparation.shape(instr)
    undefined = preparation.undefined(instr)
    checked = scalar_function(code, result, shapes, literals, undefined)
    return None if checked is None else kernels.kernel(code, result, shapes, out, registers, checked, undefined)


def group_kernel(
    preparation: Preparation, instr: Instr, values: list[Value], literals: list[int], size: int
) -> Kernel | None:
    """For words; None where there is none."""
    registers = _registers(preparation, values)
    if registers is None:
        return None
    out = preparation.register(instr)
    if out is not None:
        return group_kernels.kernel(instr.op, preparation.shape(instr), out, registers, literals, size)
    if len(registers) != 1:
        return None
    return group_kernels.ballot(instr.op, preparation.column(instr), registers[0], size)


def _registers(preparation: Preparation, values: list[Value]) -> list[Register] | None:
    """None where one of the values has none."""
    registers: list[Register] = []
    for value in values:
        register = preparation.register(value)
        if register is None:
            return None
        registers.append(register)
    return registers
