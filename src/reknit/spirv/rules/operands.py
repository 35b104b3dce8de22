"""What the operands of branches and returns are.

OpBranchConditional %bool    OpSwitch %int    OpReturnValue %what-the-function-returns    OpLoopMerge ... a control
"""

from reknit.ir import enums, op
from reknit.source.columns import i32, i64
from reknit.spirv.rules.subject import Subject

POINTERS = (op.TypePointer, op.TypeUntypedPointerKHR)


def conditions_have_their_types(case: Subject) -> None:
    """B31: a condition is a Boolean, a selector an integer, neither a vector (OpBranchConditional, OpSwitch)."""
    flow = case.flow
    columns = case.columns
    block: i64 = 0
    while block < flow.count:
        row: i64 = flow.last[block]
        code: i32 = columns.op[row] if row >= 0 else 0
        if code == op.BranchConditional:
            if columns.size[row] != 4 and columns.size[row] != 6:
                message = (
                    f"it has {int(columns.size[row]) - 1} operands; a condition and two labels, or weights for both"
                )
                case.out.add("B31", message, row, block, breaks=False)
            elif _type_op(case, row) != op.TypeBool:
                message = f"the condition {case.out.id(int(flow.operand(row, 1)))} is not a Boolean"
                case.out.add("B31", message, row, block, breaks=False)
        elif code == op.Switch and _type_op(case, row) != op.TypeInt:
            message = f"the selector {case.out.id(int(flow.operand(row, 1)))} is not an integer"
            case.out.add("B31", message, row, block, breaks=False)
        block += 1


def _type_op(case: Subject, row: i64) -> int:
    """The opcode of the type of an instruction's first operand; 0 where it has none."""
    kind = case.flow.type_row(case.flow.operand(row, 1))
    return int(case.columns.op[kind]) if kind >= 0 else 0


def returns_fit_the_function(case: Subject) -> None:
    """B34: OpReturn ends void functions, OpReturnValue the others, with a value of their type (OpReturnValue)."""
    flow = case.flow
    columns = case.columns
    block: i64 = 0
    while block < flow.count:
        row: i64 = flow.last[block]
        code: i32 = columns.op[row] if row >= 0 else 0
        if code != op.Return and code != op.ReturnValue:
            block += 1
            continue
        function: i64 = i64(columns.functions[flow.function[block]])
        wanted: i64 = i64(columns.type[function])
        defined: i64 = i64(columns.definition[wanted]) if wanted > 0 else -1
        is_void = defined >= 0 and columns.op[defined] == op.TypeVoid
        if code == op.Return:
            if defined >= 0 and not is_void:
                message = (
                    f"OpReturn in function {case.out.function_name(int(flow.function[block]))}, which returns a value"
                )
                case.out.add("B34", message, row, block, breaks=False)
        else:
            _check_value(case, row, block, wanted)
        block += 1


def _check_value(case: Subject, row: i64, block: i64, wanted: i64) -> None:
    columns = case.columns
    value: i64 = case.flow.operand(row, 1)
    kind: i64 = case.flow.type_row(value)
    named = case.out.id(int(value))
    function = case.out.function_name(int(case.flow.function[block]))
    if kind < 0 or columns.op[kind] == op.TypeVoid:
        case.out.add("B34", f"{named} is no value that a function can return", row, block, breaks=False)
    elif i64(columns.result[kind]) != wanted:
        case.out.add("B34", f"{named} has another type than function {function} returns", row, block, breaks=False)
    elif int(columns.op[kind]) in POINTERS and case.facts.logical and not has_variable_pointers(case):
        message = f"{named} is a pointer, which in the Logical addressing model only variable pointers can return"
        case.out.add("B34", message, row, block, breaks=False)


def has_variable_pointers(case: Subject) -> bool:
    """Whether pointers may be results in the Logical addressing model."""
    known = case.facts.capabilities
    return enums.CapabilityVariablePointers in known or enums.CapabilityVariablePointersStorageBuffer in known


def lifetimes_are_of_local_variables(case: Subject) -> None:
    """X05: OpLifetimeStart and OpLifetimeStop take a pointer to a function's own variable (OpLifetimeStart)."""
    columns = case.columns
    flow = case.flow
    row: i64 = case.facts.first_function
    rows: i64 = len(columns.op)
    while row < rows:
        code: i32 = columns.op[row]
        if (code == op.LifetimeStart or code == op.LifetimeStop) and columns.block[row] >= 0:
            kind: i64 = flow.type_row(flow.operand(row, 1))
            block = int(columns.block[row])
            if kind < 0 or columns.op[kind] != op.TypePointer or flow.operand(kind, 2) != enums.StorageClassFunction:
                message = f"{case.out.id(int(flow.operand(row, 1)))} is not a pointer to a variable of the function"
                case.out.add("X05", message, row, block, breaks=False)
            elif flow.operand(row, 2) != 0 and enums.CapabilityAddresses not in case.facts.capabilities:
                case.out.add("X05", "a size other than 0 needs the capability Addresses", row, block, breaks=False)
        row += 1


def loop_controls_agree(case: Subject) -> None:
    """X03: a loop control asks for no two things that exclude each other (SPIR-V 1.6, 3.23 "Loop Control")."""
    flow = case.flow
    columns = case.columns
    block: i64 = 0
    while block < flow.count:
        row: i64 = flow.merge_row[block]
        if row >= 0 and columns.op[row] == op.LoopMerge and flow.operand(row, 3) != 0:
            control = int(flow.operand(row, 3))
            wrong = ""
            if control & enums.LoopControlDontUnroll:
                for bit, name in (
                    (enums.LoopControlUnroll, "Unroll"),
                    (enums.LoopControlPeelCount, "PeelCount"),
                    (enums.LoopControlPartialCount, "PartialCount"),
                ):
                    if control & bit:
                        wrong = f"DontUnroll and {name} exclude each other"
            if control & enums.LoopControlIterationMultiple:
                before = (
                    enums.LoopControlDependencyLength | enums.LoopControlMinIterations | enums.LoopControlMaxIterations
                )
                place = 4 + (control & before).bit_count()
                if flow.operand(row, place) == 0:
                    wrong = "IterationMultiple is at least 1"
            if wrong:
                case.out.add("X03", f"the control of loop {case.out.at(block)}: {wrong}", row, block, breaks=False)
        block += 1
