"""The whole program: from its entry points, each function in each context that a call gives it.

    main() ── run({WA, WB}) ── A.foo(), B.foo()
         └─── run({WB}) ────── B.foo()

Callees are worked out before their callers go on, by an explicit stack. Variables of the module, and what is inside of
payloads, have one set for the whole program: where such a set grew, all is worked out again, up to MAX_ROUNDS times;
after that anything may be in them. A context that is needed while it is worked out is recursion.
"""

from typing import Final, final

from reknit.analysis.callgraph import exported_functions
from reknit.analysis.manager import Analyses
from reknit.analysis.typeflow.access_paths import is_public
from reknit.analysis.typeflow.calls import Solver
from reknit.analysis.typeflow.context import DONE, RUNNING, Context, Key
from reknit.analysis.typeflow.fixpoint import Frame
from reknit.analysis.typeflow.function_facts import Facts, ProgramFacts
from reknit.analysis.typeflow.lattice import EVERYTHING, NOTHING, OUTSIDE, UNSET, Form, Forms, Info, join
from reknit.analysis.typeflow.type_sets import Universe
from reknit.analysis.typeflow.unfollowed import refuse_unfollowed
from reknit.ir import op
from reknit.ir.any_value import interfaces_in
from reknit.ir.dispatch import conforming_type
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.nesting import refuse_deep_types
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.source.meter import spend

MAX_ROUNDS: Final = 8
MAX_DEPTH: Final = 512


@final
class TypeFlow:
    """`contexts` are those that the entry points lead to, callers first. `recursive` are calls that come back to a
    context they are in, `too_deep` those beyond MAX_DEPTH. `public` are types of which values may come from outside;
    `anything` is true where it was given up to tell what is in cells."""

    __slots__ = ("module", "forms", "facts", "contexts", "recursive", "too_deep", "cells", "public", "anything")

    def __init__(self, module: Module, forms: Forms, facts: ProgramFacts) -> None:
        self.module = module
        self.forms = forms
        self.facts = facts
        self.contexts: list[Context] = []
        self.recursive: dict[Instr, Function] = {}
        self.too_deep: dict[Instr, Function] = {}
        self.cells: dict[Value, Info] = {}
        self.public = public_types(self)
        self.anything = False

    def inside(self, form: Form) -> Info:
        """What values of a type have inside of them, where they are in an existential."""
        if self.anything:
            return self.forms.fill(form, EVERYTHING)
        known = self.cells.get(form.type)
        return join(self.forms.fill(form, OUTSIDE), known) if form.type in self.public else known


def type_flow(module: Module) -> TypeFlow:
    """What can come where in `module`. Near-linear in its instructions times the contexts of each function. Raises
    InputError for types that nest too deep (RK2624) and for pointers that aren't followed (RK2625)."""
    refuse_deep_types(module)
    forms = Forms(Universe(module))
    facts = ProgramFacts(module, forms, Analyses(module))
    refuse_unfollowed(module, forms, facts.interesting)
    flow = TypeFlow(module, forms, facts)
    cells: dict[Value, Info] = {}
    for attempt in range(MAX_ROUNDS + 1):
        flow.anything = attempt == MAX_ROUNDS
        solving = _Solving(flow, cells, flow.anything)
        roots = [solving.root(function) for function in root_functions(module) if function in facts.interesting]
        for root in roots:
            solving.finish(root)
        flow.contexts = reachable(roots)
        if not solving.grew:
            break
        flow.recursive.clear()
        flow.too_deep.clear()
    flow.cells = cells
    return flow


def root_functions(module: Module) -> list[Function]:
    """Where a program begins: entry points and what is exported; in a module without, what nothing calls."""
    roots: dict[Function, None] = {}
    for point in module.entry_points:
        function = point.operands[1]
        if isinstance(function, Function):
            roots[function] = None
    roots.update(exported_functions(module))
    if not roots:
        roots = {function: None for function in module.functions if not function.is_used()}
    return [function for function in roots if not function.is_declaration()]


def reachable(roots: list[Context]) -> list[Context]:
    contexts: dict[Context, None] = dict.fromkeys(roots)
    work = list(contexts)
    while work:
        spend(1)
        for callees in work.pop().calls.values():
            for callee in callees.values():
                if callee not in contexts:
                    contexts[callee] = None
                    work.append(callee)
    return list(contexts)


@final
class _Solving(Solver):
    """One round. `anything` gives up on cells."""

    def __init__(self, flow: TypeFlow, cells: dict[Value, Info], anything: bool) -> None:
        self.flow = flow
        self.cells = cells
        self.anything = anything
        self.grew = False
        self.known: dict[tuple[Function, Key], Context] = {}
        self.depth = 0

    def root(self, function: Function) -> Context:
        """A function that is called from outside: anything may be given to it."""
        key: list[object] = []
        forms = self.flow.forms
        for param in function.params:
            form = forms.of(param.type)
            inside = self.flow.facts.of(function).roots.get(param)
            wanted = form if form is not None else inside
            key.append(forms.fill(wanted, EVERYTHING) if wanted is not None else None)
        return self._context(function, tuple(key))

    def finish(self, root: Context) -> None:
        """Work out a context and all it needs."""
        if root.state == DONE:
            return
        stack = [Frame(self, self.flow.forms, root)]
        root.state = RUNNING
        while stack:
            spend(1)
            self.depth = len(stack)
            needed = stack[-1].advance()
            if needed is None:
                stack.pop().context.state = DONE
            else:
                needed.state = RUNNING
                stack.append(Frame(self, self.flow.forms, needed))

    def facts_of(self, function: Function) -> Facts:
        return self.flow.facts.of(function)

    def context_of(self, function: Function, key: Key, call: Instr) -> Context | None:
        if function not in self.flow.facts.interesting:
            return None
        context = self._context(function, key)
        if context.state == RUNNING:
            self.flow.recursive[call] = function
            return None
        if self.depth >= MAX_DEPTH and context.state != DONE:
            self.flow.too_deep[call] = function
            return None
        return context

    def _context(self, function: Function, key: Key) -> Context:
        context = self.known.get((function, key))
        if context is None:
            context = Context(function, key, len(self.known))
            self.known[function, key] = context
        return context

    # --- cells --------------------------------------------------------------------------------------------------------

    def cell(self, key: Value, form: Form) -> Info:
        forms = self.flow.forms
        is_type = isinstance(key, Instr) and key.type is None
        if self.anything:
            return forms.fill(form, EVERYTHING)
        known = self.cells.get(key)
        if key in self.flow.public:
            return join(forms.fill(form, OUTSIDE), known)
        if known is None:
            return forms.fill(form, NOTHING if is_type or key.is_used() else UNSET)
        return known

    def raise_cell(self, key: Value, form: Form, info: Info) -> None:
        old = self.cells.get(key)
        new = join(old, info)
        if new != old:
            self.cells[key] = new
            self.grew = True


def public_types(flow: TypeFlow) -> dict[Value, None]:
    """Types that conform to interfaces of which there are existentials in storage that others can reach, or made from
    ids, at any depth."""
    work: list[Instr] = []
    for variable in flow.module.globals:
        if variable.op == op.Variable and variable.type is not None and is_public(variable):
            work.extend(interfaces_in(variable.type.instr(1)))
    for function in flow.facts.interesting:
        for instr in instructions(function):
            if instr.op == op.CreateExistentialObject and instr.type is not None:
                work.append(instr.type)
    types: dict[Value, None] = {}
    seen: dict[Instr, None] = {}
    while work:
        spend(1)
        interface = work.pop()
        if interface not in seen:
            seen[interface] = None
            for table in flow.forms.universe.of(interface).tables:
                types[conforming_type(table)] = None
                work.extend(interfaces_in(conforming_type(table)))
    return types
