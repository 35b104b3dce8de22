"""A template's parameters as names for one set of arguments.

    template<typename T, uint N = sizeof(T)>      <float>      a scope with T: float, N: 4u
                                                  <int, 1>     a scope with T: int, N: 1u

Inside nothing is generic, so that what stands there is checked as if it were written with the arguments, as C++ does it
(ISO C++ [temp.inst]). Instances that ask for each other without an end are refused.
"""

from typing import Final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, FunctionEntry, Scope, TypeEntry, ValueEntry
from reknit.front.slang.integers import integral, wrap
from reknit.front.slang.types import ConstType, ErrorType, Type
from reknit.source.meter import spend

MAX_BOUND: Final = 4096
MAX_DEPTH: Final = 256
TOO_MANY: Final = "RK0904"
MAX_NAME_LENGTH: Final = 200


def bound(
    ctx: Context, params: list[syntax.Decl], around: Scope, given: list[Type], known: dict[str, Type]
) -> tuple[Scope, list[Type]] | str:
    """The scope with the parameters' names, and all arguments: those that are `given` in order, else those `known` by
    name, else defaults. What is wrong with them where something is."""
    if len(given) > len(params):
        return f"too many template arguments (got {len(given)}, expected {len(params)})"
    scope = Scope(around)
    arguments: list[Type] = []
    for index, param in enumerate(params):
        assert isinstance(param, (syntax.TypeParam, syntax.ValueParam))
        argument = given[index] if index < len(given) else known.get(param.name)
        if argument is None:
            if param.default is None:
                return f"could not infer template argument for parameter '{param.name}'"
            argument = ctx.types.argument_of(scope, param.default)
        adapted = _named(ctx, scope, param, argument)
        if isinstance(adapted, str):
            return adapted
        arguments.append(adapted)
    return scope, arguments


def _named(
    ctx: Context, scope: Scope, param: syntax.TypeParam | syntax.ValueParam, argument: Type
) -> Type | str:
    """The argument as its parameter has it, with its name in the scope."""
    if isinstance(argument, ErrorType):
        return f"the argument for template parameter '{param.name}' is wrong"
    if isinstance(param, syntax.TypeParam):
        if isinstance(argument, ConstType):
            return f"template parameter '{param.name}' is a type, and '{argument}' is none"
        scope.add(TypeEntry(param.name, param.at, argument))
        return argument
    type = ctx.types.type_of(scope, param.type)
    number = integral(type)
    if number is None:
        return f"not supported: template parameter '{param.name}' of type '{type}'; integers, bools and enums are read"
    if not isinstance(argument, ConstType):
        return f"template parameter '{param.name}' is a value, and '{argument}' is a type"
    value = wrap(argument.value, number)
    scope.add(ValueEntry(param.name, param.at, hir.Const(param.at, type, value)))
    return ConstType(value)


def key_of(arguments: list[Type]) -> str:
    return ", ".join([argument.key for argument in arguments])


def shown(name: str, arguments: list[Type]) -> str:
    """The name of an instance, as people write it."""
    text = f"{name}<{', '.join([str(argument) for argument in arguments])}>"
    return text if len(text) <= MAX_NAME_LENGTH else text[:MAX_NAME_LENGTH] + "..."


def has_room(ctx: Context, name: str, at: int) -> bool:
    """Whether one more instance may be made, which is counted; said where it may not."""
    spend(16)
    ctx.templates_made += 1
    if ctx.templates_made > MAX_BOUND:
        message = f"templates are instantiated more than {MAX_BOUND} times"
    elif ctx.template_depth >= MAX_DEPTH:
        message = f"template '{name}' is instantiated more than {MAX_DEPTH} deep"
    else:
        return True
    ctx.error(TOO_MANY, at, message, len(name))
    return False


def depth_of(entry: FunctionEntry | Container) -> int:
    """How many instances had to be looked into until this declaration was asked for."""
    depth = 0 if entry.made_of is None else entry.made_of.depth
    if isinstance(entry, FunctionEntry) and entry.container is not None and entry.container.made_of is not None:
        depth = max(depth, entry.container.made_of.depth)
    return depth
