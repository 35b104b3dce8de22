"""Which entry point is run, how large its workgroup is, and which functions it reaches.

OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 8 8 1     or LocalSizeId, or a constant decorated BuiltIn WorkgroupSize, which wins
"""

from typing import Final

from reknit.analysis.callgraph import may_call
from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.opcodes import kind
from reknit.ir.walk import instructions
from reknit.sim.builtins import Triple
from reknit.sim.drawing import Drawing
from reknit.sim.globals import Globals
from reknit.sim.vertices import Vertices
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.place import Place

COMPUTE: Final = (enums.ExecutionModelGLCompute, enums.ExecutionModelKernel)


def find_entry(module: Module, name: str | None, models: tuple[int, ...] = ()) -> Instr:
    """The OpEntryPoint called `name`, or the only one; of those of `models` where these are given and there is one.
    Raises InputError (RK1002)."""
    points = module.entry_points
    named = [point for point in points if name is None or point.text(2) == name]
    named = [point for point in named if point.word(0) in models] or named
    if len(named) == 1:
        return named[0]
    names = ", ".join([_shown(point, points) for point in (named if name is None else points)])
    if not points:
        message = "the module has no entry point to run"
    elif name is None:
        message = "the module has several entry points"
    else:
        message = f"no entry point {name!r}" if not named else f"several entry points are called {name!r}"
    help = f"name one of: {names}" if points else ""
    if name is not None and named:
        help = "a name can't tell them apart: give each a name of its own, or a module of its own"
    raise InputError([Diagnostic("RK1002", message, Place(module.path), help=help)])


def _shown(point: Instr, points: list[Instr]) -> str:
    """The name, with the stage where another one has the same name."""
    name = point.text(2)
    if len([other for other in points if other.text(2) == name]) < 2:
        return name
    model = kind("ExecutionModel").of_value(point.word(0))
    return f"{name} ({model.name if model is not None else point.word(0)})"


def models_of(drawing: Drawing | Vertices | None) -> tuple[int, ...]:
    """The stages that take what is given."""
    if drawing is None:
        return COMPUTE
    return (enums.ExecutionModelVertex if isinstance(drawing, Vertices) else enums.ExecutionModelFragment,)


def refuse_other_stages(module: Module, name: str | None, drawing: Drawing | Vertices | None = None) -> None:
    """Raises InputError (RK1020) unless the entry point is one that can be run: a fragment shader with a drawing, a
    vertex shader with vertices. (Proofs and random programs take other stages for the lanes of a subgroup with inputs
    of zeros.)"""
    models = models_of(drawing)
    point = find_entry(module, name, models)
    model = point.word(0)
    if model in COMPUTE or model in models:
        return
    stage = kind("ExecutionModel").of_value(model)
    shown = stage.name if stage is not None else f"execution model {model}"
    if model == enums.ExecutionModelFragment:
        message = f"entry point {point.text(2)!r} is a fragment shader, which needs a drawing to run"
        help = "--primitive full --size 4x4, or --scene FILE (drawing=)"
    elif model == enums.ExecutionModelVertex:
        message = f"entry point {point.text(2)!r} is a vertex shader, which is run over vertices, and there are none"
        help = "run, compare and prove take --vertices 3 --attribute 0=0,0:1,0:0,1 (drawing=Vertices(...))"
    else:
        message = f"entry point {point.text(2)!r} is of the stage {shown}, which can't be run"
        help = "every stage can be read, shown, checked, linted and compiled; name another entry point with --entry "
        help += "where there is one"
    raise InputError([Diagnostic("RK1020", message, Place(module.path), help=help)])


def function_of_entry(point: Instr, arguments: bool = False) -> Function:
    """The function of an entry point; one with parameters only where it is given `arguments`."""
    function = point.operands[1]
    if not isinstance(function, Function):
        raise InputError([Diagnostic("RK1002", f"entry point {point.text(2)!r} names no function")])
    if function.params and not arguments:
        verbs = "only `run`, `trace` and `prove` give arguments to them"
        message = f"kernel {point.text(2)!r} takes parameters, and {verbs}"
        help = "read the kernel from LLVM IR (.ll, .bc), where its arguments become buffers"
        raise InputError([Diagnostic("RK1001", message, help=help)])
    return function


def local_size(module: Module, globals: Globals, point: Instr, default: int) -> Triple:
    """The size of a workgroup; (default, 1, 1) for a stage that doesn't say."""
    for instr in module.globals:
        if globals.decorations.number(instr, enums.DecorationBuiltIn) == enums.BuiltInWorkgroupSize:
            value = globals.values.get(instr)
            if isinstance(value, tuple) and len(value) == 3:
                return int(value[0]), int(value[1]), int(value[2])
    for mode in module.execution_modes:
        if mode.operands[0] is not point.operands[1]:
            continue
        if mode.op == op.ExecutionMode and mode.word(1) == enums.ExecutionModeLocalSize:
            return mode.word(2), mode.word(3), mode.word(4)
        if mode.op == op.ExecutionModeId and mode.word(1) == enums.ExecutionModeLocalSizeId:
            sizes = [globals.values.get(mode.value(at)) for at in (2, 3, 4)]
            if all(isinstance(size, int) for size in sizes):
                return int(sizes[0] or 0), int(sizes[1] or 0), int(sizes[2] or 0)
    return default, 1, 1


def reached_functions(module: Module, entry: Function) -> list[Function]:
    """`entry` and all it calls, callers first. Raises InputError (RK1003) where a function can call itself, and
    (RK1001) for one without a body."""
    calls: dict[Function, list[Function]] = {}
    order: list[Function] = []
    work = [entry]
    while work:
        function = work.pop()
        if function in calls:
            continue
        if function.is_declaration():
            raise InputError(
                [Diagnostic("RK1001", f"function {function.name or function.id} has no body", Place(module.path))]
            )
        order.append(function)
        called: list[Function] = []
        for instr in instructions(function):
            called.extend(may_call(module, instr))
        calls[function] = called
        work.extend(reversed(called))
    refuse_recursion(module, order, calls)
    return order


def refuse_recursion(module: Module, order: list[Function], calls: dict[Function, list[Function]]) -> None:
    """Take away functions whose callees are all gone; what stays is on a cycle or calls one."""
    waiting = {function: len(set(calls[function])) for function in order}
    callers: dict[Function, list[Function]] = {function: [] for function in order}
    for function in order:
        for callee in dict.fromkeys(calls[function]):
            callers[callee].append(function)
    work = [function for function in order if waiting[function] == 0]
    done: dict[Function, None] = {}
    while work:
        function = work.pop()
        done[function] = None
        for caller in callers[function]:
            waiting[caller] -= 1
            if waiting[caller] == 0:
                work.append(caller)
    left = [function for function in order if function not in done]
    if left:
        names = [f"%{function.name or function.id}" for function in left]
        raise InputError(
            [
                Diagnostic(
                    "RK1003",
                    "the program calls a function from itself",
                    Place(module.path),
                    notes=[Note(f"among {', '.join(names)}")],
                    help="SPIR-V does not allow recursion in shaders",
                )
            ]
        )
