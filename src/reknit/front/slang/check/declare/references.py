"""`ref` accessors of what holds a value of an interface: E52012, where the accessor stands, used or not.

property IFoo val { get { return f; } ref { return f; } }
                                      ^^^
"""

from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import FunctionEntry
from reknit.front.slang.check.declare.defaults import fields_of
from reknit.front.slang.dynamic import holds_interface


def check_reference(ctx: Context, entry: FunctionEntry) -> None:
    if entry.property is None or entry.decl.kind != "ref":
        return
    type = ctx.signatures.function(entry).result
    if holds_interface(type, lambda struct: fields_of(ctx, struct)):
        message = (
            f"'ref' accessor returning type '{type}' is incompatible with dynamic dispatch because interface types "
            "require AnyValue marshalling."
        )
        ctx.error("E52012", entry.decl.at, message, len("ref"))
