"""Bases of aggregates, and the conformances that they declare.

    struct S : Base, IFoo      the fields of Base come first; S conforms to IFoo
    enum E : uint              the type of its values
"""

from reknit.front.slang import syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container
from reknit.front.slang.symbols import Conformance, Field
from reknit.front.slang.types import ErrorType, InterfaceType, ScalarType, StructType, Type, same
from reknit.source.meter import spend


def add_base(ctx: Context, container: Container, written: syntax.Expr, index: int) -> None:
    """What stands at `index` in the list of bases."""
    type = ctx.types.type_of(container.inner, written)
    if isinstance(type, InterfaceType):
        if container.interface is not None:
            container.bases.append(type)
            container.interface.bases.append(type)
            if _inherits_itself(container, type):
                container.interface.bases.remove(type)
                ctx.error("E39999", container.at, f"cyclic reference in inheritance graph '{container.name}'")
        else:
            named = written.base if isinstance(written, syntax.Apply) else written
            ctx.lazy.conform(container, type, named.at)
    elif isinstance(type, StructType) and container.struct is not None and index == 0:
        _struct_base(ctx, container, type, written.at)
    elif isinstance(type, ScalarType) and container.enum is not None:
        container.enum.underlying = type
    elif not isinstance(type, ErrorType):
        if container.kind == "enum":
            message = "an enum type may only have a single tag type, and that type must be listed first"
            ctx.error("E30821", written.at, f"{message} in the list of bases")
            return
        code = {"interface": "E30810", "extension": "E30813"}.get(container.kind, "E30811")
        what = f"{container.kind} '{container.name}'"
        ctx.error(code, written.at, f"{what} cannot inherit from non-interface type '{type}'")


def _inherits_itself(container: Container, base: InterfaceType) -> bool:
    work = [base]
    seen: set[int] = set()
    while work:
        spend(1)
        now = work.pop()
        if now.interface is container.interface:
            return True
        if now.interface.number not in seen:
            seen.add(now.interface.number)
            work += now.interface.bases
    return False


def _struct_base(ctx: Context, container: Container, type: StructType, at: int) -> None:
    if container.struct is None:
        return
    now = ctx.containers.get(type.struct.number)
    while now is not None:
        if now is container:
            ctx.error("E39999", container.at, f"cyclic reference in inheritance graph '{container.name}'")
            return
        ctx.lazy.bases(now)
        now = ctx.containers.get(now.base.struct.number) if now.base is not None else None
    container.base = type
    container.struct.fields.insert(0, Field("$base", ctx.number(), at, type))


def declares(ctx: Context, subject: Type, interface: InterfaceType) -> bool:
    return any(
        same(have.subject, subject) and same(have.interface, interface)
        for have in ctx.evidence.of(subject, interface.interface)
    )


def add_conformance(ctx: Context, container: Container, interface: InterfaceType, at: int) -> None:
    conformance = Conformance(ctx.number(), at, container.self_type, interface, ctx.lazy.environment(container))
    conformance.completer = ctx.completer
    ctx.evidence.add(conformance)
    container.conformances.append(conformance)
    ctx.declared_in[conformance.number] = container
    if container.struct is not None:
        container.struct.conformances.append(conformance)
    elif container.enum is not None:
        container.enum.conformances.append(conformance)
    ctx.program.conformances.append(conformance)
