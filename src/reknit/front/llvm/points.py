"""Which objects a pointer may lead into, asked of all routines before anything is lowered.

    %p = select i1 %c, ptr %a, ptr @g      %p: {a, g}
    store ptr %p, ptr %q                   the contents of each object of %q: more {a, g}
    %r = load ptr, ptr %q                  %r: the contents of each object of %q

Sets grow until nothing changes (Andersen's analysis; an object's contents are one set, whatever the place in it). An
integer that is made from a pointer, or loaded where pointers lie, has a set, too. NULL is in the set of what may be
null: of what a constant says so, and of what is loaded from memory that holds other things than pointers.
"""

from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.memory import Root
from reknit.front.llvm.syntax import Operand, Program, Routine, Statement, Type
from reknit.source.meter import spend

NULL: Final = Root("null", 0, 0)
COPIES: Final = ("llvm.memcpy", "llvm.memmove")
FILLS: Final = ("llvm.memset",)

Node = tuple[str, str] | Root
"""A local of a routine, or the contents of an object."""

_THROUGH: Final = (
    "phi", "freeze", "bitcast", "addrspacecast", "ptrtoint", "inttoptr", "zext", "sext", "trunc", "extractvalue",
    "insertvalue", "extractelement", "insertelement", "shufflevector", "add", "sub", "and", "or", "xor", "shl", "lshr",
)  # fmt: skip
TO_SPACE: Final = ("__to_global", "__to_local", "__to_private")
"""The pointer that is given, or null (OpenCL C 3.0, 6.15.13)."""
_GIVEN_BACK: Final = (
    "llvm.ptrmask", "llvm.launder.invariant.group", "llvm.strip.invariant.group", "llvm.expect", "llvm.ssa.copy",
)  # fmt: skip


def holds_pointers(type: Type) -> bool:
    """Costs the size of the type's text."""
    work = [type]
    seen: dict[Type, None] = {}
    while work:
        at = work.pop()
        if at.kind == syntax.PTR:
            return True
        if at not in seen:
            seen[at] = None
            work.extend(at.parts)
    return False


@final
class Points:
    __slots__ = ("sets", "edges", "loads", "stores", "work", "numbers", "program", "globals", "plain", "temporaries")

    def __init__(self, program: Program, globals: dict[str, Root]) -> None:
        self.program = program
        self.globals = globals
        self.sets: dict[Node, dict[Root, None]] = {}
        self.edges: dict[Node, dict[Node, None]] = {}
        self.loads: dict[Node, list[Node]] = {}  # by what is loaded through: results
        self.stores: dict[Node, list[Node]] = {}  # by what is stored through: what is stored
        self.plain: dict[Node, None] = {}  # numbers, which are never null pointers
        self.work: list[tuple[Node, Root]] = []
        self.numbers: dict[Root, int] = {}
        self.temporaries = 0

    def number(self, root: Root) -> int:
        """What `root` is called in pointers that are values; 0 is no object."""
        return 0 if root is NULL else self.numbers.setdefault(root, len(self.numbers) + 1)

    def of(self, routine: str, operand: Operand) -> list[Root]:
        node, roots = self._term(routine, operand)
        return [*roots, *(self.sets.get(node, {}) if node is not None else {})]

    def of_local(self, routine: str, name: str) -> list[Root]:
        return [*self.sets.get((routine, name), {})]

    # --- constraints --------------------------------------------------------------------------------------------------

    def read(self, routine: Routine, allocas: dict[Statement, Root], arguments: dict[tuple[str, str], Root]) -> None:
        """What the statements of a routine say. `solve` is called after the last."""
        for name, _ in routine.parameters:
            root = arguments.get((routine.name, name))
            if root is not None:
                self._add((routine.name, name), root)
                self._add(root, NULL)
        for chunk in routine.chunks:
            for statement in chunk.statements:
                spend(1)
                self._statement(routine.name, statement, allocas)

    def read_globals(self) -> None:
        for name, root in self.globals.items():
            initial = self.program.globals[name].initial
            if initial is not None and initial.kind != syntax.UNDEF:
                self._add(root, NULL)
                for other in self._term("", initial)[1]:
                    self._add(root, other)

    def _statement(self, routine: str, statement: Statement, allocas: dict[Statement, Root]) -> None:
        word = statement.op
        result: Node = (routine, statement.name)
        if statement.name and not holds_pointers(statement.type):
            self.plain[result] = None
        if word == "alloca":
            root = allocas.get(statement)
            if root is not None:
                self._add(result, root)
        elif word == "getelementptr":
            self._flow(routine, statement.operands[:1], result)
        elif word == "select":
            self._flow(routine, statement.operands[1:], result)
        elif word in _THROUGH:
            self._flow(routine, statement.operands, result)
            if word == "inttoptr":
                self._add(result, NULL)
        elif word == "load":
            self._load(routine, statement.operands[0], result)
        elif word == "store":
            self._store(routine, statement.operands[1], statement.operands[0])
        elif word in ("atomicrmw", "cmpxchg"):
            self._load(routine, statement.operands[0], result)
            self._store(routine, statement.operands[0], statement.operands[-1])
        elif word == "call":
            given = allocas.get(statement)
            if given is not None:
                self._add(result, given)
                self._add(given, NULL)
            self._call(routine, statement, result)

    def _call(self, routine: str, statement: Statement, result: Node) -> None:
        callee = statement.callee
        if callee.startswith(COPIES):
            self.temporaries += 1
            between: Node = ("", str(self.temporaries))
            self._load(routine, statement.operands[1], between)
            node, roots = self._term(routine, statement.operands[0])
            self._stored(node, roots, between)
        elif callee.startswith(FILLS):
            node, roots = self._term(routine, statement.operands[0])
            self._stored(node, roots, NULL)
        elif callee.startswith(_GIVEN_BACK):
            self._flow(routine, statement.operands[:1], result)
        elif callee in TO_SPACE:
            self._flow(routine, statement.operands[:1], result)
            self._add(result, NULL)

    def _flow(self, routine: str, operands: list[Operand], result: Node) -> None:
        for operand in operands:
            node, roots = self._term(routine, operand)
            for root in roots:
                self._add(result, root)
            if node is not None:
                self._edge(node, result)

    def _load(self, routine: str, place: Operand, result: Node) -> None:
        node, roots = self._term(routine, place)
        for root in roots:
            self._edge(root, result)
        if node is not None:
            self.loads.setdefault(node, []).append(result)
            for root in self.sets.get(node, {}):
                self._edge(root, result)

    def _store(self, routine: str, place: Operand, value: Operand) -> None:
        at, places = self._term(routine, place)
        node, roots = self._term(routine, value)
        if node is not None:
            self._stored(at, places, node)
        if not holds_pointers(value.type):
            roots = [*roots, NULL]
        for root in roots:
            self.temporaries += 1
            constant: Node = ("", str(self.temporaries))
            self._add(constant, root)
            self._stored(at, places, constant)

    def _stored(self, at: Node | None, places: list[Root], value: Node) -> None:
        for root in places:
            self._into(root, value)
        if at is not None:
            self.stores.setdefault(at, []).append(value)
            for root in self.sets.get(at, {}):
                self._into(root, value)

    def _into(self, root: Root, value: Node) -> None:
        if value is NULL:
            self._add(root, NULL)
        else:
            self._edge(value, root)

    def _term(self, routine: str, operand: Operand) -> tuple[Node | None, list[Root]]:
        """The local that an operand is, and the objects that a constant leads to."""
        if operand.kind == syntax.LOCAL:
            return (routine, operand.text), []
        roots: list[Root] = []
        work = [operand]
        while work:
            at = work.pop()
            if at.kind == syntax.GLOBAL:
                root = self.globals.get(at.text)
                if root is not None:
                    roots.append(root)
            elif at.kind == syntax.ZERO and holds_pointers(at.type):
                roots.append(NULL)
            elif at.kind == syntax.EXPRESSION and at.text == "getelementptr":
                work.append(at.parts[0])
            elif at.kind in (syntax.EXPRESSION, syntax.LIST):
                work.extend(at.parts)
        return None, list(dict.fromkeys(roots))

    # --- solution -----------------------------------------------------------------------------------------------------

    def _add(self, node: Node, root: Root) -> None:
        if node is NULL or (root is NULL and node in self.plain):
            return
        known = self.sets.setdefault(node, {})
        if root not in known:
            known[root] = None
            self.work.append((node, root))

    def _edge(self, source: Node, target: Node) -> None:
        if source is NULL or target is NULL:
            return
        targets = self.edges.setdefault(source, {})
        if target not in targets:
            targets[target] = None
            for root in self.sets.get(source, {}):
                self._add(target, root)

    def solve(self) -> None:
        while self.work:
            spend(1)
            node, root = self.work.pop()
            for target in self.edges.get(node, {}):
                self._add(target, root)
            if root is not NULL:
                for result in self.loads.get(node, ()):
                    self._edge(root, result)
                for value in self.stores.get(node, ()):
                    self._into(root, value)
