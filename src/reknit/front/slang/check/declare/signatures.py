"""Functions' types and variables' types, finished when they are first asked for.

[mutating] int f<T>(inout T x, int n = 1)    Function: environment [T], this inout, params [x inout T, n int = 1]
static const int N = 4 * M;                  Variable "constant" with its value
"""

from typing import Final, final

from reknit.front.slang import hir, syntax
from reknit.front.slang.builtins.images import FORMATS
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, FunctionEntry, PropertyEntry, Scope, VariableEntry
from reknit.front.slang.check.declare.defaults import default_value
from reknit.front.slang.check.declare.varyings import varying_of
from reknit.front.slang.check.expressions.constants import generic_value
from reknit.front.slang.check.expressions.convert import convert
from reknit.front.slang.check.expressions.packs import spread
from reknit.front.slang.check.generics import generics
from reknit.front.slang.check.statements.locals import initialized
from reknit.front.slang.check.templates.bind import depth_of
from reknit.front.slang.check.types.lazy_types import outer_ready
from reknit.front.slang.check.types.members import container_type, find
from reknit.front.slang.check.types.type_names import as_type
from reknit.front.slang.symbols import SPECIALIZED, Function, Requirement, Variable
from reknit.front.slang.types import (
    ERROR,
    VOID,
    ConstType,
    ErrorType,
    OptionalType,
    PointerType,
    ResourceType,
    Type,
    same,
)
from reknit.source.diagnostic import InternalError
from reknit.source.digits import is_decimal

_FORMAT: Final = ("format", "vk::image_format")


@final
class Signatures:
    __slots__ = ("ctx",)

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def function(self, entry: FunctionEntry) -> Function:
        ctx = self.ctx
        if entry.function is not None:
            return entry.function
        decl = entry.decl
        outer_ready(ctx, entry.scope)
        depth, ctx.template_depth = ctx.template_depth, depth_of(entry)
        container = entry.container
        if container is not None and container.kind != "namespace":
            ctx.lazy.environment(container)
        inner = Scope(entry.scope)
        entry.inner = inner
        function = Function(entry.name, ctx.number(), decl.at, _path(entry), inner.environment)
        entry.function = function
        function.environment = generics.declare(ctx, _generics(entry), inner, entry.length)
        if container is not None and container.kind not in ("namespace", "cbuffer"):
            _member(ctx, entry, function, container)
        _result(ctx, entry, function, container)
        function.params = parameters(ctx, entry, inner)
        if decl.modifiers.throws is not None:
            function.thrown = _thrown(ctx, inner, decl.modifiers.throws)
        if entry.requirement is not None:
            entry.requirement.function = function
        if entry.length < 0 and entry.made_of is None:
            _defaults(ctx, inner, entry, function.params, 0)
        ctx.template_depth = depth
        return function

    def defaults(self, entry: FunctionEntry, first: int) -> None:
        """Those of a template's instance, from the parameter on that a call has no argument for: what it doesn't need
        may be of another type."""
        _defaults(self.ctx, entry.inner, entry, self.function(entry).params, first)

    def accessor(self, entry: PropertyEntry) -> Function | None:
        for accessor in entry.accessors():
            return self.function(accessor)
        return None

    def variable(self, entry: VariableEntry) -> Variable:
        """A global or a static member or local."""
        ctx = self.ctx
        if entry.variable is not None:
            if entry.busy and (entry.variable.kind == "constant" or isinstance(entry.variable.type, ErrorType)):
                what = f"the initial-value expression for variable '{entry.name}'"
                ctx.error("E39999", entry.at, f"{what} depends on the value of the variable itself")
                return Variable(entry.name, ctx.number(), entry.at, "local", ERROR)
            return entry.variable
        decl, scope = entry.decl, entry.scope
        if decl is None or scope is None:
            return Variable(entry.name, ctx.number(), entry.at, "local", ERROR)
        outer_ready(ctx, scope)
        kind = _kind(ctx, decl)
        variable = Variable(entry.name, ctx.number(), entry.at, kind, ERROR)
        if entry.container is not None and entry.container.path:
            variable.path = f"{entry.container.path}::{entry.name}"
        entry.variable = variable
        entry.busy = True
        at = entry.container.inner if entry.container is not None and entry.container.kind != "namespace" else scope
        variable.generics = list(at.environment.params)
        type = None if decl.type is None else ctx.types.type_of(at, decl.type)
        if type is not None:
            variable.type = type
        value = None if decl.init is None or kind == "uniform" else ctx.expressions.value_or_list(at, decl.init)
        if kind in ("uniform", "groupshared") and value is None:
            if type is None:
                variable.type = initialized(ctx, decl, None, None)[0]
        else:
            variable.type, init = initialized(ctx, decl, type, value)
            variable.init = None if isinstance(init, hir.Undefined) else init
        variable.mutable = kind in ("static", "groupshared")
        entry.busy = False
        entry.done = True
        _constant(ctx, entry, variable)
        _binding(ctx, scope, decl.modifiers, variable)
        if variable.kind == "constant" and any(name in variable.attributes for name in SPECIALIZED):
            variable.kind = "specialized"
        return variable

    def bind(self, container: Container) -> None:
        """A `cbuffer`, or a block of GLSL, where it asks to be."""
        if container.variable is not None and isinstance(container.decl, syntax.AggregateDecl):
            _binding(self.ctx, container.scope, container.decl.modifiers, container.variable)

    def declare_global(self, entry: VariableEntry) -> None:
        """A global or static member is the program's; a requirement gets its type."""
        if entry.requirement is not None:
            self.constant_requirement(entry)
            return
        variable = self.variable(entry)
        globals = self.ctx.program.globals
        if variable not in globals:
            globals.append(variable)

    def constant_requirement(self, entry: VariableEntry) -> Requirement:
        """A `static const` of an interface: its type."""
        ctx = self.ctx
        requirement = entry.requirement
        if requirement is None or entry.decl is None or entry.container is None:
            raise InternalError(f"{entry.name} is no requirement")
        if not entry.done:
            entry.done = True
            ctx.lazy.environment(entry.container)
            if entry.decl.type is not None:
                requirement.type = ctx.types.type_of(entry.container.inner, entry.decl.type)
        return requirement


def _generics(entry: FunctionEntry) -> syntax.Generics | None:
    return entry.decl.generics if entry.property is None else entry.property.decl.generics


def _path(entry: FunctionEntry) -> str:
    container = entry.container
    if container is None or not container.path:
        return entry.name
    return f"{container.path}::{entry.name}" if container.kind == "namespace" else f"{container.path}.{entry.name}"


def _member(ctx: Context, entry: FunctionEntry, function: Function, container: Container) -> None:
    function.owner = container_type(container)
    if entry.decl.kind == "init" or entry.is_static() or entry.decl.kind == "operator" and _is_free_operator(entry):
        return
    function.mutating = is_mutating(entry)
    this = Variable("this", ctx.number(), entry.at, "this", function.owner, "inout" if function.mutating else "in")
    this.mutable = function.mutating
    this.referred = entry.decl.modifiers.attribute("constref") is not None
    function.this = this


def _is_free_operator(entry: FunctionEntry) -> bool:
    return "static" in entry.decl.modifiers.words


def is_mutating(entry: FunctionEntry) -> bool:
    """[mutating], and `set` and `ref` accessors without [nonmutating]."""
    modifiers = entry.decl.modifiers
    if entry.decl.kind in ("set", "ref"):
        return modifiers.attribute("nonmutating") is None
    return modifiers.attribute("mutating") is not None


def _result(ctx: Context, entry: FunctionEntry, function: Function, container: Container | None) -> None:
    decl = entry.decl
    if decl.kind == "init":
        function.result = container_type(container) if container is not None else ERROR
    elif entry.property is not None:
        function.result = VOID if decl.kind == "set" else ctx.types.type_of(entry.inner, entry.property.decl.type)
    elif decl.result is not None:
        referred = _referred(ctx, entry.inner, decl.result)
        function.reference = referred is not None
        function.result = ctx.types.type_of(entry.inner, decl.result if referred is None else referred)
        if function.reference:
            function.result = PointerType(function.result)


def _referred(ctx: Context, scope: Scope, written: syntax.Expr) -> syntax.Expr | None:
    """T of a result `Ref<T>`, unless the program has a Ref of its own."""
    if not isinstance(written, syntax.Apply) or not isinstance(written.base, syntax.Name):
        return None
    if written.base.text != "Ref" or len(written.arguments) != 1 or find(ctx, scope, "Ref")[0]:
        return None
    return written.arguments[0]


def parameters(ctx: Context, entry: FunctionEntry, inner: Scope) -> list[Variable]:
    property = entry.property
    variables: list[Variable] = []
    if property is not None and property.decl.params is not None:
        variables = [parameter(ctx, inner, decl) for decl in property.decl.params]
    if property is None or entry.decl.kind != "set":
        return variables + _with_packs(ctx, entry, inner, len(variables))
    type = ctx.types.type_of(inner, property.decl.type)
    variables += [parameter(ctx, inner, decl, type) for decl in entry.decl.params]
    if not entry.decl.params:
        variables.append(Variable("newValue", ctx.number(), entry.at, "param", type))
    return variables


def _with_packs(ctx: Context, entry: FunctionEntry, inner: Scope, before: int) -> list[Variable]:
    """The written parameters, behind so many others: one of a pack's type is as many as the pack has elements."""
    if not ctx.has_packs:
        return [parameter(ctx, inner, decl) for decl in entry.decl.params]
    variables: list[Variable] = []
    for index, decl in enumerate(entry.decl.params):
        if decl.init is not None and entry.length >= 0:
            ctx.unsupported(decl.init.at, "a default value of a function with a parameter pack")
        types = None if decl.type is None else spread(ctx, inner, decl.type)
        if types is None:
            variables.append(parameter(ctx, inner, decl))
        else:
            first = before + len(variables)
            if _direction(decl.modifiers.words) not in ("in", "constref"):
                ctx.unsupported(decl.at, f"a parameter pack that is written to (`{decl.name}`)")
            untyped = syntax.VarDecl(decl.at, decl.name, decl.modifiers, None, None)
            variables += [parameter(ctx, inner, untyped, as_type(ctx, type)) for type in types]
            entry.packs[index] = (first, before + len(variables))
    return variables


def _thrown(ctx: Context, inner: Scope, written: syntax.Expr) -> Variable:
    type = ctx.types.type_of(inner, written)
    return Variable("thrown", ctx.number(), written.at, "param", OptionalType(type), "out")


def parameter(ctx: Context, inner: Scope, decl: syntax.VarDecl, type: Type = ERROR) -> Variable:
    """`type` is for one without a type: a setter's has the property's."""
    if decl.type is not None:
        type = ctx.types.type_of(inner, decl.type)
    elif isinstance(type, ErrorType):
        message = "a parameter declaration without an initial-value expression must be given an explicit type"
        ctx.error("E30621", decl.at, message)
    if same(type, VOID):
        ctx.error("E30009", decl.at, "invalid type 'void'.")
        type = ERROR
    words = decl.modifiers.words
    variable = Variable(decl.name, ctx.number(), decl.at, "param", type, _direction(words))
    variable.semantic = decl.modifiers.semantic.upper()
    variable.varying = varying_of(decl.modifiers)
    variable.mutable = "const" not in words and variable.direction != "constref" and not _opaque(type)
    if variable.direction in ("out", "inout", "ref"):
        variable.mutable = True
    variable.precise = "precise" in words
    for attribute in decl.modifiers.attributes:
        if attribute.name.lower() in _FORMAT:
            _format(ctx, attribute, variable)
    return variable


def _opaque(type: Type) -> bool:
    return isinstance(type, ResourceType) and type.kind in ("ConstantBuffer", "ParameterBlock")


def _direction(words: dict[str, int]) -> str:
    if "inout" in words or ("in" in words and "out" in words):
        return "inout"
    if "out" in words:
        return "out"
    if "__constref" in words or "constref" in words:
        return "constref"
    if "__ref" in words or "ref" in words:
        return "ref"
    return "in"


def _defaults(ctx: Context, inner: Scope, entry: FunctionEntry, params: list[Variable], from_: int) -> None:
    """Those that aren't known, from a parameter on. One behind a pack is as far behind as the pack is long."""
    written = entry.decl.params
    longer = sum(end - first - 1 for first, end in entry.packs.values())
    offset = max(len(params) - len(written) - longer, 0)
    for index, decl in enumerate(written):
        if index in entry.packs:
            first, end = entry.packs[index]
            offset += end - first - 1
        if decl.init is None or index < from_:
            continue
        if index in entry.packs:
            ctx.unsupported(decl.init.at, f"a default value of a parameter pack (`{decl.name}`)")
            continue
        param = params[index + offset]
        if param.init is not None:
            continue
        if param.direction in ("out", "inout"):
            ctx.error("E30700", decl.init.at, "an 'out' or 'inout' parameter cannot have a default-value expression")
            continue
        param.init = convert(ctx, ctx.expressions.value_or_list(inner, decl.init), param.type)


# ---- variables


def _kind(ctx: Context, decl: syntax.VarDecl) -> str:
    words = decl.modifiers.words
    if "groupshared" in words or (ctx.glsl and "shared" in words):
        return "groupshared"
    if "static" in words:
        return "constant" if "const" in words or "let" in words or "constexpr" in words else "static"
    if "extern" in words and "const" in words:
        return "constant"
    if decl.init is not None and ("const" in words or "let" in words or "constexpr" in words):
        return "constant"
    if decl.type is None:
        return "static"
    return "uniform"


def _constant(ctx: Context, entry: VariableEntry, variable: Variable) -> None:
    has_none = variable.init is None and (entry.decl is None or entry.decl.init is None)
    if variable.kind == "constant" and has_none and not isinstance(variable.type, ErrorType):
        words = entry.decl.modifiers.words if entry.decl is not None else {}
        if ctx.hlsl and "extern" not in words:
            variable.init = default_value(ctx, variable.type, entry.at)  # as of any static variable
        elif "extern" not in words:
            message = f"static const variable '{entry.name}' must have an initializer"
            ctx.error("E31225", entry.at, message, len(entry.name))


def _binding(ctx: Context, scope: Scope, modifiers: syntax.Modifiers, variable: Variable) -> None:
    variable.coherent = modifiers.is_coherent()
    for attribute in modifiers.attributes:
        if attribute.name.lower() in _FORMAT:
            _format(ctx, attribute, variable)
            continue
        if attribute.name.removeprefix("layout.") in FORMATS and ctx.glsl:
            variable.format = attribute.name.removeprefix("layout.")
            continue
        values: list[object] = []
        for written in attribute.arguments:
            number = generic_value(ctx.expressions.expression(scope, written))
            values.append(number.value if isinstance(number, ConstType) else None)
        variable.attributes[attribute.name.lower()] = values
        if attribute.name.lower() in ("vk::binding", "vk_binding", "gl::binding"):
            numbers = [value for value in values if isinstance(value, int)]
            variable.binding = numbers[0] if numbers else -1
            variable.set = numbers[1] if len(numbers) > 1 else 0
    for register in modifiers.registers:
        if register.kind == "register" and variable.binding < 0:
            read_register(variable, register.arguments)


def _format(ctx: Context, attribute: syntax.Attribute, variable: Variable) -> None:
    named = attribute.arguments[0] if attribute.arguments else None
    if not isinstance(named, syntax.StringLiteral):
        ctx.error("E33071", attribute.at if named is None else named.at, "expected a string literal")
    elif named.value not in FORMATS:
        ctx.error("E31101", named.at + len(named.value) + 2, f"unknown image format '{named.value}'")
    else:
        variable.format = named.value


def read_register(variable: Variable, words: list[str]) -> None:
    """`u3, space1`: binding 3 of set 1."""
    for word in words:
        if word.startswith("space") and is_decimal(word[5:]):
            variable.set = int(word[5:])
        elif word[:1] in ("b", "t", "u", "s") and is_decimal(word[1:]):
            variable.binding = int(word[1:])
