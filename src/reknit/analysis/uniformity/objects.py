"""Memory of each lane that can be followed by name: a function's own variables, what pointer parameters point to, and
private variables of the module.

    %v = Variable Function          Load, Store, chains, and calls whose parameter can be followed in turn: an object
    call f(%v)                      f's parameter is an object in f, and whether f stores there is known here
    %w = Select %c, %v, %u          %v and %u aren't: what is done through %w isn't seen

`promote-variables` leaves few of them: those with parts, those that are handed on, and private ones. Objects of one
function don't alias: memory object declarations are assumed not to (SPIR-V 1.6, 2.18.2), and what one call is given
twice, or given and accessed by its name besides, is no object at all.
"""

from typing import ClassVar, Final, final

from reknit.analysis.callgraph import CallGraph, callees_first, dynamically_called
from reknit.analysis.decorations import Decorations
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import enums, op, traits
from reknit.ir.debug import is_debug
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.ir.walk import instruction_list
from reknit.source.meter import spend

CHAINS: Final = traits.OBJECT_CHAIN | {op.CopyObject}

_UNFOLLOWED: Final = (
    enums.DecorationAliased,
    enums.DecorationAliasedPointer,
    enums.DecorationVolatile,
    enums.DecorationLinkageAttributes,
)
_OWN: Final = (enums.StorageClassFunction, enums.StorageClassPrivate)


@final
class Objects(ModuleAnalysis):
    """By function: `own` are its variables and parameters that are objects, `touched` the private ones that it or its
    callees access, `written` what a call to it may store: parameters of it, and private variables."""

    name: ClassVar[str] = "objects"

    def __init__(self) -> None:
        self.own: dict[Function, dict[Value, None]] = {}
        self.touched: dict[Function, dict[Value, None]] = {}
        self.written: dict[Function, dict[Value, None]] = {}

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Objects":
        return _Search(module, analyses).objects

    def same_as(self, other: ModuleAnalysis) -> bool:
        return (
            isinstance(other, Objects)
            and self.own == other.own
            and self.touched == other.touched
            and self.written == other.written
        )


def root_of(pointer: Value) -> Value:
    """What a pointer is made of by chains: a variable or a parameter, if all of it is seen."""
    current = pointer
    while isinstance(current, Instr) and current.op in CHAINS:
        current = current.value(0)
    return current


def is_volatile(access: Instr, first: int) -> bool:
    """Whether a load or store, whose memory operands begin at operand `first`, says so."""
    return len(access.operands) > first and bool(access.word(first) & enums.MemoryAccessVolatile)


@final
class _Search:
    __slots__ = ("module", "decorations", "objects", "unknown", "private", "order")

    def __init__(self, module: Module, analyses: Analyses) -> None:
        self.module = module
        self.decorations = analyses.of_module(Decorations)
        self.objects = Objects()
        graph = analyses.of_module(CallGraph)
        self.order, recursive = callees_first(graph)
        self.unknown: dict[Function, None] = {**recursive, **dynamically_called(module)}  # entered by more than calls
        self.private: dict[Value, None] = {}
        for variable in module.globals:
            if variable.op == op.Variable and variable.operands[0] == enums.StorageClassPrivate:
                self.private[variable] = None
        self._touch(graph)
        for function in self.order:
            self._look_at(function)
        for private in list(self.private):
            if not self._is_followed(private):
                del self.private[private]
        for touched in self.objects.touched.values():
            for private in list(touched):
                if private not in self.private:
                    del touched[private]
        for function in self.order:
            self._note_writes(function)

    def _touch(self, graph: CallGraph) -> None:
        """Private variables by function, as far as their uses tell; none of those that unknown callers may touch."""
        touched = self.objects.touched
        for function in self.order:
            touched[function] = {}
            if self.private:
                for instr in instruction_list(function):
                    for operand in instr.operands:
                        if isinstance(operand, Instr) and operand in self.private:
                            touched[function][operand] = None
            for callee in graph.callees[function]:
                touched[function].update(touched.get(callee, {}))
        for function in self.unknown:
            for reached in graph.reachable(function):
                for variable in touched[reached]:
                    self.private.pop(variable, None)

    def _look_at(self, function: Function) -> None:
        own: dict[Value, None] = {}
        self.objects.own[function] = own
        if function.is_declaration():
            return
        candidates = [instr for instr in function.entry() if instr.op == op.Variable]
        if function not in self.unknown:
            candidates += function.params
        for candidate in candidates:
            type = candidate.type
            if type is None or type.op != op.TypePointer or storage_of(type) not in _OWN:
                continue
            if self._is_followed(candidate):
                own[candidate] = None

    def _is_followed(self, root: Value) -> bool:
        """Whether nothing is done to an object that isn't seen."""
        if any(decoration in _UNFOLLOWED for decoration in self.decorations.of(root)):
            return False
        work: list[Value] = [root]
        given: dict[Value, None] = {}  # calls
        while work:
            spend(1)
            pointer = work.pop()
            for user, count in pointer.users.items():
                if not isinstance(user, Instr):
                    return False
                code = user.op
                if code == op.Load:
                    if is_volatile(user, 1):
                        return False
                elif code == op.Store:
                    if user.operands[1] is pointer or is_volatile(user, 2):
                        return False
                elif code in CHAINS:
                    work.append(user)
                elif code == op.FunctionCall:
                    if count > 1 or user in given or not self._may_be_given(user, pointer, root):
                        return False
                    given[user] = None
                elif code != op.EntryPoint and code not in traits.KEEPS_MEMORY and not is_debug(user):
                    return False
        return True

    def _may_be_given(self, call: Instr, pointer: Value, root: Value) -> bool:
        """Whether a call only does through `pointer` what can be followed there."""
        callee = call.operands[0]
        if not isinstance(callee, Function) or root in self.objects.touched[callee]:
            return False
        own = self.objects.own.get(callee)
        if own is None:
            return False
        for index, parameter in enumerate(callee.params):
            if call.operands[index + 1] is pointer:
                return parameter in own
        return False

    def _note_writes(self, function: Function) -> None:
        written: dict[Value, None] = {}
        self.objects.written[function] = written
        own = self.objects.own[function]
        private = self.private
        for instr in instruction_list(function):
            if instr.op == op.Store:
                root = root_of(instr.value(0))
                if root in private or (root in own and isinstance(root, Instr) and root.op == op.FunctionParameter):
                    written[root] = None
            elif instr.op == op.FunctionCall:
                callee = instr.operands[0]
                if not isinstance(callee, Function):
                    continue
                beyond = self.objects.written.get(callee)
                if not beyond:
                    continue
                for index, parameter in enumerate(callee.params):
                    if parameter in beyond:
                        root = root_of(instr.value(index + 1))
                        if root in private or (isinstance(root, Instr) and root.op == op.FunctionParameter):
                            written[root] = None
                for variable in beyond:
                    if variable in private:
                        written[variable] = None
