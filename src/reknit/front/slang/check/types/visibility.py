"""What may be named from where.

    struct S { private int a; int f() { return a; } }     inside S and its extensions: yes
    s.a                                                   anywhere else: E30600

`internal`, which is what is meant without a word, is visible in all files of a module; modules are one here.
Source: Slang's language reference, "Visibility Control".
"""

from reknit.front.slang import syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import (
    Container,
    Entry,
    FieldEntry,
    FunctionEntry,
    LookupItem,
    PropertyEntry,
    Scope,
    VariableEntry,
)


def accessible(ctx: Context, scope: Scope, items: list[LookupItem], at: int) -> list[LookupItem]:
    """Those that may be named here; said if there are none."""
    many = ctx.overloads.get(id(items))
    if many is not None and not many.private:
        return items
    seen = [item for item in items if _is_accessible(scope, item.entry)]
    if items and not seen:
        name = items[0].entry.name
        ctx.error("E30600", at, f"'{name}' is not accessible from the current context.", len(name))
    return seen


def _is_accessible(scope: Scope, entry: Entry) -> bool:
    modifiers = _modifiers(entry)
    if modifiers is None or "private" not in modifiers.words:
        return True
    owner = _owner(entry)
    if owner is None or owner.kind in ("namespace", "interface"):
        return True  # said where it is declared
    at: Scope | None = scope
    while at is not None:
        if at.container is not None and _is_type(at.container, owner):
            return True
        at = at.parent
    return False


def _is_type(inside: Container, owner: Container) -> bool:
    """Whether both are of one type: itself, or an extension of it."""
    if inside is owner:
        return True
    return inside.self_type.key.partition("<")[0] == owner.self_type.key.partition("<")[0]


def _owner(entry: Entry) -> Container | None:
    if isinstance(entry, (FieldEntry, FunctionEntry, VariableEntry, PropertyEntry)):
        return entry.container
    return None


def _modifiers(entry: Entry) -> syntax.Modifiers | None:
    if isinstance(entry, (FieldEntry, FunctionEntry, PropertyEntry)):
        return entry.decl.modifiers
    if isinstance(entry, VariableEntry) and entry.decl is not None:
        return entry.decl.modifiers
    return None


def check_declared(ctx: Context, decl: syntax.Decl, owner: Container | None) -> None:
    """A visibility that a declaration can't have where it stands."""
    words = decl.modifiers.words
    is_member = owner is not None and owner.kind not in ("namespace", "interface")
    if "private" in words and not is_member:
        ctx.error(
            "E30603", words["private"],
            f"'{decl.name}' cannot have private visibility because it is not a member of a type.", len("private"),
        )  # fmt: skip
    within = owner.decl if owner is not None and owner.kind in ("struct", "interface") else None
    if "public" in words and owner is not None and within is not None and "public" not in within.modifiers.words:
        message = f"'{decl.name}' cannot have a higher visibility than '{owner.name}'."
        ctx.error("E30601", decl.at, message, len(decl.name))
