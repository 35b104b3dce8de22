"""The arguments of a kernel: buffers that its caller gives by the names of its parameters.

    kernel(global uint *out, uint n)      buffers={"out": [0, 0], "n": [5]}, or "argument 0", "argument 1"

A pointer into CrossWorkgroup is the address of its buffer: argument N begins at (N + 1) << 28. Any other argument is
the value that the words of its buffer are.
"""

from typing import Any, Final, final

from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.types import pointee, storage_of
from reknit.sim.addresses import WORDS_TYPE
from reknit.sim.layout import Layout, reader
from reknit.sim.memory import ARGUMENT, Buffer
from reknit.sim.natural import natural_layout
from reknit.sim.prepare import Preparation
from reknit.sim.values import array
from reknit.source.diagnostic import Diagnostic, InputError

APART: Final = 28  # bits between the addresses of two arguments


@final
class Argument:
    """A parameter of the entry point and the buffer that it gets its value from, or points to."""

    __slots__ = ("parameter", "buffer")

    def __init__(self, parameter: Instr, buffer: Buffer) -> None:
        self.parameter = parameter
        self.buffer = buffer

    def give(self, preparation: Preparation) -> None:
        """To all lanes, once the buffers are filled."""
        buffer = self.buffer
        value: Any = buffer.address if buffer.address else reader(buffer.layout)(buffer.words, 0)
        register = preparation.register(self.parameter)
        if register is not None:
            register.fill(value)
        else:
            column = preparation.column(self.parameter)
            column[:] = [value] * len(column)


def arguments_of(preparation: Preparation, function: Function) -> list[Argument]:
    """In the order of the parameters; their buffers come before all others. Raises InputError (RK1001)."""
    arguments: list[Argument] = []
    faults: list[Diagnostic] = []
    for index, parameter in enumerate(function.params):
        buffer = buffer_of(preparation, parameter, index)
        if buffer is not None:
            arguments.append(Argument(parameter, buffer))
            preparation.resources.add(buffer)
            continue
        name = f"%{parameter.name or parameter.id}"
        message = (
            f"parameter {name} of the kernel can't be given: it is neither a value nor a pointer to CrossWorkgroup"
        )
        help = "values are numbers and what is made of them; Workgroup memory can be a variable of the module"
        faults.append(Diagnostic("RK1001", message, place_of(parameter, preparation.globals.module), help=help))
    if faults:
        raise InputError(faults)
    return arguments


def buffer_of(preparation: Preparation, parameter: Instr, index: int) -> Buffer | None:
    """None for what can't be given."""
    globals = preparation.globals
    type = parameter.type
    if type is None:
        return None
    name = parameter.name or f"argument {index}"
    if type.op == op.TypePointer:
        if storage_of(type) != enums.StorageClassCrossWorkgroup:
            return None
        address = index + 1 << APART
        natural = natural_layout(globals, pointee(type))
        if natural is None or address > preparation.space.mask >> 1:
            return None
        element, stride, _ = natural
        layout = Layout(array(element.shape, 0), 0, stride, [], [element])
        buffer = Buffer(name, ARGUMENT, -1, index, layout, WORDS_TYPE, True)
        buffer.address = address
        return buffer
    natural = natural_layout(globals, type)
    return None if natural is None else Buffer(name, ARGUMENT, -1, index, natural[0], WORDS_TYPE, False)
