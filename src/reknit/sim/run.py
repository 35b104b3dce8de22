"""Run a module: buffers in, buffers out.

    module --prepare--> Program (code blocks, steps, columns) --run, as often as wanted--> Result

`run` is both in one. A `Program` is for one entry point, subgroup size and set of specialization constants.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, Final, final

from reknit.analysis.tangles.declared import rules_for
from reknit.analysis.tangles.rules import DECLARED, MAXIMAL, PROMISERS, SUBGROUP_UNIFORM
from reknit.ir import enums, op, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.verify.signatures import require_signatures
from reknit.ir.walk import instructions
from reknit.sim import buffers as buffer_data
from reknit.sim.addresses import lay_out, take_memory
from reknit.sim.arguments import arguments_of
from reknit.sim.buffers import BufferResult
from reknit.sim.builtins import Dispatch, Origin, Triple
from reknit.sim.choices import Choices
from reknit.sim.code import Call, CodeBlock, edges_of
from reknit.sim.drawing import Drawing
from reknit.sim.entry import find_entry, function_of_entry, models_of, reached_functions
from reknit.sim.faults import Faults, Stop, UndefinedMet, describe
from reknit.sim.fill import ZEROS
from reknit.sim.flatten import Flattener, shown
from reknit.sim.float_modes import float_modes
from reknit.sim.globals import Globals
from reknit.sim.images import take_samplers
from reknit.sim.interleaving import Careful
from reknit.sim.kernel import Step
from reknit.sim.lengths import is_unsized, lengths_of
from reknit.sim.loose_code import LooseCode
from reknit.sim.loose_machine import LooseMachine
from reknit.sim.machine import Machine
from reknit.sim.memory import Buffer
from reknit.sim.packing import ABSENT, Packing, PackingError, check_groups, check_packing, parse_packing
from reknit.sim.pointers import IN_BUFFERS, has_addresses
from reknit.sim.policy import GRAPH, OUTSIDE, Policy
from reknit.sim.prepare import Preparation
from reknit.sim.race_detector import Watch
from reknit.sim.recording import Recorder
from reknit.sim.resources import Descriptor
from reknit.sim.result import Result
from reknit.sim.schedule import Script
from reknit.sim.shadow.assigned import escapes, watched_variables
from reknit.sim.shadow.state import Tracker
from reknit.sim.shadow.tracker import has_open_shuffle, takes_undef, track
from reknit.sim.stages.choose import stage_of
from reknit.sim.step_choices import EACH, LAUNCHED, SETTLED
from reknit.sim.trace import Trace
from reknit.sim.unsupported import Unsupported
from reknit.sim.unwritten import Unwritten
from reknit.sim.vertices import Vertices
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

MAX_STEPS = 100_000_000
HAS_UNDEFINED = "its undefined values are tracked"

NativeRun = Callable[["Program", Policy, Dispatch, int, bool], str]
"""Runs a dispatch on the buffers of a program by other means (`sim.jit`), with a policy, at most so many steps, and
whether a trace is asked for; "" or why it did not, and then the buffers hold what they held."""


@final
class Program:
    """A prepared entry point. `code[start]` is where it begins; `size` is that of a group of invocations, which `stage`
    gives their inputs; `addresses` says whether pointers may be addresses. `unstructured` names the
    functions that are run as the trees that `structurize` gives them, `notes` are what making those had to say.
    `tracks`: undefined values are tracked, by the `tracker` from the first run on that meets one (`sim.shadow`)."""

    __slots__ = (
        "module", "name", "model", "size", "subgroup_size", "preparation", "faults", "code", "start", "stage", "stakes",
        "rules", "unstructured", "notes", "recorder", "compiled", "_loose", "addresses", "arguments",
        "tracks", "tracker", "packing", "unpacked", "_plain", "point", "drawing",
    )  # fmt: skip

    def __init__(
        self,
        module: Module,
        entry: str | None,
        subgroup_size: int,
        spec: Mapping[Any, float] | None,
        kill_demotes: bool,
        races: bool,
        unwritten: bool,
        rules: str,
        fill: int,
        drawing: Drawing | Vertices | None = None,
        bound: Iterable[str] = (),
        unbound: int = 1,
        shared: Mapping[Descriptor, Descriptor] | None = None,
        subgroups: str = "",
    ) -> None:
        if not 1 <= subgroup_size <= 128 or subgroup_size & (subgroup_size - 1):
            raise InputError([Diagnostic("RK1006", f"subgroup size {subgroup_size} is not 1, 2, 4 ... 128")])
        point = find_entry(module, entry, models_of(drawing))
        function = function_of_entry(point, True)
        require_signatures(module)
        globals = Globals(module, spec if spec is not None else {})
        self.module = module
        self.name = point.text(2)
        self.point = point
        self.drawing = drawing
        self.rules = rules_for(module, function, rules)
        self._loose: LooseCode | None = None
        functions = reached_functions(module, function)
        self.stage = stage_of(globals, point, functions, subgroup_size, drawing)
        self.size: Triple = self.stage.size
        self.subgroup_size = subgroup_size
        self.model = point.word(0)
        lanes = prod(self.size)
        if not 1 <= lanes <= 1 << 16:
            message = f"a workgroup of {lanes} invocations can't be run"
            raise InputError([Diagnostic("RK1006", message, Place(module.path))])
        self.packing = parse_packing(subgroups) if subgroups else None
        self.unpacked: list[int] = []  # the invocations that are packed
        if self.packing is not None:
            if point.word(0) == enums.ExecutionModelKernel:
                message = f"the subgroups of kernel {self.name!r} can't be chosen"
                raise PackingError([Diagnostic("RK1006", message, Place(module.path), help="leave out the subgroups")])
            self.unpacked = self.stage.in_order()
            self.check(self.packing)
            self.stage.pack(self.packing, subgroup_size)
            self.size = self.stage.size
            lanes = self.packing.lanes(subgroup_size)
            if lanes > 1 << 16:
                message = f"subgroups of {lanes} invocations in all can't be run"
                raise PackingError([Diagnostic("RK1006", message, Place(module.path))])
        self.faults = Faults(module)
        watch = Watch(uses_vulkan_memory(module), subgroup_size) if races else None
        self.tracks = fill == ZEROS
        watched = watched_variables(module, functions, function)
        parts: Unwritten | None = None
        if unwritten or self.tracks:
            parts = Unwritten(self.faults, unwritten, unwritten or any(map(escapes, watched)), lanes)
        self.preparation = Preparation(globals, self.faults, lanes, subgroup_size, kill_demotes, watch, parts, fill)
        self.preparation.watched = watched
        self.preparation.present = self.present(0)
        self.preparation.packed = self.packing is not None
        self.preparation.resources.lengths = lengths_of(module, globals.decorations, bound)
        self.preparation.resources.unbound = unbound
        self.preparation.resources.shared = dict(shared) if shared is not None else {}
        for variable in module.globals if shared else ():
            if variable.op == op.Variable and variable.type is not None and storage_of(variable.type) in IN_BUFFERS:
                binding = globals.decorations.number(variable, enums.DecorationBinding)
                if any(binding == owner[1] for owner in self.preparation.resources.shared.values()):
                    self.preparation.buffers_of(variable)  # those whose buffer others have come first
        self.preparation.floats = float_modes(module, function)
        self.preparation.may_demote = self.stage.helps
        self.preparation.discards = self.stage.helps
        self.preparation.quads = self.stage.quads
        self.preparation.step_choices.freedom = freedom_of_helpers(module, function, functions, self.rules)
        for reached in functions:
            for instr in instructions(reached):
                if instr.op == op.DemoteToHelperInvocation or (instr.op == op.Kill and kill_demotes):
                    self.preparation.may_demote = True
                if instr.op in (op.PtrAccessChain, op.InBoundsPtrAccessChain):
                    self.preparation.past_ends = True
        self.arguments = arguments_of(self.preparation, function)
        flattener = Flattener(self.preparation)
        flattener.flatten(functions)
        refuse_unsupported(module, flattener)
        self.code: list[CodeBlock] = flattener.code
        self.faults.code = self.code
        self.start = flattener.start[function.entry()]
        self.unstructured: list[str] = []
        self.notes: list[Diagnostic] = []
        self.addresses = has_addresses(module)
        self.recorder: Recorder | None = None
        self.compiled: object | None = None  # native code, kept by what made it
        self.stakes: dict[int, list[int]] = {}  # by switch: the labels at which a choice can show
        self.tracker: Tracker | None = None
        self._plain: list[Snapshot] = []  # of the steps as they were before those of a recorder, if there is one
        self.stage.bind(self.preparation)
        self.find_buffers()

    def has_full_subgroups(self) -> bool:
        """Whether the specification requires that subgroups are full: "when the X dimension of the workgroup size is a
        multiple of the reported value of the SubgroupSize built-in, and" the "shader was created from SPIR-V with
        version number of 1.6 or higher" (Vulkan, Shaders, Full Subgroups); or where a pipeline says so."""
        if self.module.version < 0x00010600 or self.model != enums.ExecutionModelGLCompute:
            return False
        return self.size[0] % self.subgroup_size == 0

    def pack_again(self, packing: Packing) -> None:
        """Make the next runs with other subgroups, which take as many lanes as those the program was prepared with.
        Raises InputError (RK1006)."""
        assert self.packing is not None and packing.lanes(self.subgroup_size) == self.preparation.lanes
        self.check(packing)
        self.packing = packing
        self.preparation.present[:] = self.present(0)
        self.stage.pack_again(packing, self.subgroup_size)

    def check(self, packing: Packing) -> None:
        """Whether it packs the invocations of a workgroup. Raises InputError (RK1006)."""
        order = self.unpacked
        quads = [order[at : at + 4] for at in range(0, len(order), 4)] if self.stage.quads else []
        check_packing(packing, len(order), self.subgroup_size, quads, self.has_full_subgroups())

    def present(self, group: int) -> list[int]:
        """The lanes of a workgroup that have an invocation."""
        if self.packing is None:
            return list(range(self.preparation.lanes))
        order = self.packing.order(group, self.preparation.subgroup_size)
        return [lane for lane, number in enumerate(order) if number != ABSENT]

    def undetermined(self) -> int:
        """Of how many loops the input doesn't say what belongs to them, where an operation depends on it."""
        return sum([1 for note in self.notes if note.code == "RK2501"])

    def record(self, values: str) -> None:
        """From now on a run that is traced keeps values as well (`sim.recording`). It can't be taken back."""
        self._plain = [Snapshot(block) for block in self.code]
        self.recorder = Recorder(self.preparation, self.code, values, self.tracker)

    def track(self) -> None:
        """From now on runs are tracked."""
        unwritten = self.preparation.unwritten
        assert unwritten is not None
        self.tracker = Tracker(self.preparation, unwritten)
        for snapshot in self._plain:
            snapshot.restore()
        track(self.tracker, self.code)
        if self.recorder is not None:  # its steps come after those of the tracker
            until = self.recorder.until
            self.record(self.recorder.values)
            self.recorder.until = until
        self._loose = None

    def bound_floats(self, near: bool = False) -> None:
        """From now on runs are tracked, with what floats may be as sets (`shadow.bounds`)."""
        from reknit.sim.shadow.bounds import Bounds

        unwritten = self.preparation.unwritten
        assert unwritten is not None and self.tracks
        self.tracker = Tracker(self.preparation, unwritten)
        self.tracker.bounds = Bounds(self.tracker, function_of_entry(self.point), near)
        self.preparation.step_choices.follows_sets = True
        track(self.tracker, self.code)
        self._loose = None

    def is_tracked(self) -> bool:
        """Whether the next run is tracked from its start: what is undefined in it was seen, or is in the code."""
        if self.tracks and self.tracker is None and self.shows_undefined():
            self.track()
        return self.tracker is not None

    def shows_undefined(self) -> bool:
        return self.preparation.undefs > 0 or any(
            has_open_shuffle(block.instrs) or (block.number == block.header and takes_undef(list(block.block)))
            for block in self.code
        )

    def find_buffers(self) -> None:
        """All buffers and images of the module, also those that nothing uses, so that a caller may set them."""
        for variable in self.module.globals:
            if variable.op != op.Variable or variable.type is None:
                continue
            if is_unsized(variable) and variable not in self.preparation.resources.lengths:
                continue  # nothing is set of it
            storage = storage_of(variable.type)
            if storage in IN_BUFFERS or storage == enums.StorageClassUniformConstant:
                try:
                    if storage in IN_BUFFERS:
                        self.preparation.buffers_of(variable)
                    else:
                        self.preparation.cells_of(variable)
                except Unsupported:
                    continue  # not used by the program, so nothing is lost

    def run(
        self,
        policy: Policy,
        groups: Triple = (1, 1, 1),
        buffers: Mapping[str, Any] | None = None,
        push_constants: Any = None,
        max_steps: int = MAX_STEPS,
        trace: bool = False,
        origin: Origin | None = None,
        native: NativeRun | None = None,
    ) -> Result:
        """Run all workgroups, one after another; by `native` where it can."""
        preparation = self.preparation
        dispatch = Dispatch(self.size, groups, preparation.subgroup_size, origin)
        if len(groups) != 3 or min(groups) < 1 or dispatch.count() > MAX_GROUPS:
            message = f"a dispatch of {'x'.join(map(str, groups))} workgroups"
            raise InputError(
                [
                    Diagnostic(
                        "RK1006", message, help=f"three numbers, each at least 1, at most {MAX_GROUPS} workgroups"
                    )
                ]
            )
        if self.packing is not None:
            check_groups(self.packing, dispatch.count())
        given: dict[str, Any] = dict(buffers) if buffers is not None else {}
        if push_constants is not None:
            given["push constants"] = push_constants
        given = take_samplers(preparation.samplers, given, self.module.path)
        memory: list[Buffer] = []
        if self.addresses:
            given, memory = take_memory(given, self.module.path)
        buffer_data.fill(preparation.order, given, self.stage.extent(groups), self.module.path)
        if self.addresses:
            lay_out(preparation.space, preparation.order, memory, self.module.path)
        for argument in self.arguments:
            argument.give(preparation)
        preparation.resources.begin()
        preparation.fill.begin()
        result = Result(self.name, preparation.subgroup_size)
        result.rules = self.rules
        tracked = self.is_tracked()
        if native is not None:
            result.fallback = self.stage.interpreted or (HAS_UNDEFINED if tracked else "")
            result.fallback = result.fallback or native(self, policy, dispatch, max_steps, trace)
            if not result.fallback:
                result.engine = "jit"
                result.undetermined = self.undetermined()
                self.collect(result)
                return result
        self.faults.fires = self.tracks and not tracked
        if self.tracker is not None:
            self.tracker.begin()
        lanes = preparation.lanes
        recorder = Trace(lanes, preparation.subgroup_size, self.code, self.module) if trace else None
        self.faults.reset(dispatch.count(), recorder)
        if self.recorder is not None:
            self.recorder.begin(recorder)
        careful = None
        choices = Choices(policy, self.code, self.stakes, self.module.language, preparation.subgroup_size)
        preparation.step_choices.begin(policy, choices)
        ending = policy.quads != "stay" or (policy.choices is not None and preparation.may_demote)
        if policy.lanes != "lockstep" or ending:
            careful = Careful(policy, preparation.helpers, choices)
        machine = self.machine(policy, max_steps, recorder, careful, choices, lanes)
        watch = preparation.watch
        if watch is not None:
            watch.reset(lanes, dispatch.count(), recorder)
        try:
            for group in group_order(0 if self.stage.empty else dispatch.count(), policy):
                self.faults.group = group
                if recorder is not None:
                    recorder.group = group
                if watch is not None:
                    watch.start_group(group)
                self.begin(dispatch, group)
                choices.group = group
                preparation.step_choices.natural[:] = preparation.helpers
                machine.run(self.start, preparation.present)
            self.stage.judge()
        except UndefinedMet:
            self.track()
            again = self.run(policy, groups, buffers, push_constants, max_steps, trace, origin)
            again.fallback = result.fallback
            return again
        except Stop as stop:
            result.finished = False
            result.diagnostics.append(stop.diagnostic)
            if recorder is not None:
                recorder.stopped = stop.diagnostic
        result.diagnostics.extend(self.faults.diagnostics())
        if watch is not None:
            result.conflict = watch.conflict
            if watch.race is not None:
                result.diagnostics.append(self.faults.data_race(watch.race))
        result.steps = machine.steps
        result.trace = recorder
        if recorder is not None:
            recorder.result = result
        result.undetermined = self.undetermined()
        result.ways = choices.widths
        result.owners = choices.owners
        result.decisions = choices.decisions
        result.chosen = preparation.step_choices.chosen
        result.partial = preparation.step_choices.partial
        result.dispatched = {call: list(tables) for call, tables in machine.dispatched.items()}
        result.called = {call: list(ways) for call, ways in machine.called.items()}
        if isinstance(machine, LooseMachine):
            result.grouped = machine.grouped
        elif isinstance(machine.schedule, Script):
            result.widths = machine.schedule.widths
        if careful is not None:
            result.ended = careful.ended
        self.collect(result)
        return result

    def machine(
        self,
        policy: Policy,
        max_steps: int,
        recorder: Trace | None,
        careful: Careful | None,
        choices: Choices,
        lanes: int,
    ) -> Machine | LooseMachine:
        """What runs lanes by a policy's grouping. Raises InputError (RK1006) where the rules leave none."""
        if not policy.is_loose():
            tracker = self.tracker
            return Machine(self.code, policy, self.faults, max_steps, recorder, lanes, careful, choices, tracker)
        if self.rules == MAXIMAL:
            message = f"grouping {policy.grouping!r} is a choice that {PROMISERS[MAXIMAL]} does not leave"
            help = "--rules base or sucf (rules=), or grouping maximal"
            raise InputError([Diagnostic("RK1006", message, Place(self.module.path), help=help)])
        size = self.preparation.subgroup_size
        uniform = [lanes, size] if self.rules == SUBGROUP_UNIFORM else [lanes]
        loose = self.loose()
        return LooseMachine(
            self.code, loose, policy, self.faults, max_steps, recorder, careful, choices, lanes, size, uniform,
            self.tracker,
        )  # fmt: skip

    def loose(self) -> LooseCode:
        """What a loose run needs to know of the code, worked out once."""
        if self._loose is None:
            self._loose = LooseCode(self.module, self.code, self.unstructured)
        return self._loose

    def begin(self, dispatch: Dispatch, group: int) -> None:
        """The memory of a workgroup as it starts."""
        preparation = self.preparation
        for cells in preparation.cells.values():
            cells.reset()
        if preparation.unwritten is not None:
            preparation.unwritten.reset()
        preparation.helpers[:] = [0] * len(preparation.helpers)
        if self.packing is not None:
            preparation.present[:] = self.present(group)
        self.stage.begin(dispatch, group)
        if self.tracker is not None:
            self.tracker.begin_group()
            if self.tracker.bounds is not None and not self.tracker.bounds.near:
                self.stage.bound(self.tracker.bounds)

    def collect(self, result: Result) -> None:
        self.stage.collect(result)
        tracker = self.tracker
        if tracker is not None:
            result.reached = list(tracker.reached.values())
            result.diagnostics.extend(tracker.diagnostics())
        for name, buffer in self.written().items():
            left = BufferResult(buffer)
            result.buffers[name] = left
            if tracker is not None and result.finished:
                left.undefined = tracker.words(buffer)
                left.sets = tracker.sets(buffer) if tracker.bounds is not None else {}
                result.diagnostics.extend(tracker.reach_words(name, left.undefined, buffer))

    def written(self) -> dict[str, Buffer]:
        """The buffers that can be written, as results call them."""
        written: dict[str, Buffer] = {}
        for buffer in [*self.preparation.order, *self.preparation.space.given]:
            if buffer.writable and buffer.alias is None:
                name = buffer.label()
                written[buffer_data.position(buffer) if name in written else name] = buffer
        return written

    def buffers(self) -> list[Buffer]:
        return self.preparation.order


def freedom_of_helpers(module: Module, entry: Function, functions: list[Function], rules: str) -> str:
    """What becomes of helper invocations in the group operations of a fragment shader: `sim.step_choices`."""
    if rules != MAXIMAL:
        return EACH
    for mode in module.execution_modes:
        if mode.operands[0] is entry and mode.word(1) == enums.ExecutionModeRequireFullQuadsKHR:
            return SETTLED
    for function in functions:
        for instr in instructions(function):
            if traits.TANGLED.get(instr.op) == "quad":
                return SETTLED  # "must launch sufficient invocations to ensure their correct operation"
    return LAUNCHED


@final
class Snapshot:
    """The steps of a code block, with those of its end, as they are now."""

    __slots__ = ("block", "steps", "edges", "moves")

    def __init__(self, block: CodeBlock) -> None:
        self.block = block
        self.steps = list(block.steps)
        self.edges = [(edge, edge.moves) for edge in edges_of(block.end)]
        self.moves: Step | None = block.end.moves if isinstance(block.end, Call) else None

    def restore(self) -> None:
        self.block.steps[:] = self.steps
        for edge, moves in self.edges:
            edge.moves = moves
        if isinstance(self.block.end, Call):
            self.block.end.moves = self.moves


MAX_GROUPS: Final = 1 << 24
"""Workgroups of a dispatch, as `reknit.arguments` has it."""


def uses_vulkan_memory(module: Module) -> bool:
    """Whether memory is in order as the Vulkan memory model has it, not GLSL450's."""
    return any(instr.word(1) == enums.MemoryModelVulkan for instr in module.memory_model)


def group_order(count: int, policy: Policy) -> Sequence[int]:
    """Workgroups in ascending order, or in any with a random schedule."""
    if not policy.schedule.startswith("random:"):
        return range(count)
    order = list(range(count))
    if count > 1:
        random.Random(policy.schedule).shuffle(order)
    return order


def refuse_unsupported(module: Module, flattener: Flattener) -> None:
    """One error for all that the program needs and the simulator doesn't have."""
    if not flattener.unsupported:
        return
    diagnostics: list[Diagnostic] = []
    for what, reason in flattener.unsupported:
        diagnostics.append(
            Diagnostic(
                "RK1001",
                f"can't run {describe(what) if isinstance(what, Instr) else shown(what)}: it {reason}",
                place_of(what, module),
                help="the simulator has arithmetic, composites, memory with explicit layout, atomics, group "
                "operations, barriers, images, derivatives of quads and GLSL.std.450; no ray tracing or mesh output",
            )
        )
    raise InputError(diagnostics)


def prepare(
    module: Module,
    entry: str | None = None,
    *,
    subgroup_size: int = 32,
    spec: Mapping[Any, float] | None = None,
    kill: str = "terminate",
    races: bool = False,
    unwritten: bool = False,
    rules: str = DECLARED,
    assume: str = OUTSIDE,
    fill: int = ZEROS,
    drawing: Drawing | Vertices | None = None,
    bound: Iterable[str] = (),
    unbound: int = 1,
    shared: Mapping[Descriptor, Descriptor] | None = None,
    subgroups: str = "",
) -> Program:
    """Make a module's entry point ready to be run many times. `entry` is the name of an entry point, None for the
    only one; `spec` sets specialization constants by SpecId or name; `kill` is what OpKill does ("terminate" or
    "demote"); `assume` is how functions without structure are taken (`sim.unstructured`; with "graph" the module itself
    is run, else a copy where there are such functions). With `races` every access to shared memory is watched (several
    times slower), and the first data race is reported; with `unwritten`, reads of variables that nothing has written.
    `rules` are those it is judged by: what the entry point declares, or "base", "sucf" or "maximal". `fill` is what
    undefined values are taken to be (`sim.fill`). `drawing` is what a fragment shader draws, or the
    vertices of a vertex shader. `bound` are names of what runs are given, which say how many elements arrays of
    resources have whose type gives no length (`sim.lengths`), and `unbound` is how many the others have. `shared` are
    buffers that are bound twice: descriptors, each by another one whose buffer it has. `subgroups` says which
    invocations share a subgroup (`sim.packing`); without it they fill subgroups in index order.

    Raises InputError for what can't be run: RK1001 (unsupported), RK1002 (entry point), RK1003 (recursion), RK1005
    (spec), RK1006 (an option).
    """
    flat: list[Function] = []
    notes: list[Diagnostic] = []
    if assume != GRAPH and not all(function.structured for function in module.functions):
        from reknit.sim.unstructured import unstructured, with_trees

        point = find_entry(module, entry, models_of(drawing))
        flat = unstructured(module, reached_functions(module, function_of_entry(point, True)))
        if flat:
            module, notes = with_trees(module, flat, assume)
    kills = kill == "demote"
    program = Program(
        module, entry, subgroup_size, spec, kills, races, unwritten, rules, fill, drawing, bound, unbound, shared,
        subgroups,
    )  # fmt: skip
    program.unstructured = [function.name or str(function.id) for function in flat]
    program.notes = notes
    return program


def run(
    module: Module,
    entry: str | None = None,
    *,
    groups: Triple = (1, 1, 1),
    subgroup_size: int = 32,
    buffers: Mapping[str, Any] | None = None,
    push_constants: Sequence[int] | bytes | None = None,
    spec: Mapping[Any, float] | None = None,
    policy: Policy | None = None,
    max_steps: int = MAX_STEPS,
    trace: bool = False,
    races: bool = False,
    unwritten: bool = False,
    rules: str = DECLARED,
    values: str = "",
    native: NativeRun | None = None,
    drawing: Drawing | Vertices | None = None,
) -> Result:
    """Run an entry point over `groups` workgroups. `buffers` maps names to sequences of words, bytes or numpy arrays,
    to an `Image` or a `Sampler` (reknit.sim.images); one that isn't set is zeros. What goes wrong while it runs is in
    the result's diagnostics; what can't be run raises InputError.

    `trace` keeps what happened, event by event; with `values` ("named" or "all") also what variables, tangled
    operations and results were in each lane (`sim.recording`). `races`: report the first data race too; `unwritten`:
    reads of variables that nothing has written; see `prepare`. `max_steps` bounds the instructions run by tangles (a
    tangle running one instruction counts once, whatever its size). `native` runs it by other means where it can
    (`sim.engine`). A fragment shader is run over a `drawing`, and leaves a framebuffer. The tangles are those of
    maximal reconvergence, which `rules` without it allow too, unless the policy has a `grouping`.
    """
    chosen = policy if policy is not None else Policy()
    program = prepare(
        module,
        entry,
        subgroup_size=subgroup_size,
        spec=spec,
        kill=chosen.kill,
        races=races,
        unwritten=unwritten,
        rules=rules,
        assume=chosen.assume,
        drawing=drawing,
        bound=list(buffers) if buffers is not None else (),
        subgroups=chosen.subgroups,
    )
    if trace and values:
        program.record(values)
    result = program.run(chosen, groups, buffers, push_constants, max_steps, trace, native=native)
    result.diagnostics.extend(program.notes)
    return result
