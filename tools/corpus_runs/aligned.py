"""Resources and stage variables of two modules of one shader, given the same numbers, so that both take the same.

    theirs: tex   set 0, binding 1001        ours: tex   set 0, binding 2      ──▶  ours: set 0, binding 1001
    theirs: in.var.TEXCOORD0   location 2    ours: in.var.TEXCOORD0  location 3, component 1   ──▶  ours: location 2

Resources are matched by name, what is left by set and binding where both sides have the same kind of thing there;
inputs and outputs by name where both have their semantics as names, as DXC writes them, else by location. What only one
side has is no hindrance by itself: the other's compiler may have found out that nothing depends on it.
"""

import re

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.types import pointee, storage_of
from reknit.sim.decorations import Decorations
from reknit.sim.entry import find_entry
from reknit.vulkan.interface import used_variables

RESOURCES = (enums.StorageClassUniform, enums.StorageClassStorageBuffer, enums.StorageClassUniformConstant)
STAGE = (enums.StorageClassInput, enums.StorageClassOutput)
SPARE = 5000
SPARE_LOCATION = 20
"""Bindings and locations from here on are those of what only one side has."""
GLOBALS = ("$Globals", "globalParams")


class Unmatched(Exception):
    """Why the two can't be given the same inputs."""


class Side:
    """A module and its OpEntryPoint."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self.entry = find_entry(module, name)
        self.numbers = Decorations(module)


def align(theirs: Module, ours: Module, entry: str) -> list[str]:
    """Renumber ours; what only one side has, resources and inputs. Raises Unmatched, InputError."""
    sides = (Side(theirs, entry), Side(ours, entry))
    alone = [f"the resource {name}" for name in _resources(*sides)]
    if sides[1].entry.word(0) != enums.ExecutionModelGLCompute:
        alone += [f"the input {name}" for storage in STAGE for name in _variables(*sides, storage)]
    return alone


def plain_name(name: str) -> str:
    """As all three compilers spell it: `counter.var.a` and `a.counter` are the counter of `a`."""
    if name in GLOBALS:
        return GLOBALS[0]
    counter = re.fullmatch(r"counter\.var\.(.*)", name)
    return f"{counter[1]}.counter" if counter is not None else name


def semantic(name: str) -> str:
    """`in.var.sv_target0` of `in.var.SV_Target`; "" where the name is no semantic."""
    match = re.fullmatch(r"(in|out)\.var\.(.*?)(\d*)", name)
    return f"{match[1]}.var.{match[2]}{match[3] or 0}".lower() if match is not None else ""


def _resources(theirs: Side, ours: Side) -> list[str]:
    left, right = (_numbered(side) for side in (theirs, ours))
    pairs: dict[Instr, Instr] = {}
    for variable, name in right.items():
        same = [other for other, its in left.items() if its == name]
        if len(same) == 1 and list(right.values()).count(name) == 1:
            pairs[variable] = same[0]
    for variable in right:
        if variable not in pairs:
            there = [other for other in left if other not in pairs.values()]
            at = [other for other in there if _place(theirs, other) == _place(ours, variable)]
            if len(at) == 1 and _fit(at[0], variable):
                pairs[variable] = at[0]
    for variable, other in pairs.items():
        if not _fit(other, variable):
            raise Unmatched(f"a resource is {_kind(other)} in the reference and {_kind(variable)} here")
    spare = SPARE
    for variable in [each for each in ours.module.globals if each.op == op.Variable]:
        if storage_of_variable(variable) not in RESOURCES:
            continue
        if variable in pairs:
            place = _place(theirs, pairs[variable])
        else:
            place = (0, spare)
            spare += 1
        _decorate(ours.module, variable, enums.DecorationDescriptorSet, place[0])
        _decorate(ours.module, variable, enums.DecorationBinding, place[1])
    alone = [name for other, name in left.items() if other not in pairs.values()]
    mine = [name for variable, name in right.items() if variable not in pairs]
    if alone and mine:
        raise Unmatched("resources have other names than in the reference")
    return [*alone, *mine]


def _numbered(side: Side) -> dict[Instr, str]:
    """The resources that an entry point uses."""
    used = used_variables(side.module, side.entry)
    return {
        each: plain_name(each.name)
        for each in side.module.globals
        if each.op == op.Variable and each in used and storage_of_variable(each) in RESOURCES
    }


def storage_of_variable(variable: Instr) -> int:
    assert variable.type is not None
    return storage_of(variable.type)


def _place(side: Side, variable: Instr) -> tuple[int, int]:
    return (
        side.numbers.number(variable, enums.DecorationDescriptorSet),
        side.numbers.number(variable, enums.DecorationBinding),
    )


def _fit(their: Instr, our: Instr) -> bool:
    """Whether both are of one kind; what DXIL has as a buffer of texels is one of words in ours."""
    kinds = (_kind(their), _kind(our))
    return kinds[0] == kinds[1] or (kinds[0] in ("an image buffer", "a stored image buffer") and kinds[1] == "a buffer")


def _kind(variable: Instr) -> str:
    """A buffer, an image, a sampler, both in one, or an array of such."""
    assert variable.type is not None
    type = pointee(variable.type)
    array = ""
    while type.op in (op.TypeArray, op.TypeRuntimeArray):
        type = type.instr(0)
        array = "an array of "
    if type.op == op.TypeStruct:
        return array + ("a constant buffer" if _is_constant(variable) else "a buffer")
    samples = " with a sampler" if type.op == op.TypeSampledImage else ""
    type = type.instr(0) if samples else type
    if type.op != op.TypeImage:
        return array + ("a sampler" if type.op == op.TypeSampler else "an opaque object")
    words = [("1d", "2d", "3d", "cube", "rect", "buffer", "input")[type.word(1)]]
    words += [word for at, word in ((3, "array"), (4, "multisampled")) if type.word(at)]
    return f"{array}{'a stored' if type.word(5) == 2 else 'an'} image {' '.join(words)}{samples}"


def _is_constant(variable: Instr) -> bool:
    return storage_of_variable(variable) == enums.StorageClassUniform


def _variables(theirs: Side, ours: Side, storage: int) -> list[str]:
    """Inputs or outputs, the names of those that only ours has. What has no semantic has to be at the same place."""
    left, right = (_located(side, storage) for side in (theirs, ours))
    names = {semantic(each.name): each for each in left if semantic(each.name)}
    if len(names) < len(left) or not all(semantic(each.name) for each in right):
        return []
    alone: list[str] = []
    for variable in right:
        other = names.get(semantic(variable.name))
        if other is not None:
            location = theirs.numbers.number(other, enums.DecorationLocation)
            component = max(0, theirs.numbers.number(other, enums.DecorationComponent))
        elif storage == enums.StorageClassOutput:
            raise Unmatched(f"the output {variable.name} is not in the reference")
        else:
            location, component = SPARE_LOCATION + len(alone), 0
            alone.append(variable.name)
        _decorate(ours.module, variable, enums.DecorationLocation, location)
        _decorate(ours.module, variable, enums.DecorationComponent, component)
    return alone


def _located(side: Side, storage: int) -> list[Instr]:
    return [
        each
        for each in side.entry.operands[3:]
        if isinstance(each, Instr)
        and each.op == op.Variable
        and storage_of_variable(each) == storage
        and side.numbers.has(each, enums.DecorationLocation)
    ]


def _decorate(module: Module, variable: Instr, kind: int, number: int) -> None:
    """In place of the decoration that it has of this kind."""
    for each in module.decorations:
        if each.op == op.Decorate and each.operands[0] is variable and each.word(1) == kind:
            each.operands[2] = number
            return
    if kind != enums.DecorationComponent:
        module.decorations.append(annotation(op.Decorate, [variable, kind, number]))
