"""Types with a value of an interface somewhere inside, and what can't be done with them.

    struct Box { IFoo item; }     IFoo  Box  Box[4]  Optional<IFoo>  Tuple<Box, int>     hold one
    StructuredBuffer<IFoo>  IFoo*                                                        lead to one

What a value of an interface looks like differs from place to place, so that a reference into one has no meaning.
"""

from collections.abc import Callable

from reknit.front.slang.conformances import parts
from reknit.front.slang.types import InterfaceType, PointerType, ResourceType, StructType, Type


def holds_interface(type: Type, fields: Callable[[StructType], list[Type]]) -> bool:
    """Whether a value of `type` has one inside. `fields` gives the types of a struct's fields."""
    work = [type]
    seen: set[str] = set()
    while work:
        now = work.pop()
        if isinstance(now, InterfaceType):
            return True
        if now.key in seen or isinstance(now, (PointerType, ResourceType)):
            continue
        seen.add(now.key)
        work += fields(now) if isinstance(now, StructType) else parts(now)
    return False
