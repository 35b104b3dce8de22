"""DXIL's ray queries: variables of the function, which each call of allocateRayQuery is one of.

    %q = allocateRayQuery(178, flags)                        Variable of TypeRayQueryKHR in the entry block
    rayQuery_TraceRayInline(179, %q, scene, flags, mask, o.xyz, tmin, d.xyz, tmax)     RayQueryInitializeKHR
    rayQuery_CommittedRayT(200, %q)                          RayQueryGetIntersectionTKHR %q 1
    rayQuery_CandidateObjectToWorld3x4(186, %q, row, column) component `row` of column `column`

Flags, kinds of intersections and what is committed have the same numbers in both.
Source: SPV_KHR_ray_query; Microsoft's DirectX Raytracing specification, "RayQuery"; DXC, DxilConstants.h, OpCode.
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.images import loaded
from reknit.front.llvm.resources import SRV
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.edit import prepend
from reknit.ir.instr import Instr
from reknit.ir.instr import Operand as Given
from reknit.ir.types import pointer_type, vector_type
from reknit.ir.value import Value

ALLOCATE: Final = 178
_TRACE: Final = 179
_PROCEED: Final = 180
_OF_QUERY: Final = "dx.op.rayQuery_"
_SCENE: Final = 16  # DXC, DxilConstants.h, ResourceKind
_SKIPS: Final = 0x300  # triangles, procedural primitives

_EFFECTS: Final = {
    181: op.RayQueryTerminateKHR, 182: op.RayQueryConfirmIntersectionKHR, 183: op.RayQueryGenerateIntersectionKHR,
}  # fmt: skip
_TRUTH: Final = -1
_WORD: Final = 0
_NUMBER: Final = 1
_PAIR: Final = 2
_TRIPLE: Final = 3
_COLUMNS: Final = 4
_ASKED: Final = {
    _PROCEED: (op.RayQueryProceedKHR, _TRUTH),
    190: (op.RayQueryGetIntersectionCandidateAABBOpaqueKHR, _TRUTH),
    195: (op.RayQueryGetRayFlagsKHR, _WORD),
    196: (op.RayQueryGetWorldRayOriginKHR, _TRIPLE),
    197: (op.RayQueryGetWorldRayDirectionKHR, _TRIPLE),
    198: (op.RayQueryGetRayTMinKHR, _NUMBER),
}  # fmt: skip
_NON_OPAQUE: Final = 190
_RECORD: Final = op.RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR
_OF_INTERSECTION: Final = {
    (185, 184): (op.RayQueryGetIntersectionTypeKHR, _WORD),
    (186, 188): (op.RayQueryGetIntersectionObjectToWorldKHR, _COLUMNS),
    (187, 189): (op.RayQueryGetIntersectionWorldToObjectKHR, _COLUMNS),
    (191, 192): (op.RayQueryGetIntersectionFrontFaceKHR, _TRUTH),
    (193, 194): (op.RayQueryGetIntersectionBarycentricsKHR, _PAIR),
    (199, 200): (op.RayQueryGetIntersectionTKHR, _NUMBER),
    (201, 207): (op.RayQueryGetIntersectionInstanceIdKHR, _WORD),
    (202, 208): (op.RayQueryGetIntersectionInstanceCustomIndexKHR, _WORD),
    (203, 209): (op.RayQueryGetIntersectionGeometryIndexKHR, _WORD),
    (204, 210): (op.RayQueryGetIntersectionPrimitiveIndexKHR, _WORD),
    (205, 211): (op.RayQueryGetIntersectionObjectRayOriginKHR, _TRIPLE),
    (206, 212): (op.RayQueryGetIntersectionObjectRayDirectionKHR, _TRIPLE),
    (214, 215): (_RECORD, _WORD),
}  # fmt: skip
"""By the operations of the candidate and of what is committed: the instruction, and what it gives."""
QUERIES: Final = (ALLOCATE, _TRACE, _PROCEED, *_EFFECTS)
RAYS: Final = (*QUERIES, *_ASKED, *[code for pair in _OF_INTERSECTION for code in pair])


def ray(lowering: Lowering, statement: Statement, code: int) -> Value | None:
    """Raises Refusal."""
    if code == ALLOCATE:
        return _allocated(lowering, statement)
    query = _query(lowering, statement.operands[1])
    if code == _TRACE:
        _trace(lowering, statement, query)
        return None
    if code in _EFFECTS:
        lowering.target.effect(_EFFECTS[code], [query, *[lowering.value(each) for each in statement.operands[2:]]])
        return None
    return _asked(lowering, statement, code, query)


def _allocated(lowering: Lowering, statement: Statement) -> Instr:
    for user in lowering.users.get(statement.name, []):
        if not user.callee.startswith(_OF_QUERY):
            raise Refusal("is a ray query that is chosen at run time", "give each ray a query of its own")
    target = lowering.target
    target.capability(enums.CapabilityRayQueryKHR)
    target.extension("SPV_KHR_ray_query")
    type = target.module.intern(op.TypeRayQueryKHR, None, [])
    pointer = pointer_type(target.module, enums.StorageClassFunction, type)
    entry = lowering.blocks[lowering.routine.chunks[0].name]
    return prepend(entry, Instr(op.Variable, pointer, [enums.StorageClassFunction], statement.name))


def _query(lowering: Lowering, operand: Operand) -> Value:
    call = lowering.definitions.get(operand.text) if operand.kind == syntax.LOCAL else None
    if call is None or not call.callee.startswith("dx.op.allocateRayQuery"):
        raise Refusal("uses a ray query that is chosen at run time", "give each ray a query of its own")
    return lowering.value(operand)


def _trace(lowering: Lowering, statement: Statement, query: Value) -> None:
    target = lowering.target
    operands = statement.operands
    scene = lowering.handle(operands[2])
    if scene.resource.kind != SRV or scene.resource.shape != _SCENE:
        raise Refusal("traces a ray in what is no acceleration structure")
    call = lowering.definitions[operands[1].text]
    always = lowering.number(call.operands[1])
    flags = lowering.value(operands[3])
    if always:
        flags = target.emit(op.BitwiseOr, target.u32, [target.word(always), flags])
    if (always | (operands[3].number if operands[3].kind == syntax.NUMBER else 0)) & _SKIPS:
        target.capability(enums.CapabilityRayTraversalPrimitiveCullingKHR)
    triple = vector_type(target.module, target.float(32), 3)
    parts = [lowering.value(each) for each in operands[5:13]]
    origin = target.emit(op.CompositeConstruct, triple, [*parts[:3]])
    direction = target.emit(op.CompositeConstruct, triple, [*parts[4:7]])
    structure = loaded(target, scene, target.module.intern(op.TypeAccelerationStructureKHR, None, []))
    mask = lowering.value(operands[4])
    target.effect(op.RayQueryInitializeKHR, [query, structure, flags, mask, origin, parts[3], direction, parts[7]])


def _asked(lowering: Lowering, statement: Statement, code: int, query: Value) -> Value:
    target = lowering.target
    given: list[Given] = [query]
    if code in _ASKED:
        instruction, form = _ASKED[code]
    else:
        pair, (instruction, form) = next(row for row in _OF_INTERSECTION.items() if code in row[0])
        given.append(target.word(int(code == pair[1])))
    number = target.float(32)
    if form == _TRUTH:
        truth = target.emit(instruction, target.boolean, given)
        return truth if code != _NON_OPAQUE else target.emit(op.LogicalNot, target.boolean, [truth])
    if form in (_WORD, _NUMBER):
        return target.emit(instruction, target.u32 if form == _WORD else number, given)
    if form == _COLUMNS:
        columns = target.module.intern(op.TypeMatrix, None, [vector_type(target.module, number, 3), 4])
        row, column = lowering.number(statement.operands[2]), lowering.number(statement.operands[3])
        return target.emit(op.CompositeExtract, number, [target.emit(instruction, columns, given), column, row])
    whole = target.emit(instruction, vector_type(target.module, number, form), given)
    return target.emit(op.CompositeExtract, number, [whole, lowering.number(statement.operands[2])])
