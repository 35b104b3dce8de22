"""How many elements the packs of a function have in a call, and those of a type in its arguments.

    void f<each T>(int a, expand each T b)      f(1, x, y)      2: what is left for b
    void g<U, each T>(...)                      g<int, A, B>()  2: what is left for T
    void h<each T>(Tuple<expand each T> t)      h(pair)         2: the elements of the argument's type
    struct S<U, each T>                         S<int, A, B>    2: what is left for T

All packs of a declaration have the same number of elements (Slang's user's guide, "Variadic Generics").
"""

from typing import Final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.declare.declarations import AliasEntry, Container, Entry, FunctionEntry
from reknit.front.slang.types import InterfaceType, StructType, TupleType, Type
from reknit.source.meter import spend

MAX_PACK_LENGTH: Final = 64


def is_pack(written: syntax.Decl) -> bool:
    return isinstance(written, (syntax.TypeParam, syntax.ValueParam)) and written.pack


def is_variadic(entry: FunctionEntry) -> bool:
    """Whether it is a function for each length of its packs."""
    return entry.length < 0 and entry.requirement is None and _has_packs(entry.decl.generics)


def is_variadic_type(entry: Entry) -> bool:
    """Whether it is a type or an alias for each length of its packs."""
    if isinstance(entry, Container):
        return entry.length < 0 and isinstance(entry.decl, syntax.AggregateDecl) and _has_packs(entry.decl.generics)
    return isinstance(entry, AliasEntry) and entry.length < 0 and _has_packs(entry.decl.generics)


def _has_packs(generics: syntax.Generics | None) -> bool:
    return generics is not None and any(is_pack(param) for param in generics.params)


def length_of_type(generics: syntax.Generics, count: int) -> int:
    """With so many generic arguments; -1 where no length fits."""
    packs = len([param for param in generics.params if is_pack(param)])
    plain = len(generics.params) - packs
    return _shared(count - plain, packs)


def length_in(written: syntax.Expr, packs: list[str], type: Type) -> int:
    """How many elements packs have where `written`, which mentions them, is `type`; -1 where that can't be said."""
    work = [(written, type)]
    while work:
        spend(1)
        pattern, given = work.pop()
        if not isinstance(pattern, syntax.Apply):
            continue
        arguments: list[Type] = []
        if isinstance(given, TupleType):
            arguments = given.elements
        elif isinstance(given, (StructType, InterfaceType)):
            arguments = given.arguments
        spreads = len([one for one in pattern.arguments if _is_spread(one, packs)])
        if spreads:
            return _shared(len(arguments) - (len(pattern.arguments) - spreads), spreads)
        work += list(zip(pattern.arguments, arguments, strict=False))
    return -1


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
        length = -1 if type is None else length_in(type, packs, argument.type)
        if length >= 0:
            return length
    return 0


def _is_spread(type: syntax.Expr, packs: list[str]) -> bool:
    return isinstance(type, syntax.Expand) or (isinstance(type, syntax.Name) and type.text in packs)


def _shared(count: int, among: int) -> int:
    return count // among if count >= 0 and count % among == 0 else -1
