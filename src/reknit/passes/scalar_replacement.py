"""Split variables whose parts are accessed by constant indices into a variable for each part.

    %v = Variable : ptr<Function, struct { u32, vec2<f32> }>      %v_0 = Variable : ptr<Function, u32>
    %p = AccessChain %v, 0u                                       %v_1 = Variable : ptr<Function, vec2<f32>>
    Store %p, %x                                            =>    Store %v_0, %x
    %w = Load %v                                                  %a = Load %v_0; %b = Load %v_1
                                                                  %w = CompositeConstruct %a, %b

A vector or matrix that is mostly accessed whole stays one, unless `vectors=all`: its parts are extracted and inserted
(`component_accesses`). A part that is accessed by constant indices in turn is split again, so that `promote-variables`
finds variables that are loaded and stored whole. A variable stays where an index of its first level is not a constant
in range, where it is accessed otherwise than by loads, stores and chains (a call, an atomic), where a load or store of
the whole is not plain, where nothing accesses a part, and with more than `limit` parts. Debug information declares the
parts.

No tangle changes: loads and stores of a function's own variables stand where they stood.
Source: LLVM's SROA; SPIRV-Tools' scalar replacement.
"""

from typing import Final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int, int_constant
from reknit.ir.debug import EXT_INSTS, SHADER_DEBUG, is_declare, set_of
from reknit.ir.edit import erase, insert_before, replace_uses
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import int_type, pointee, pointer_type
from reknit.passes.component_accesses import access_whole, is_kept_whole
from reknit.passes.contract import CONTROL_FLOW, Context, Option, Pass
from reknit.passes.promotable import is_plain, may_be_split

_ACCESSES: Final = frozenset((op.Load, op.Store)) | traits.OBJECT_CHAIN
FEWEST: Final = "fewest"
ALL: Final = "all"
WIDEST: Final = 16
"""Components of a vector without an extension (SPIR-V 1.6, 2.16.1); what breaks that rule may say any number."""


def scalar_replacement(function: Function, context: Context) -> bool:
    """Costs the accesses of each variable, for each level that is split."""
    limit = context.options["limit"]
    fewest = context.options["vectors"] == FEWEST
    assert isinstance(limit, int)
    decorations = context.analyses.of_module(Decorations)
    work = [instr for instr in function.entry() if instr.op == op.Variable]
    work.reverse()
    changed = False
    while work:
        variable = work.pop()
        types = _part_types(pointee(_type(variable)), limit)
        if types and may_be_split(variable, decorations) and _is_by_parts(variable, types, context.module):
            changed = True
            if fewest and is_kept_whole(variable, len(types)):
                access_whole(variable)
                continue
            work.extend(reversed(_split(function, context.module, variable, types)))
    return changed


def _part_types(type: Instr, limit: int) -> list[Instr]:
    """The types of the parts; none if it has no parts, or too many."""
    if type.op == op.TypeStruct:
        return [type.instr(index) for index in range(len(type.operands))] if len(type.operands) <= limit else []
    if type.op == op.TypeVector or type.op == op.TypeMatrix:
        return [type.instr(0)] * type.word(1) if type.word(1) <= max(limit, WIDEST) else []
    if type.op == op.TypeArray:
        count = as_int(type.value(1)) if type.instr(1).op == op.Constant else None
        return [type.instr(0)] * count if count is not None and 0 < count <= limit else []
    return []


def _is_by_parts(variable: Instr, types: list[Instr], module: Module) -> bool:
    """Whether every access is of the whole, plainly, or of a part that is known; and there are some of parts."""
    if len(variable.operands) > 1 and not _parts_of_constant(variable.instr(1), types, module):
        return False
    whole = pointee(_type(variable))
    by_parts = False
    for user in variable.user_list():
        if not isinstance(user, Instr) or user.block is None:
            return False
        if user.op in traits.OBJECT_CHAIN and user.operands[0] is variable and len(user.operands) > 1:
            index = as_int(user.value(1))
            if index is None or not 0 <= index < len(types):
                return False
            own = pointer_type(module, enums.StorageClassFunction, types[index])
            if len(user.operands) == 2 and user.type is not own and not _is_only_accessed(user):
                return False
            by_parts = True
        elif is_declare(user):
            if not set_of(user).startswith(SHADER_DEBUG):
                return False  # OpenCL's has no indices
        elif user.op == op.Load:
            if user.type is not whole or not is_plain(user, 1):
                return False
        elif user.op == op.Store:
            stored = user.operands[1]
            if not isinstance(stored, Instr) or stored.type is not whole or not is_plain(user, 2):
                return False
        else:
            return False
    return by_parts


def _is_only_accessed(chain: Instr) -> bool:
    """Whether nothing sees which of several equal pointer types it has."""
    return all(
        isinstance(user, Instr) and user.op in _ACCESSES and user.operands[0] is chain for user in chain.user_list()
    )


def _split(function: Function, module: Module, variable: Instr, types: list[Instr]) -> list[Instr]:
    """The variables of the parts, which every access goes to now."""
    given = _parts_of_constant(variable.instr(1), types, module) if len(variable.operands) > 1 else []
    parts: list[Instr] = []
    for index, type in enumerate(types):
        pointer = pointer_type(module, enums.StorageClassFunction, type)
        operands: list[Operand] = [enums.StorageClassFunction]
        if given:
            operands.append(given[index])
        name = f"{variable.name}_{index}" if variable.name else ""
        parts.append(insert_before(variable, Instr(op.Variable, pointer, operands, name)))
    for user in variable.user_list():
        assert isinstance(user, Instr)
        if user.op == op.Load:
            loads: list[Operand] = [
                insert_before(user, Instr(op.Load, type, [part])) for part, type in zip(parts, types, strict=True)
            ]
            user.op = op.CompositeConstruct
            user.set_operands(loads)
        elif user.op == op.Store:
            stored = user.value(1)
            for index, (part, type) in enumerate(zip(parts, types, strict=True)):
                piece = insert_before(user, Instr(op.CompositeExtract, type, [stored, index]))
                insert_before(user, Instr(op.Store, None, [part, piece], "", False))
            erase(user)
        elif user.op in EXT_INSTS:
            for index, part in enumerate(parts):
                operands = [*user.operands, int_constant(module, int_type(module, 32, False), index)]
                operands[3] = part
                insert_before(user, Instr(user.op, user.type, operands))
            erase(user)
        else:
            chosen = as_int(user.value(1))
            assert chosen is not None
            if len(user.operands) == 2:
                replace_uses(user, parts[chosen])
                erase(user)
            else:
                user.remove_operand(1)
                user.set_operand(0, parts[chosen])
    erase(variable)
    return parts


def _parts_of_constant(whole: Instr, types: list[Instr], module: Module) -> list[Instr]:
    """What a variable's parts are initialised with; none where that is not seen."""
    if whole.op == op.ConstantNull:
        return [module.intern(op.ConstantNull, type, []) for type in types]
    if whole.op == op.ConstantComposite or whole.op == op.SpecConstantComposite:
        return [whole.instr(index) for index in range(len(whole.operands))]
    return []


def _type(variable: Instr) -> Instr:
    assert variable.type is not None
    return variable.type


SCALAR_REPLACEMENT: Final = Pass(
    "scalar-replacement",
    "split variables whose parts are accessed by constant indices",
    scalar_replacement,
    keeps=(*CONTROL_FLOW, "call-graph", "tangled"),
    options=(
        Option("limit", 100, "the most parts that a variable is split into"),
        Option("vectors", FEWEST, "split vectors where that gives fewer instructions, or all", (FEWEST, ALL)),
    ),
)
