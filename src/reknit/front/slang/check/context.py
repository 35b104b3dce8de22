"""What all parts of the checker share: where errors go, numbers, what was declared, and each other.

    scope of the file --declare--> entries --ready--> symbols --bodies--> hir

`Context` names what the parts ask of each other; `Checker` in program.py answers.
"""

from typing import Final, final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.declare.declarations import (
    AliasEntry,
    AssocEntry,
    Container,
    FieldEntry,
    FunctionEntry,
    PropertyEntry,
    Scope,
    VariableEntry,
)
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr
from reknit.front.slang.conformances import Evidence
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import (
    Environment,
    Field,
    Function,
    GenericParam,
    Interface,
    Program,
    Requirement,
    Variable,
)
from reknit.front.slang.types import AssocType, InterfaceType, OpenedType, StructType, ThisType, Type
from reknit.source.diagnostic import InternalError

UNSUPPORTED: Final = "RK0910"


@final
class Options:
    """`entries` are the names of entry points that aren't marked with [shader] ("computeMain"), all of `stage`.
    `conformances` are those that are to be linked, as "A:IFoo" or "A:IFoo=3". `version` is the language's year."""

    __slots__ = ("entries", "stage", "conformances", "version")

    def __init__(
        self,
        entries: list[str] | None = None,
        stage: str = "compute",
        conformances: list[str] | None = None,
        version: int = 2025,
    ) -> None:
        self.entries: list[str] = entries if entries is not None else []
        self.stage = stage
        self.conformances: list[str] = conformances if conformances is not None else []
        self.version = version


class Context:
    """State, and the questions that cross the parts."""

    def __init__(self, sources: Sources, reports: Reports, options: Options, evidence: Evidence) -> None:
        self.sources = sources
        self.reports = reports
        self.options = options
        self.evidence = evidence
        self.program = Program()
        self.root = Scope(None)
        self.containers: dict[int, Container] = {}  # by the number of their Struct, Interface or Enum
        self.extensions: list[Container] = []
        self.all: list[Container] = []
        self.declared_in: dict[int, Container] = {}  # by a conformance's number
        self.functions: list[FunctionEntry] = []  # all whose bodies are to be checked
        self.globals: list[VariableEntry] = []
        self.constants: list[VariableEntry] = []  # static members
        self.enums: list[tuple[Container, Scope, Container | None]] = []
        self.asserts: list[tuple[Scope, syntax.StaticAssert]] = []
        self.made: list[Function] = []  # those without syntax
        self.builtin_interfaces: dict[str, Interface] = {}
        self.defaults: dict[GenericParam, tuple[Scope, syntax.Expr]] = {}
        self.openings: dict[Variable, hir.Opening] = {}
        self.tried: list[hir.Try] = []  # all calls of functions that throw
        self.function_interfaces: dict[tuple[str, int], Container] = {}  # by name and number of parameters
        self.group_size: syntax.Attribute | None = None  # of entry points that don't say
        self.glsl = False  # whether GLSL's names and rules count
        self.hlsl = False
        self.column_major = False  # how matrices lie in memory that don't say it
        self.lambdas = 0  # how many there are so far
        self._number = 0

    def number(self) -> int:
        self._number += 1
        return self._number

    # ---- what is said

    def error(self, code: str, at: int, message: str, length: int = 1) -> None:
        self.reports.error(code, at, message, length=length)

    def unsupported(self, at: int, what: str) -> None:
        self.reports.error(UNSUPPORTED, at, f"not supported: {what}")

    # ---- expressions and types

    def expression(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        """Whatever is meant: a value, or one of `pseudo_expressions`."""
        raise NotImplementedError

    def value(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        """A value; anything else is an error."""
        raise NotImplementedError

    def initial(self, scope: Scope, written: syntax.Expr) -> hir.Expr:
        """A value that may still be an initializer list."""
        raise NotImplementedError

    def lambda_value(self, scope: Scope, written: syntax.Lambda) -> hir.Expr:
        raise NotImplementedError

    def type_of(self, scope: Scope, written: syntax.Expr) -> Type:
        raise NotImplementedError

    def argument_of(self, scope: Scope, written: syntax.Expr) -> Type:
        """A generic argument: a type or a constant."""
        raise NotImplementedError

    def constant(self, scope: Scope, written: syntax.Expr) -> Type:
        """A generic value: a ConstType, or what is computed of parameters."""
        raise NotImplementedError

    def check_later(self, environment: Environment, made: Substitution, at: int) -> None:
        """Check that generic arguments conform, once all bases are known."""
        raise NotImplementedError

    def list_fits(self, written: ListExpr, type: Type) -> bool:
        """Whether an initializer list may make a `type`."""
        raise NotImplementedError

    def from_list(self, written: ListExpr, type: Type) -> hir.Expr:
        raise NotImplementedError

    def opening(self, value: hir.Expr) -> hir.Opening:
        """The opening of an existential; always the same one of a variable."""
        if isinstance(value, hir.Place):
            have = self.openings.get(value.variable)
            if have is None:
                have = self._new_opening(value)
                self.openings[value.variable] = have
            return have
        return self._new_opening(value)

    def _new_opening(self, value: hir.Expr) -> hir.Opening:
        if not isinstance(value.type, InterfaceType):
            raise InternalError(f"{value.type} is opened and is no interface")
        return hir.Opening(self.number(), value, value.type)

    # ---- declarations, finished when they are asked for

    def declare_inside(self, scope: Scope, decl: syntax.Decl) -> None:
        """A type, an alias or the like inside a function."""
        raise NotImplementedError

    def environment(self, container: Container) -> Environment:
        """Also its `self_type`."""
        raise NotImplementedError

    def bases(self, container: Container) -> None:
        raise NotImplementedError

    def conform(self, container: Container, interface: InterfaceType, at: int) -> None:
        """Make a type that is checked already conform to one more interface."""
        raise NotImplementedError

    def fields(self, container: Container) -> list[FieldEntry]:
        """With their types, the base struct's "$base" not among them."""
        raise NotImplementedError

    def signature(self, entry: FunctionEntry) -> Function:
        raise NotImplementedError

    def field(self, entry: FieldEntry) -> Field:
        raise NotImplementedError

    def variable(self, entry: VariableEntry) -> Variable:
        raise NotImplementedError

    def constant_requirement(self, entry: VariableEntry) -> Requirement:
        raise NotImplementedError

    def alias(self, entry: AliasEntry) -> Type:
        """In terms of its own parameters."""
        raise NotImplementedError

    def associated(self, entry: AssocEntry) -> Requirement:
        raise NotImplementedError

    def accessor(self, entry: PropertyEntry) -> Function | None:
        """Any of the accessors, for the property's type."""
        raise NotImplementedError

    def default(self, container: Container) -> Function | None:
        """What makes a struct whose fields have defaults; None if none has."""
        raise NotImplementedError

    # ---- small answers

    def container_of(self, type: Type) -> Container | None:
        if isinstance(type, StructType):
            return self.containers.get(type.struct.number)
        if isinstance(type, (InterfaceType, ThisType)):
            return self.containers.get(type.interface.number)
        return None


@final
class CheckedEvidence(Evidence):
    """Finishes the bases of what it is asked about first."""

    __slots__ = ("context",)

    def __init__(self) -> None:
        super().__init__()
        self.context: Context | None = None

    def ready(self, type: Type) -> None:
        if self.context is None:
            return
        container = self.context.container_of(type)
        if container is not None:
            self.context.bases(container)
        elif isinstance(type, OpenedType):
            self.ready(type.opening.interface)
        elif isinstance(type, AssocType):
            owner = self.context.containers.get(type.requirement.interface.number)
            if owner is not None:
                for entry in owner.members.get(type.requirement.name, []):
                    if isinstance(entry, AssocEntry):
                        self.context.associated(entry)
