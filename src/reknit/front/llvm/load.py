"""A module of ours from LLVM IR or DXIL.

    bytes ──▶ container (DXIL) ──▶ llvmlite's text ──▶ Program ──▶ plan (memory, resources) ──▶ flat functions
                                                          └──▶ entry points, bindings, names

Functions come out flat: `structurize` gives them a tree. All that can't be read is reported, and then nothing is read.
"""

from typing import Final, final

from reknit.front.llvm import container, metadata, syntax
from reknit.front.llvm.bitcode import printed
from reknit.front.llvm.callees import check_call
from reknit.front.llvm.dxil_handles import plan_arrays
from reknit.front.llvm.dxil_stages import LIBRARY, MODELS, READ_ALONE, REFUSED, modes_of
from reknit.front.llvm.exported import parameter_types, result_type
from reknit.front.llvm.inline import MAX_STATEMENTS, fits, inline_calls, is_copied, keep_own_copies
from reknit.front.llvm.lower import lower_routine
from reknit.front.llvm.opaque import plan_opaque
from reknit.front.llvm.opencl import is_built_in, is_kernel
from reknit.front.llvm.parse import parse
from reknit.front.llvm.plan import (
    plain_name,
    plan_accesses,
    plan_arguments,
    plan_globals,
    plan_inputs,
    plan_variables,
)
from reknit.front.llvm.resources import TYPED, share_bindings
from reknit.front.llvm.signatures import elements_of
from reknit.front.llvm.state import Lowering, Scene
from reknit.front.llvm.statement_places import Places
from reknit.front.llvm.syntax import Program, Routine, Statement
from reknit.front.llvm.target import Target
from reknit.front.llvm.typed_buffers import element_counts, settle
from reknit.front.llvm.unreachable import drop_unreached
from reknit.front.llvm.unsupported import OUTSIDE, Refusal
from reknit.front.without_helpers import without_helpers
from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.types import function_type
from reknit.source.diagnostic import NOTE, Diagnostic, InputError, Note
from reknit.source.meter import spend
from reknit.source.place import Place

NOT_READ: Final = "RK0806"
ASSUMED: Final = "RK0807"
_MAX_LISTED: Final = 20
_NAMED: Final = 4
_HELPERS: Final = '"waveops-include-helper-lanes"'
_KERNEL_SIZE: Final = [32, 1, 1]
_MAX_SIZE: Final = 0xFFFF


def read_llvm(data: bytes, name: str = "<module>") -> Module:
    """The module, from LLVM IR as text or bitcode, or a DXIL container; what it is, its first bytes say.

    `module.notes` has what was assumed. Raises InputError (RK0801 to RK0806) with all that is wrong, up to 20.
    """
    names: Program | None = None
    bitcode = data
    counts: dict[tuple[bool, int], list[int]] = {}
    if container.is_container(data):
        bitcode = container.program_of(data, name)
        kept = container.names_of(data, name)
        if kept is not None:
            names = parse(printed(kept, name, _within(data, kept, "STAT")), name)
            counts = element_counts(kept)
    where = _within(data, bitcode, "DXIL") if bitcode is not data else ""
    program = parse(printed(bitcode, name, where), name)
    text = "" if bitcode[:4] in (container.RAW, container.WRAPPED) else data.decode("utf-8", "replace")
    reader = _Reader(program, names, text, name)
    for routine in program.routines.values():
        drop_unreached(routine)
    reader.counts = counts or (element_counts(bitcode) if not text else {})
    return reader.read()


def _within(data: bytes, bitcode: bytes, part: str) -> str:
    start = data.find(bitcode)
    return f"in the container's part '{part}', bytes {start} to {start + len(bitcode)}"


@final
class Cause:
    """A fault that several operations have in common; `diagnostic` is that of the first."""

    __slots__ = ("diagnostic", "operations")

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        self.operations: dict[str, int] = {}

    def listed(self) -> Diagnostic:
        """One diagnostic, which lists the operations and how often each is called."""
        first = self.diagnostic
        calls = [name if count == 1 else f"{name} {count} times" for name, count in self.operations.items()]
        message = f"{first.message}: {', '.join(calls)}"
        return Diagnostic(first.code, message, first.place, notes=first.notes, help=first.help)


def includes_helpers(program: Program) -> bool:
    """Whether wave operations are of helper lanes, too."""
    return any(_HELPERS in line for line in program.lines if line.startswith("attributes "))


class _Reader:
    def __init__(self, program: Program, names: Program | None, text: str, name: str) -> None:
        self.program = program
        self.names = names
        self.text = text
        self.name = name
        self.target = Target(name)
        self.scene = Scene(program, self.target)
        self.faults: list[Diagnostic] = []
        self.notes: list[Diagnostic] = []
        self.causes: dict[str, Cause] = {}
        self.places = Places(program)
        self.lines: dict[Statement, int] | None = None
        self.counts: dict[tuple[bool, int], list[int]] = {}  # what typed buffers there are

    def read(self) -> Module:
        kind = metadata.shader_kind(self.program)
        entries = [*metadata.entries_of(self.program), *metadata.marked_entries(self.program)]
        if kind not in MODELS:
            help = "compute, vertex and pixel shaders are read from DXIL (cs_6_0, vs_6_0, ps_6_0 and up)"
            stage = REFUSED.get(kind, f"a shader of the kind {kind!r}")
            message = f"this is {stage}, a stage that is not read from DXIL"
            raise InputError([Diagnostic(NOT_READ, message, Place(self.name), help=help)])
        if len(entries) == 1:
            kind = READ_ALONE.get(entries[0].kind, kind)
        self.refuse_stages(entries, kind)
        self.scene.stage = kind
        self.target.flat = kind == "ps"
        for entry in entries:
            self.scene.inputs = elements_of(self.program, entry.inputs)
            self.scene.outputs = elements_of(self.program, entry.outputs)
        resources = metadata.resources_of(self.program)
        metadata.facts_from(self.names if self.names is not None else self.program, resources)
        self.scene.variables = {resource.variable: resource for resource in resources if resource.variable}
        share_bindings(resources)
        settle(resources, self.counts)
        self.scene.resources = {(declared.kind, declared.number): declared for declared in resources}
        kernels = [routine for routine in self.program.routines.values() if is_kernel(routine) and routine.chunks]
        sizes = [entry.size for entry in entries if entry.size] or [self.kernel_size(routine) for routine in kernels]
        self.scene.size = sizes[0] if sizes else [1, 1, 1]
        starts = [entry.function for entry in entries] + [routine.name for routine in kernels]
        if not starts:
            self.scene.exported = dict.fromkeys(self.all_that_can_be())
        self.gather(starts or [*self.scene.exported])
        self.check_calls()
        plan_arrays(self.scene, self.program)
        plan_inputs(self.scene)
        plan_globals(self.scene)
        lowerings = self.declare()
        self.plan(lowerings)
        for resource in [*resources, *self.scene.heap.values()]:
            if resource.shape == TYPED and resource.components == 0:
                resource.components = 1
            if resource.ordered and kind == "ps" and entries:
                self.scene.ordered = entries[0].function
            resource.plan_atomics()
        self.lower(lowerings)
        self.faults += [cause.listed() for cause in self.causes.values()]
        if self.faults:
            raise InputError(self.faults[:_MAX_LISTED])
        for entry in entries:
            self.stage(entry)
            if entry.wave:
                asked = " to ".join([str(size) for size in entry.wave if size])
                self.note(f"the shader asks for waves of {asked} lanes; SPIR-V has no way to say so")
        for kernel in kernels:
            self.kernel(kernel)
        for message in self.scene.assumed:
            self.note(message)
        if not entries and not kernels:
            self.target.capability(enums.CapabilityLinkage)
        for resource in resources:
            if resource.shape == TYPED and resource.roots and not resource.certain:
                self.note(
                    f"'{resource.label(resource.lower)}' is a typed buffer, whose elements are taken to have "
                    f"{resource.components} components, as its uses have"
                )
        module = self.target.module
        if kind == "ps" and not includes_helpers(self.program):
            without_helpers(module)
        module.notes = self.notes
        return module

    def refuse_stages(self, entries: list[metadata.Entry], kind: str) -> None:
        """Raises InputError for a library with entry points that are no compute shaders, or one with another stage
        beside others."""
        others = [entry for entry in entries if kind == "lib" and entry.kind in LIBRARY]
        if others:
            names = ", ".join([f"'{plain_name(entry.name)}' ({LIBRARY[entry.kind]})" for entry in others[:_NAMED]])
            more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            message = f"this library has entry points of stages that are not read from DXIL: {names}{more}"
            help = "a pixel or vertex shader is read from a library that has no other entry point"
            raise InputError([Diagnostic(NOT_READ, message, Place(self.name), help=help)])

    def check_calls(self) -> None:
        """Raises InputError where functions that have a meaning by their name are called with what they don't take: all
        that follows relies on their signatures."""
        for routine in self.program.routines.values():
            for chunk in routine.chunks:
                for statement in chunk.statements:
                    called = self.program.routines.get(statement.callee) if statement.callee else None
                    if not statement.callee or (called is not None and called.chunks):
                        continue
                    try:
                        check_call(statement)
                    except Refusal as refusal:
                        self.refuse(routine, statement, refusal)
        if self.faults:
            raise InputError(self.faults[:_MAX_LISTED])

    # --- functions ----------------------------------------------------------------------------------------------------

    def all_that_can_be(self) -> list[str]:
        """Without entry points: every function, but for those that only have a meaning where they are called."""
        called = {name for routine in self.program.routines.values() for name in called_by(routine)}
        return [
            routine.name
            for routine in self.program.routines.values()
            if routine.chunks and not (is_copied(routine) and routine.name in called)
        ]

    def gather(self, starts: list[str]) -> None:
        """Leave the routines that `starts` lead to, with the bodies that have to be where they are called."""
        routines = self.program.routines
        for name in self._reached(starts):
            wrong = routines[name].wrong
            if wrong is not None:
                raise InputError([wrong])
        circle = self._circle(starts)
        if circle:
            help = "make a loop of it: SPIR-V has no recursion (SPIR-V 1.6, 2.16.1)"
            path = ", which calls ".join([f"@{name}" for name in circle])
            raise InputError([Diagnostic(OUTSIDE, f"function {path} again", Place(self.name), help=help)])
        inline_calls(self.program, starts)
        reached = self._reached(starts)
        for name in [name for name in routines if name not in reached]:
            del routines[name]
        for routine in routines.values():
            if is_kernel(routine) or routine.name in self.scene.exported:
                keep_own_copies(routine)

    def _reached(self, starts: list[str]) -> dict[str, None]:
        routines = self.program.routines
        calls = {called.name: called_by(called) for called in routines.values()}
        return {name: None for name in reachable(starts, calls) if name in routines}

    def _circle(self, starts: list[str]) -> list[str]:
        """Functions that call each other in a circle, empty if there are none."""
        routines = self.program.routines
        done: dict[str, None] = {}
        path: dict[str, list[str]] = {}  # the callees that are left
        for start in starts:
            work = [start]
            while work:
                spend(1)
                name = work[-1]
                if name not in path:
                    path[name] = [] if name in done or name not in routines else called_by(routines[name])
                if path[name]:
                    following = path[name].pop()
                    if following in path:
                        return [*work[work.index(following) :], following]
                    work.append(following)
                else:
                    del path[name]
                    done[name] = None
                    work.pop()
        return []

    def plan(self, lowerings: list[Lowering]) -> None:
        points = self.scene.points
        points.read_globals()
        for lowering in lowerings:
            plan_variables(lowering)
            points.read(lowering.routine, self.scene.allocas, self.scene.arguments)
        points.solve()
        for lowering in lowerings:
            try:
                plan_accesses(lowering)
            except Refusal as refusal:
                self.scene.unreadable[lowering.routine.name] = refusal

    def lower(self, lowerings: list[Lowering]) -> None:
        """Fill in the functions. What can't be read is a fault."""
        for name, refusal in self.scene.unreadable.items():
            if self.program.routines[name].chunks:
                self.refuse(self.program.routines[name], None, refusal)
        for lowering in lowerings:
            if lowering.routine.name in self.scene.unreadable:
                continue
            for statement, refusal in lower_routine(lowering):
                self.refuse(lowering.routine, statement, refusal)

    def declare(self) -> list[Lowering]:
        """A function for each routine that is defined or called by name, so that calls find it."""
        lowerings: list[Lowering] = []
        imported: dict[Function, None] = {}
        for routine in self.program.routines.values():
            if not routine.chunks and (routine.name.startswith(("dx.op.", "llvm.")) or not self._own(routine)):
                continue
            try:
                if is_kernel(routine):
                    plan_opaque(self.scene, routine)
                plan_arguments(self.scene, routine)
                function = self.signature(routine)
            except Refusal as refusal:
                self.scene.unreadable[routine.name] = refusal
                continue
            self.scene.functions[routine.name] = function
            self.target.module.functions.append(function)
            if routine.chunks:
                function.structured = False
                lowerings.append(Lowering(self.scene, routine, function))
            else:
                imported[function] = None
                self.target.capability(enums.CapabilityLinkage)
                words: list[Operand] = [
                    function, enums.DecorationLinkageAttributes, routine.name, enums.LinkageTypeImport,
                ]  # fmt: skip
                self.target.module.decorations.append(annotation(op.Decorate, words))
        functions = self.target.module.functions
        functions.sort(key=lambda function: function not in imported)  # SPIR-V 1.6, 2.4: declarations first
        return lowerings

    def _own(self, routine: Routine) -> bool:
        """Whether a declaration is of a function somewhere else, and not of a builtin that has a meaning here."""
        return not is_built_in(routine.name)

    def signature(self, routine: Routine) -> Function:
        if routine.variadic:
            raise Refusal("takes a variable number of arguments")
        if routine.name in self.scene.exported:
            return self.declared(routine, result_type(self.target, routine), parameter_types(self.target, routine))
        result = self.target.type(routine.result)
        parameters: list[tuple[str, Instr]] = []
        for name, type in routine.parameters:
            if is_kernel(routine):
                continue
            if not fits(type):
                what = "a pointer" if type.kind == syntax.PTR else f"a value of type {type.name}"
                raise Refusal(f"takes {what} as its argument %{name}", self.why_not_inlined(routine))
            parameters.append((name, self.target.type(type)))
        return self.declared(routine, result, parameters)

    def declared(self, routine: Routine, result: Instr, parameters: list[tuple[str, Instr]]) -> Function:
        types = [type for _, type in parameters]
        function = Function(function_type(self.target.module, result, types), result, routine.name)
        for name, param_type in parameters:
            function.params.append(Instr(op.FunctionParameter, param_type, [], "" if name.isdigit() else name))
        self.target.module.names.append(annotation(op.Name, [function, routine.name]))
        return function

    def why_not_inlined(self, routine: Routine) -> str:
        if not routine.chunks:
            return "link the module that defines it before"
        if any(routine.name in called_by(other) for other in self.program.routines.values()):
            copied = f"more than {MAX_STATEMENTS} statements would be copied into a caller"
            return f"{copied}: make the functions fewer or smaller"
        return "only a kernel that calls it could say what it points to: an entry point is needed, or a call"

    def kernel_size(self, kernel: Routine) -> list[int]:
        node = self.program.nodes.get(kernel.metadata.get("reqd_work_group_size", ""), [])
        if len(node) == 3:
            return [metadata.number_at(node, axis) for axis in range(3)]
        return _KERNEL_SIZE

    def stage(self, entry: metadata.Entry) -> None:
        """A shader's entry point. HLSL's waves expect invocations to come together again, as maximal reconvergence has
        it."""
        body = self.scene.functions.get(entry.function)
        if body is None:
            return
        try:
            modes = modes_of(self.scene, entry, self.target)
        except Refusal as refusal:
            message = f"entry point '{entry.name}' {refusal.what}"
            raise InputError([Diagnostic(OUTSIDE, message, Place(self.name), help=refusal.help)]) from None
        model = MODELS[self.scene.stage]
        self.entry(body, entry.name, model)
        if model == enums.ExecutionModelGLCompute:
            self.sized(body, entry.name, entry.size)
        modes[enums.ExecutionModeMaximallyReconvergesKHR] = []
        self.target.extension("SPV_KHR_maximal_reconvergence")
        for mode, words in modes.items():
            self.target.module.execution_modes.append(annotation(op.ExecutionMode, [body, mode, *words]))

    def kernel(self, kernel: Routine) -> None:
        body = self.scene.functions.get(kernel.name)
        if body is None:
            return
        self.entry(body, kernel.name, enums.ExecutionModelGLCompute)
        size = self.kernel_size(kernel)
        self.sized(body, kernel.name, size)
        if size is _KERNEL_SIZE:
            self.note(f"kernel '{kernel.name}' doesn't say how large its workgroup is: taken to be 32 invocations")

    def entry(self, body: Function, name: str, model: int) -> None:
        words: list[Operand] = [model, body, name, *self.target.interface]
        self.target.module.entry_points.append(annotation(op.EntryPoint, words))

    def sized(self, body: Function, name: str, size: list[int]) -> None:
        x, y, z = size if len(size) == 3 else [1, 1, 1]
        if min(x, y, z) < 1 or max(x, y, z) > _MAX_SIZE:
            message = f"entry point '{name}' has a workgroup of {x} x {y} x {z} invocations"
            raise InputError([Diagnostic(OUTSIDE, message, Place(self.name))])
        words: list[Operand] = [body, enums.ExecutionModeLocalSize, x, y, z]
        self.target.module.execution_modes.append(annotation(op.ExecutionMode, words))

    # --- messages -----------------------------------------------------------------------------------------------------

    def note(self, message: str) -> None:
        self.notes.append(Diagnostic(ASSUMED, message, Place(self.name), NOTE))

    def refuse(self, routine: Routine, statement: Statement | None, refusal: Refusal) -> None:
        if self.lines is None:
            self.lines = self.places.given_lines(self.text) if self.text else {}
        if statement is None:
            what = refusal.what.replace("has the type", "has a parameter or result of the type", 1)
            message = f"function @{routine.name} {what}"
            first = self.places.defined.get(routine.name, 0)
            place = Place(self.name, first, 1 if first else 0)
            self.faults.append(Diagnostic(OUTSIDE, message, place, help=refusal.help))
            return
        while statement.origin is not None:
            statement = statement.origin
        line = self.lines.get(statement, 0)
        function, block = self.places.of(statement) or (routine.name, routine.chunks[0].name)
        shown = self.program.lines[statement.line - 1].strip()
        notes = [Note(f"in function @{function}, block %{block}: {shown}")]
        place = Place(self.name, line, 1 if line else 0)
        what = f"instruction %{statement.name}" if statement.name else f"this {statement.op}"
        if refusal.operation:
            known = self.causes.get(refusal.what)
            if known is None:
                diagnostic = Diagnostic(OUTSIDE, f"{what} {refusal.what}", place, notes=notes, help=refusal.help)
                known = self.causes[refusal.what] = Cause(diagnostic)
            known.operations[refusal.operation] = known.operations.get(refusal.operation, 0) + 1
            return
        self.faults.append(Diagnostic(OUTSIDE, f"{what} {refusal.what}", place, notes=notes, help=refusal.help))


def called_by(routine: Routine) -> list[str]:
    """The functions that a routine calls by name."""
    calls = [statement.callee for chunk in routine.chunks for statement in chunk.statements if statement.callee]
    return list(dict.fromkeys(calls))


def reachable(starts: list[str], edges: dict[str, list[str]]) -> dict[str, None]:
    """`starts`, and all that edges lead to from there."""
    reached: dict[str, None] = {}
    work = starts[::-1]
    while work:
        spend(1)
        name = work.pop()
        if name not in reached:
            reached[name] = None
            work.extend(edges.get(name, [])[::-1])
    return reached
