"""A module of its own, like another, with the places of what stands in the other's functions."""

from reknit.ir.block import Block
from reknit.ir.clone import Copier, copy_function
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation, intern_key
from reknit.ir.source_places import Places
from reknit.ir.value import Value
from reknit.source.diagnostic import EditRefused


def copy_module(module: Module) -> Module:
    """Edits of the copy leave the module as it is. A message about a part of the copy names the place of the original.
    Costs the size of the module."""
    return copy_with_parts(module)[0]


def copy_with_parts(module: Module) -> tuple[Module, dict[Value, Value]]:
    """The copy, and what of it each value, block and construct of the module has become."""
    check_whole(module)
    copy = Module(module.version)
    copier = Copier(copy, None)
    for source, target in zip(module.sections(), copy.sections(), strict=True):
        target.extend([copier.instr(instr) for instr in source if instr.has_result or source is module.globals])
    for function in module.functions:
        new_function = Function(function.type, function.result, function.name)
        copier.new[function] = new_function
        copy.functions.append(new_function)
    for function, new_function in zip(module.functions, copy.functions, strict=True):
        copy_function(copier, function, new_function)
    copy.closing = [copier.instr(line) for line in module.closing]
    copier.finish({})
    for source, target in zip(module.sections()[:-1], copy.sections()[:-1], strict=True):
        if any(not instr.has_result for instr in source):
            target[:] = [_annotation(copier, instr) for instr in source if _is_of(copier, instr)]
    for part, same in copier.new.items():
        same.id = part.id
        if isinstance(part, Block) and isinstance(same, Block):
            same.order = part.order
        if isinstance(part, Function) and isinstance(same, Function):
            same.type = _type(copier, part.type)
            same.result = _type(copier, part.result)
    for known in module.interned.values():
        same = copier.of(known)
        if same is not known and isinstance(same, Instr):
            copy.interned.setdefault(intern_key(same.op, same.type, same.operands), same)
    copy.generator = module.generator
    copy.schema = module.schema
    copy.bound = module.bound
    copy.path = module.path
    copy.notes = list(module.notes)
    copy.language = module.language
    if module.places is not None:
        copy.places = _places(module.places, copier.new)
    return copy, copier.new


def check_whole(module: Module) -> None:
    """Refuse (RK0486) a module of which code was taken out: a copy of the rest would be another program."""
    for function in module.functions:
        if function.floating:
            reason = f"code that was taken out of @{function.name} is neither put back nor deleted"
            raise EditRefused("RK0486", reason, "copy the module before, or after `reinsert` or `delete`")


def _type(copier: Copier, type: Instr) -> Instr:
    same = copier.of(type)
    assert isinstance(same, Instr)
    return same


def _is_of(copier: Copier, instr: Instr) -> bool:
    """Whether all that an annotation names is in the module still; one that was deleted keeps its annotations."""
    return instr.has_result or all(
        operand in copier.new for operand in instr.operands if isinstance(operand, Value)
    )


def _annotation(copier: Copier, instr: Instr) -> Instr:
    """The copy of an instruction before the types: those without a result name values without using them."""
    if instr.has_result:
        return _type(copier, instr)
    operands: list[Operand] = []
    for operand in instr.operands:
        operands.append(copier.of(operand) if isinstance(operand, Value) else operand)
    return annotation(instr.op, operands)


def _places(places: Places, new: dict[Value, Value]) -> Places:
    new_places = Places(places.find)
    for part, same in new.items():
        start = places.starts.get(part)
        if start is not None:
            new_places.starts[same] = start
        if isinstance(part, Block) and isinstance(same, Block) and part in places.ends:
            new_places.ends[same] = places.ends[part]
    return new_places
