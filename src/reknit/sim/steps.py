"""An instruction made into a step: a closure that executes it for the lanes of a tangle.

OpIAdd %c %a %b                    column function        rule 1: every lane for itself
OpGroupNonUniformBallot %x ..      once per subgroup      rule 2: over the tangle and the subgroup
OpLoad, OpStore, OpAtomic..        `access`
OpControlBarrier                   rule 2: all invocations of its scope must be in the tangle
"""

from typing import Any, Final

from reknit.analysis.descriptors import indices_of
from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.opcodes import FIRST_OWN, ext_set
from reknit.ir.value import Value
from reknit.sim import access
from reknit.sim.barriers import all_come, barrier, memory_barrier
from reknit.sim.derivative_ways import with_ways
from reknit.sim.faults import describe
from reknit.sim.fill import ZEROS
from reknit.sim.float_modes import TOWARD_ZERO
from reknit.sim.fold_orders import has_orders, with_orders
from reknit.sim.helper_lanes import with_helpers
from reknit.sim.kernel import Step, as_step
from reknit.sim.ops.columns import Column
from reknit.sim.ops.directed import directed_column, is_directed
from reknit.sim.ops.glsl import glsl_column
from reknit.sim.ops.group import group_function
from reknit.sim.ops.group_vote import GroupFunction
from reknit.sim.ops.image import image_step
from reknit.sim.ops.image_lookup import lookup_step
from reknit.sim.ops.interpolate import AT_PLACES, interpolate_step
from reknit.sim.ops.opencl import opencl_column
from reknit.sim.ops.table import column_function
from reknit.sim.ops.tagged import is_cast, load_tagged, store_tagged
from reknit.sim.ops.undefined import Undefined
from reknit.sim.ops.witness_lookup import dispatch_step
from reknit.sim.pointer_values import pointers_step
from reknit.sim.pointers import is_address, is_pointer, needs_address
from reknit.sim.prepare import Preparation
from reknit.sim.unsupported import Unsupported
from reknit.sim.unwritten import writing
from reknit.sim.values import POINTER_KIND, VOID, Shape
from reknit.sim.word_kernels import group_kernel, word_kernel
from reknit.sim.wraps import judged

NO_QUADS: Final = (
    "takes derivatives, for which a compute shader declares DerivativeGroupQuadsKHR or DerivativeGroupLinearKHR, and a "
    "fragment shader is run over a drawing"
)


def step_of(preparation: Preparation, instr: Instr) -> Step | None:
    """The step of an instruction, None where nothing happens. Raises Unsupported."""
    step = defined_step(preparation, instr)
    if step is not None:
        step = by_one_descriptor(preparation, instr, step)
    undefined_lanes = preparation.undefined_lanes.get(instr)
    if step is None or undefined_lanes is None or preparation.fill.kind == ZEROS or not instr.has_result:
        return step
    return filling(preparation, instr, step, undefined_lanes)


def by_one_descriptor(preparation: Preparation, instr: Instr, step: Step) -> Step:
    """The step, which reports where invocations of a subgroup access memory through different descriptors of an array
    and nothing says that they may: `analysis.descriptors`."""
    decorations = preparation.globals.decorations
    indices = indices_of(instr, lambda value: decorations.has(value, enums.DecorationNonUniform))
    if not indices:
        return step
    columns: list[list[int]] = [preparation.column(index) for index in indices]
    size = preparation.subgroup_size
    undefined = preparation.undefined(instr)
    plain = step

    def run(lanes: list[int]) -> None:
        for column in columns:
            if any(column[lane] != column[lanes[0]] for lane in lanes):
                firsts: dict[int, int] = {}
                for lane in lanes:
                    first = firsts.setdefault(lane // size, lane)
                    if column[lane] != column[first]:
                        undefined.lane = lane
                        undefined.differ(
                            f"{describe(instr)} is through descriptor {column[first]} in lane {first} and "
                            f"{column[lane]} in lane {lane} of its subgroup, and is not NonUniform"
                        )
                        break
        plain(lanes)

    return run


def filling(preparation: Preparation, instr: Instr, step: Step, undefined_lanes: list[int]) -> Step:
    """The step, after which the results that it reports as undefined are what undefined values are taken to be."""
    out = preparation.column(instr)
    shape = preparation.shape(instr)
    fill = preparation.fill

    def run(lanes: list[int]) -> None:
        undefined_lanes.clear()
        step(lanes)
        for lane in undefined_lanes:
            for each in lanes if lane < 0 else [lane]:
                out[each] = fill.value(shape)

    return run


def defined_step(preparation: Preparation, instr: Instr) -> Step | None:
    """With 0, or something near, where a result is undefined."""
    code = instr.op
    known = traits.SIM.get(code, "")
    if known == "nothing":  # phis get their values on entry
        return None
    if code >= FIRST_OWN:
        return dispatch_step(preparation, instr)
    if code in traits.CHAIN:
        return access.address(preparation, instr) if needs_address(instr) else None
    if code == op.Load:
        if is_cast(instr.operands[0]):
            return load_tagged(preparation, instr)
        if reads_helper(preparation, instr):
            return is_helper(preparation, instr)
        return access.load(preparation, instr)
    if code == op.Store:
        if is_cast(instr.operands[0]):
            return access.live_only(store_tagged(preparation, instr), preparation, instr.value(0))
        return access.store(preparation, instr)
    if code == op.Variable:
        return access.enter_variable(preparation, instr)
    if code == op.CopyMemory:
        return access.copy_memory(preparation, instr)
    if code == op.ArrayLength:
        return access.array_length(preparation, instr)
    if known == "atomic":
        return access.atomic(preparation, instr)
    if known == "image":
        return image_step(preparation, instr)
    if known == "image_lookup":
        return lookup_step(preparation, instr)
    if code == op.ControlBarrier:
        return barrier(preparation, instr)
    if code == op.MemoryBarrier:
        return memory_barrier(preparation, instr)
    if code == op.DemoteToHelperInvocation:
        return demote(preparation)
    if code == op.IsHelperInvocationEXT:
        return is_helper(preparation, instr)
    if code == op.ExtInst:
        return extended(preparation, instr)
    if code == op.ConvertPtrToU or code == op.ConvertUToPtr:
        return columns_step(preparation, instr, op.UConvert, [instr.value(0)], [])
    if code in (op.PtrEqual, op.PtrNotEqual) and is_address(instr.value(0)):
        equal = op.IEqual if code == op.PtrEqual else op.INotEqual
        return columns_step(preparation, instr, equal, [instr.value(0), instr.value(1)], [])
    if code in (op.PtrEqual, op.PtrNotEqual, op.PtrDiff):
        return pointers_step(preparation, instr)
    if code == op.ExpectKHR:
        return columns_step(preparation, instr, op.CopyObject, [instr.value(0)], [])
    if is_pointer(instr) and (code == op.CopyObject or not is_address(instr)):
        return pointer_step(preparation, instr)
    values, literals = split_operands(instr)
    if known.startswith("group"):
        return group(preparation, instr, values, literals)
    return judged(preparation, instr, values, columns_step(preparation, instr, code, values, literals))


def split_operands(instr: Instr) -> tuple[list[Value], list[int]]:
    """The operands that are ids and those that are literals, each in order."""
    values: list[Value] = []
    literals: list[int] = []
    for operand in instr.operands:
        if isinstance(operand, Value):
            values.append(operand)
        elif isinstance(operand, int):
            literals.append(operand)
    return values, literals


def columns_step(preparation: Preparation, instr: Instr, code: int, values: list[Value], literals: list[int]) -> Step:
    """Rule 1: an ordinary instruction. "No order between lanes of one tangle is implied"; none of these depends on
    it."""
    shapes = [preparation.shape(value) for value in values]
    undefined = preparation.undefined(instr)
    if not instr.has_result:
        raise Unsupported("is not known to the simulator")
    mode = preparation.globals.decorations.number(instr, enums.DecorationFPRoundingMode)
    kernel = word_kernel(preparation, instr, code, values, literals) if not is_directed(mode) else None
    if kernel is not None:
        return as_step(kernel)
    if is_directed(mode):
        column: Column | None = directed_column(instr, mode, preparation.shape(instr), shapes[0], undefined)
    else:
        column = column_function(code, preparation.shape(instr), shapes, literals, undefined)
    if column is None:
        raise Unsupported("is not known to the simulator for these types")
    if preparation.floats.concern(code):
        column = float_column(preparation, instr, column, shapes)
    run = column
    out = preparation.column(instr)
    columns = [preparation.column(value) for value in values]

    def step(lanes: list[int]) -> None:
        run(out, lanes, columns)

    return step


def float_column(preparation: Preparation, instr: Instr, column: Column, shapes: list[Shape]) -> Column:
    """As the execution modes that are about floats ask."""
    result = preparation.shape(instr)
    if preparation.floats.rounds(result):
        raise Unsupported(TOWARD_ZERO)
    return preparation.floats.adapted(column, result, shapes)


def pointer_step(preparation: Preparation, instr: Instr) -> Step | None:
    """Pointers that are chosen or copied: OpSelect, OpCopyObject."""
    if instr.op == op.CopyObject:
        return access.address(preparation, instr) if needs_address(instr) else None
    if instr.op != op.Select:
        raise Unsupported("makes a pointer in a way that the simulator doesn't know")
    out = preparation.column(instr)
    condition: list[int] = preparation.column(instr.value(0))
    yes = preparation.column(instr.value(1))
    no = preparation.column(instr.value(2))

    def step(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = yes[lane] if condition[lane] else no[lane]

    return step


# --- tangled instructions ---------------------------------------------------------------------------------------------


def group(preparation: Preparation, instr: Instr, values: list[Value], literals: list[int]) -> Step:
    """Rule 2: evaluated once over the tangle and the instance of its scope."""
    if traits.SIM.get(instr.op) == "group_derivative" and not preparation.quads:
        raise Unsupported(NO_QUADS)
    scope = enums.ScopeSubgroup
    if instr.op in traits.SCOPED:
        scope = access.constant(preparation, values[0])
        values = values[1:]
    shapes = [preparation.shape(value) for value in values]
    function = with_ways(preparation, instr) if traits.SIM.get(instr.op) == "group_derivative" else None
    if function is None:
        function = group_function(instr.op, preparation.shape(instr), shapes, literals, preparation.undefined(instr))
    if function is None:
        raise Unsupported("is a group operation that the simulator doesn't know for these types")
    if scope == enums.ScopeSubgroup:
        size = preparation.subgroup_size
    elif scope == enums.ScopeWorkgroup:
        if preparation.packed:
            raise Unsupported("goes by the order of the workgroup's invocations, which packed subgroups do not keep")
        size = preparation.lanes
    else:
        raise Unsupported(f"has scope {scope}; the simulator has Subgroup and Workgroup")
    judged = sees_helpers(preparation, instr)
    together = traits.COMES.get(instr.op) == "scope"
    ordered = has_orders(instr)
    if not judged and not together and not ordered:
        kernel = group_kernel(preparation, instr, values, literals, size)
        if kernel is not None:
            return as_step(kernel)
    columns = [preparation.column(value) for value in values]
    if preparation.floats.concern_group(instr.op):
        function = float_group(preparation, instr, function, shapes)
    if ordered:
        function = with_orders(preparation, instr, function, literals)
    if judged:
        heard: list[str] = []
        unheard = Undefined(lambda lane, message: heard.append(message))
        trial = group_function(instr.op, preparation.shape(instr), shapes, literals, unheard)
        assert trial is not None
        if preparation.floats.concern_group(instr.op):
            trial = float_group(preparation, instr, trial, shapes)
        function = with_helpers(preparation, instr, function, trial, heard)
    step = per_scope(function, preparation.column(instr), columns, size)
    if not together:
        return step
    meeting = all_come(preparation, instr, size, "subgroup" if scope == enums.ScopeSubgroup else "workgroup")

    def meet(lanes: list[int]) -> None:
        meeting(lanes)
        step(lanes)

    return meet


def sees_helpers(preparation: Preparation, instr: Instr) -> bool:
    """Whether helper invocations may be considered inactive for an operation: for those over a subgroup, "other than
    derivative and quad group operations"."""
    return preparation.may_demote and traits.TANGLED.get(instr.op) in ("scope", "subgroup") and instr.is_used()


def float_group(preparation: Preparation, instr: Instr, function: GroupFunction, shapes: list[Shape]) -> GroupFunction:
    """A sum, product, minimum or maximum of floats, as the execution modes ask."""

    def flushing(out: list[Any], lanes: list[int], columns: list[list[Any]], base: int, size: int) -> None:
        def column(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
            function(out, lanes, columns, base, size)

        float_column(preparation, instr, column, shapes)(out, lanes, columns)

    float_column(preparation, instr, lambda out, lanes, columns: None, shapes)  # raises what is not done
    return flushing


def per_scope(function: GroupFunction, out: list[Any], columns: list[list[Any]], size: int) -> Step:
    """Cut the lanes, which ascend, into instances of the scope: each `size` lanes of the workgroup."""

    def step(lanes: list[int]) -> None:
        base = lanes[0] - lanes[0] % size
        if lanes[-1] < base + size:
            function(out, lanes, columns, base, size)
            return
        part: list[int] = []
        for lane in lanes:
            if lane >= base + size:
                function(out, part, columns, base, size)
                base = lane - lane % size
                part = []
            part.append(lane)
        function(out, part, columns, base, size)

    return step


def demote(preparation: Preparation) -> Step:
    """Rule 11: no control flow. From here on the lanes store nothing; they stay in their tangles for the others'
    sake."""
    helpers = preparation.helpers

    def step(lanes: list[int]) -> None:
        for lane in lanes:
            helpers[lane] = 1

    return step


def reads_helper(preparation: Preparation, instr: Instr) -> bool:
    """A volatile load of HelperInvocation, which a demote changes; any other load has what was so at the start."""
    variable = instr.value(0)
    decorations = preparation.globals.decorations
    if decorations.number(variable, enums.DecorationBuiltIn) != enums.BuiltInHelperInvocation:
        return False
    operands = instr.word(1) if len(instr.operands) > 1 else 0
    return bool(operands & enums.MemoryAccessVolatile) or decorations.has(variable, enums.DecorationVolatile)


def is_helper(preparation: Preparation, instr: Instr) -> Step:
    out = preparation.column(instr)
    helpers = preparation.helpers

    def step(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = helpers[lane]

    return step


# --- extended instructions --------------------------------------------------------------------------------------------


def extended(preparation: Preparation, instr: Instr) -> Step | None:
    """OpExtInst: GLSL.std.450, and what is exact of OpenCL.std; a set that is not semantic does nothing."""
    set_name = instr.instr(0).text(0)
    known = ext_set(set_name)
    if set_name.startswith("NonSemantic.") or (known is not None and known.nonsemantic):
        return None
    number = instr.word(1)
    known_instr = known.by_number.get(number) if known is not None else None
    name = f"{set_name} {known_instr.name if known_instr is not None else number}"
    if set_name.startswith(("OpenCL.DebugInfo", "DebugInfo")):
        return None
    if set_name not in ("GLSL.std.450", "OpenCL.std"):
        raise Unsupported(f"({name}) is of a set that the simulator doesn't know")
    if set_name == "GLSL.std.450" and number in AT_PLACES:
        return interpolate_step(preparation, instr)
    if any(not isinstance(operand, Value) for operand in instr.operands[2:]):
        raise Unsupported(f"({name}) loads or stores several numbers at once")
    values = [instr.value(at) for at in range(2, len(instr.operands))]
    shapes = [preparation.shape(value) for value in values]
    result = preparation.shape(instr)
    if set_name == "OpenCL.std":
        column = opencl_column(name.split()[1], result, shapes, preparation.undefined(instr))
    else:
        column = glsl_column(number, result, shapes, preparation.undefined(instr))
    if column is None:
        raise Unsupported(f"({name}) is not known to the simulator for these types")
    run = float_column(preparation, instr, column, shapes)
    out = preparation.column(instr)
    if len(shapes) == 2 and shapes[1].kind == POINTER_KIND:
        return pair_step(preparation, instr, values)
    columns = [preparation.column(value) for value in values]

    def step(lanes: list[int]) -> None:
        run(out, lanes, columns)

    return step


def pair_step(preparation: Preparation, instr: Instr, values: list[Value]) -> Step:
    """Modf and Frexp: the second half of the pair is stored through the pointer."""
    shapes = [preparation.shape(value) for value in values]
    column = glsl_column(instr.word(1), preparation.shape(instr), shapes, preparation.undefined(instr))
    assert column is not None
    run = preparation.floats.adapted(column, VOID, shapes[:1])
    out = preparation.column(instr)
    pairs: list[Any] = [0] * preparation.lanes
    columns = [preparation.column(values[0])]
    place = preparation.place(values[1], instr)

    def second(lanes: list[int]) -> None:
        for lane in lanes:
            place.put(lane, pairs[lane][1])

    put = access.live_only(writing(preparation.unwritten, place, second), preparation, values[1])

    def step(lanes: list[int]) -> None:
        run(pairs, lanes, columns)
        for lane in lanes:
            out[lane] = pairs[lane][0]
        put(lanes)

    return step
