"""Objects that were never set, where a method takes them: of the method's type, and zeros, as all that is undefined.

    %tmp = Variable Function : ptr<Function, %This>      holds 0: of no type yet
    CallDynamic %f, %tmp                                 a method of T0 finds a T0 there
"""

from typing import Any, Final, final

from reknit.ir import op
from reknit.ir.dispatch import is_payload
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.memory import thaw
from reknit.sim.values import Shape, null_value

_ADDRESS: Final = 3  # (values, slot, path); into a buffer there are two, and every word of a buffer is set


@final
class UnsetObject:
    """What a parameter of `shape` is given where the argument, a payload, was never set. `behind`: the argument is a
    pointer to it."""

    __slots__ = ("shape", "behind", "null")

    def __init__(self, shape: Shape, behind: bool) -> None:
        self.shape = shape
        self.behind = behind
        self.null: Any = null_value(shape)

    def taken(self, argument: Any) -> Any:
        """The argument as the method takes it."""
        if not self.behind:
            return self.null if argument == 0 else argument
        if argument != 0 and len(argument) == _ADDRESS:
            container: Any = argument[0]
            last = argument[1]
            for index in argument[2]:
                container = container[last]
                last = index
            if container[last] == 0:
                container[last] = thaw(self.null, self.shape)
        return argument


def unset_object(argument: Instr, parameter: Instr, shapes: dict[Value, Shape]) -> UnsetObject | None:
    """For an argument that is a payload, or points to one, where the parameter's type is known; else None."""
    given, wanted = argument.type, parameter.type
    assert given is not None and wanted is not None
    behind = given.op == op.TypePointer and wanted.op == op.TypePointer
    if behind:
        given, wanted = given.instr(1), wanted.instr(1)
    shape = shapes.get(wanted)
    if shape is None or not is_payload(given) or is_payload(wanted):
        return None
    return UnsetObject(shape, behind)
