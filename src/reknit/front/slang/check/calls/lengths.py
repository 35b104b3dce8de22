"""How many elements the packs of a function have in a call.

    void f<each T>(int a, expand each T b)      f(1, x, y)      2: what is left for b
    void g<U, each T>(...)                      g<int, A, B>()  2: what is left for T
    void h<each T>(Tuple<expand each T> t)      h(pair)         2: the elements of the argument's type

All packs of a function have the same number of elements.
"""

from typing import Final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.declare.declarations import FunctionEntry
from reknit.front.slang.check.generics.generics import is_pack
from reknit.front.slang.types import StructType, TupleType, Type

LONGEST_PACK: Final = 64


def is_variadic(entry: FunctionEntry) -> bool:
    """Whether it is a function for each length of its packs."""
    generics = entry.decl.generics
    if entry.length >= 0 or entry.requirement is not None or generics is None:
        return False
    return any(is_pack(param) for param in generics.params)


def length_of_packs(entry: FunctionEntry, written: list[Type], arguments: list[hir.Expr]) -> int:
    """-1 where no length fits; `written` are generic arguments."""
    generics = entry.decl.generics
    params = [] if generics is None else generics.params
    packs = [param.name for param in params if is_pack(param)]
    plain = len(params) - len(packs)
    if len(written) > plain:
        return _shared(len(written) - plain, len(packs))
    types = [decl.type for decl in entry.decl.params]
    repeated = len([type for type in types if type is not None and _is_spread(type, packs)])
    if repeated:
        return _shared(len(arguments) - (len(types) - repeated), repeated)
    for type, argument in zip(types, arguments, strict=False):
        if isinstance(type, syntax.Apply):
            inner = len([one for one in type.arguments if _is_spread(one, packs)])
            given = argument.type
            if inner and isinstance(given, TupleType):
                return _shared(len(given.elements) - (len(type.arguments) - inner), inner)
            if inner and isinstance(given, StructType):
                return _shared(len(given.arguments) - (len(type.arguments) - inner), inner)
    return 0


def _is_spread(type: syntax.Expr, packs: list[str]) -> bool:
    return isinstance(type, syntax.Expand) or (isinstance(type, syntax.Name) and type.text in packs)


def _shared(count: int, among: int) -> int:
    return count // among if count >= 0 and count % among == 0 else -1
