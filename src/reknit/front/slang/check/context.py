"""What all parts of the checker share: where errors go, numbers, what was declared, and each other.

    scope of the file --declare--> entries --ready--> symbols --bodies--> hir

What recurs from one part into another ("the type of this expression", "the bases of that struct") is a method of the
part, which `Context` has.
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.declare.declarations import (
    AssocEntry,
    Container,
    FunctionEntry,
    Overloads,
    Scope,
    VariableEntry,
)
from reknit.front.slang.conformances import Evidence
from reknit.front.slang.report import UNSUPPORTED, Reports
from reknit.front.slang.sources import Sources
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Completer, Environment, Function, GenericParam, Interface, Program, Variable
from reknit.front.slang.types import AssocType, InterfaceType, OpenedType, StructType, ThisType, Type
from reknit.source.diagnostic import InternalError

if TYPE_CHECKING:
    from reknit.front.slang.check.declare.bodies import Bodies
    from reknit.front.slang.check.declare.signatures import Signatures
    from reknit.front.slang.check.expressions.expressions import Expressions
    from reknit.front.slang.check.expressions.function_values import FunctionValues
    from reknit.front.slang.check.expressions.lambdas import Lambdas
    from reknit.front.slang.check.expressions.lists import Lists
    from reknit.front.slang.check.types.lazy_types import LazyTypes
    from reknit.front.slang.check.types.type_names import TypeNames



@final
class Options:
    """`entries` are the names of entry points that aren't marked with [shader] ("computeMain"), all of `stage`.
    `conformances` are those that are to be linked, as "A:IFoo" or "A:IFoo=3". `version` is the language's year.
    `msvc_bit_fields`: they are packed as Microsoft's compiler does it. `there_are` names the entry points that the
    source has, for a message."""

    __slots__ = ("entries", "stage", "conformances", "version", "msvc_bit_fields", "there_are")

    def __init__(
        self,
        entries: list[str] | None = None,
        stage: str = "compute",
        conformances: list[str] | None = None,
        version: int = 2025,
        msvc_bit_fields: bool = False,
    ) -> None:
        self.entries: list[str] = entries if entries is not None else []
        self.stage = stage
        self.conformances: list[str] = conformances if conformances is not None else []
        self.version = version
        self.msvc_bit_fields = msvc_bit_fields
        self.there_are = ""


@final
class Context:
    """State, and the parts that ask each other: `program` puts them in."""

    expressions: "Expressions"
    lists: "Lists"
    lambdas: "Lambdas"
    function_values: "FunctionValues"
    types: "TypeNames"
    lazy: "LazyTypes"
    signatures: "Signatures"
    bodies: "Bodies"
    completer: Completer

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
        self.interfaces: list[Container] = []
        self.declared_in: dict[int, Container] = {}  # by a conformance's number
        self.functions: list[FunctionEntry] = []  # all whose bodies are to be checked
        self.globals: list[VariableEntry] = []
        self.constants: list[VariableEntry] = []  # static members
        self.enums: list[tuple[Container, Scope, Container | None]] = []
        self.asserts: list[tuple[Scope, syntax.StaticAssert]] = []
        self.synthesized: list[Function] = []  # those without syntax
        self.builtin_interfaces: dict[str, Interface] = {}
        self.defaults: dict[GenericParam, tuple[Scope, syntax.Expr]] = {}
        self.openings: dict[Variable, hir.Opening] = {}
        self.variadic: list[FunctionEntry] = []  # instances whose bodies are to be checked
        self.templates: list[FunctionEntry] = []  # functions with packs
        self.variadic_extensions: list[Container] = []
        self.instances: list[Container] = []  # of types with packs, which are to be finished
        self.has_packs = False  # whether any are declared
        self.element = -1  # which element `each` means, inside an `expand`
        self.tried: list[hir.Try] = []  # all calls of functions that throw
        self.function_interfaces: dict[tuple[str, int], Container] = {}  # by name and number of parameters
        self.group_size: syntax.Attribute | None = None  # of entry points that don't say
        self.glsl = False  # whether GLSL's names and rules count
        self.hlsl = False
        self.column_major = False  # how matrices lie in memory that don't say it
        self.usings: list[tuple[Scope, syntax.ImportDecl]] = []  # of namespaces that were not declared yet
        self.all_declared = False
        self.headers_done = False  # all bases are known
        self.later: list[tuple[Environment, Substitution, int]] = []  # generic arguments that are checked then
        self.tested: list[hir.SameType] = []  # `T is IFoo` of the ifs around the statement that is checked
        self.inside = self.root  # the scope of the function whose body is checked
        self.checking = -1  # where the function is whose body is checked
        self.lambda_count = 0
        self.explicit: list[tuple[syntax.SpecializationDecl, Scope, Container | None]] = []  # and what they are in
        self.templates_made = 0  # instances of HLSL's templates
        self.template_depth = 0  # of the one that is looked into
        self.overloads: dict[int, Overloads] = {}  # by the identity of their items
        self._number = 0

    def number(self) -> int:
        self._number += 1
        return self._number

    # ---- what is said

    def error(self, code: str, at: int, message: str, length: int = 1) -> None:
        self.reports.error(code, at, message, length=length)

    def unsupported(self, at: int, what: str) -> None:
        self.reports.error(UNSUPPORTED, at, f"not supported: {what}")

    # ---- small answers

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
        self.context.lazy.extensions(type)
        container = self.context.container_of(type)
        if container is not None:
            self.context.lazy.bases(container)
        elif isinstance(type, OpenedType):
            self.ready(type.opening.interface)
        elif isinstance(type, AssocType):
            owner = self.context.containers.get(type.requirement.interface.number)
            if owner is not None:
                for entry in owner.members.get(type.requirement.name, []):
                    if isinstance(entry, AssocEntry):
                        self.context.lazy.associated(entry)
