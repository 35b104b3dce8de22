"""Sizes and generic arguments that specialization constants give: constants of the module.

    [SpecializationConstant] const int n;  float a[n * 2];      OpTypeArray %float (OpSpecConstantOp %int IMul %n %2)
"""

from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.builtins.conversion import converted
from reknit.front.slang.integers import CAST
from reknit.front.slang.lower.body import Body
from reknit.front.slang.lower.operators import COMPARISONS, operate, unary
from reknit.front.slang.lower.variables import global_place
from reknit.front.slang.types import BOOL, INT, ConstType, OperationType, ScalarType, SpecializedType, Type
from reknit.ir.value import Value


def scalar_of_value(type: Type) -> ScalarType:
    """What kind of number a generic value is."""
    if isinstance(type, SpecializedType):
        return type.variable.type if isinstance(type.variable.type, ScalarType) else INT
    if isinstance(type, OperationType):
        return BOOL if type.op in COMPARISONS else type.of
    return INT


def specialized(body: Body, type: Type) -> Value:
    """The constant that it is."""
    low = body.low
    before = low.at_module
    low.at_module = True
    value = _value(body, type)
    low.at_module = before
    return value


def _value(body: Body, type: Type) -> Value:
    low = body.low
    if isinstance(type, ConstType):
        return scalar_constant(low, INT, type.value)
    if isinstance(type, SpecializedType):
        return global_place(body, type.variable).load(low)
    if not isinstance(type, OperationType) or not 1 <= len(type.operands) <= 2 or type.op in ("!", "&&", "||"):
        low.refuse(0, f"'{type}' isn't known when the shader is compiled, and can't be computed when it is specialized")
    numbers = [
        scalar_constant(low, type.of, operand.value)
        if isinstance(operand, ConstType)
        else converted(low, scalar_of_value(operand), type.of, _value(body, operand))
        for operand in type.operands
    ]
    if type.op == CAST:
        return numbers[0]
    if len(numbers) == 1:
        return unary(low, type.op, type.of, numbers[0])
    return operate(low, type.op, type.of, numbers[0], numbers[1])
