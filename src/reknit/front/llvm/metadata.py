"""What a DXIL module says of itself in metadata.

    !dx.entryPoints = !{!14}     !14 = !{ptr @main, !"main", signatures, resources, properties}
    properties                   {i32 4, !16}: workgroup size     {i32 11, !17}: wave size
    !dx.resources                four lists: SRVs, UAVs, CBVs, samplers, with register, kind and name of each

Source: DXC, docs/DXIL.rst, "Metadata Model" and "Shader Resources".
"""

from typing import Final, final

from reknit.front.llvm.resources import CBV, SAMPLER, SRV, STRUCTURED, UAV, Resource
from reknit.front.llvm.syntax import EXPRESSION, GLOBAL, Node, Operand, Program
from reknit.source.digits import is_decimal

_FLAGS: Final = 0
_EARLY_TESTS: Final = 8
_NUMTHREADS: Final = 4
_FIELD_KIND: Final = 7  # DXC, DxilMetadataHelper.h, kDxilFieldAnnotationCompTypeTag
_SHORT: Final = (2, 3)  # I16, U16
_KIND: Final = 8
_WAVE_SIZE: Final = 11
_WAVE_RANGE: Final = 23


@final
class Entry:
    """`function` is its name in the module. `wave` are the wave sizes it asks for, empty if any will do. `inputs` and
    `outputs` name the nodes of its signatures; `early` asks for depth tests before it runs. `kind` is the ShaderKind
    that an entry point of a library has, -1 elsewhere."""

    __slots__ = ("function", "name", "size", "wave", "inputs", "outputs", "early", "kind")

    def __init__(self, function: str, name: str) -> None:
        self.function = function
        self.name = name
        self.size: list[int] = []
        self.wave: list[int] = []
        self.inputs: Operand | str | None = None
        self.outputs: Operand | str | None = None
        self.early = False
        self.kind = -1


def node_at(program: Program, entry: Operand | str | None) -> Node:
    """The node that `!12` names; empty for anything else."""
    return program.nodes.get(entry[1:], []) if isinstance(entry, str) and entry.startswith("!") else []


def number_at(node: Node, index: int) -> int:
    """The integer at a place of a node, 0 if there is none."""
    item = node[index] if index < len(node) else None
    return item.number if isinstance(item, Operand) else 0


def text_at(node: Node, index: int) -> str:
    item = node[index] if index < len(node) else None
    return item if isinstance(item, str) else ""


def shader_kind(program: Program) -> str:
    """`cs` for a compute shader."""
    for name in program.named.get("dx.shaderModel", []):
        return text_at(program.nodes.get(name, []), 0)
    return ""


def entries_of(program: Program) -> list[Entry]:
    """The entry points that name a function."""
    entries: list[Entry] = []
    for name in program.named.get("dx.entryPoints", []):
        node = program.nodes.get(name, [])
        function = node[0] if node else None
        if not isinstance(function, Operand) or not function.text:
            continue
        entry = Entry(function.text, text_at(node, 1))
        signatures = node_at(program, node[2] if len(node) > 2 else None)
        entry.inputs = signatures[0] if signatures else None
        entry.outputs = signatures[1] if len(signatures) > 1 else None
        properties = node_at(program, node[4] if len(node) > 4 else None)
        for index in range(0, len(properties) - 1, 2):
            tag = number_at(properties, index)
            numbers = node_at(program, properties[index + 1])
            if tag == _FLAGS:
                entry.early = number_at(properties, index + 1) & _EARLY_TESTS != 0
            elif tag == _KIND:
                entry.kind = number_at(properties, index + 1)
            elif tag == _NUMTHREADS:
                entry.size = [number_at(numbers, axis) for axis in range(3)]
            elif tag in (_WAVE_SIZE, _WAVE_RANGE):
                entry.wave = [number_at(numbers, axis) for axis in range(len(numbers))]
        entries.append(entry)
    return entries


def marked_entries(program: Program) -> list[Entry]:
    """The functions that Clang's HLSL marks: "hlsl.shader"="compute" "hlsl.numthreads"="8,1,1"."""
    entries: list[Entry] = []
    for routine in program.routines.values():
        said = {key: text for group in routine.groups for key, text in program.attributes.get(group, {}).items()}
        if said.get("hlsl.shader") == "compute" and routine.chunks:
            entry = Entry(routine.name, routine.name)
            entry.size = [
                int(word) for word in said.get("hlsl.numthreads", "").split(",") if is_decimal(word.strip())
            ]
            entries.append(entry)
    return entries


def resources_of(program: Program) -> list[Resource]:
    """All resources, in the order of the module: classes one after another."""
    resources: list[Resource] = []
    for name in program.named.get("dx.resources", []):
        lists = program.nodes.get(name, [])
        for place, kind in enumerate((SRV, UAV, CBV, SAMPLER)):
            for entry in node_at(program, lists[place] if place < len(lists) else None):
                record = node_at(program, entry)
                if len(record) >= 6:
                    resources.append(_resource(program, kind, record))
    return resources


def _resource(program: Program, kind: int, record: Node) -> Resource:
    """id, variable, name, space, first register, registers; then what is the class's own."""
    resource = Resource(kind, number_at(record, 0), text_at(record, 2))
    given = record[1]
    while isinstance(given, Operand) and given.kind == EXPRESSION and given.parts:
        given = given.parts[0]
    if isinstance(given, Operand) and given.kind == GLOBAL:
        resource.variable = given.text
    resource.space = number_at(record, 3) & 0xFFFFFFFF
    resource.lower = number_at(record, 4) & 0xFFFFFFFF
    resource.count = number_at(record, 5) & 0xFFFFFFFF
    if kind == CBV:
        resource.size = number_at(record, 6) & 0xFFFFFFFF
        return resource
    resource.shape = number_at(record, 6)
    tags: Node = []
    if kind == SRV:
        tags = node_at(program, record[8] if len(record) > 8 else None)
    elif kind == UAV:
        resource.coherent = number_at(record, 7) == 1
        resource.counted = number_at(record, 8) == 1
        resource.ordered = number_at(record, 9) == 1
        tags = node_at(program, record[10] if len(record) > 10 else None)
    for index in range(0, len(tags) - 1, 2):
        if number_at(tags, index) == 1:
            resource.stride = number_at(tags, index + 1) & 0xFFFFFFFF
        elif number_at(tags, index) == 0:
            resource.element = number_at(tags, index + 1)
    return resource


def facts_from(program: Program, resources: list[Resource]) -> None:
    """Give resources what another copy of the metadata has: the name of one without, and of structured buffers whether
    integers of minimum precision have a sign, where all that the types of the module have agree in it."""
    known = {(resource.kind, resource.number): resource.name for resource in resources_of(program)}
    short = {kind for kind in annotated_kinds(program) if kind in _SHORT}
    for resource in resources:
        if not resource.name:
            resource.name = known.get((resource.kind, resource.number), "")
        if resource.shape == STRUCTURED and len(short) == 1:
            resource.element = min(short)


def annotated_kinds(program: Program) -> set[int]:
    """The component types of all fields of structures that are annotated.

    !dx.typeAnnotations = !{!1}    !1 = !{i32 0, %S undef, !2, ...}: structures    !2 = !{i32 4, !3, ...}: size, fields
    !3 = !{i32 6, !"name", i32 3, i32 0, i32 7, i32 2}                             I16
    """
    kinds: set[int] = set()
    for name in program.named.get("dx.typeAnnotations", []):
        structures = program.nodes.get(name, [])
        if number_at(structures, 0) == 0:
            for structure in structures[2::2]:
                for field in [node_at(program, entry) for entry in node_at(program, structure)[1:]]:
                    kinds.update(
                        number_at(field, at + 1)
                        for at in range(0, len(field) - 1, 2)
                        if number_at(field, at) == _FIELD_KIND and isinstance(field[at], Operand)
                    )
    return kinds
