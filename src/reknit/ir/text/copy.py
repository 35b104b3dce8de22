"""A module of its own, like another: printed and parsed, with the places of what stands in the other's functions."""

from reknit.ir.block import Block
from reknit.ir.module import Module
from reknit.ir.source_places import Places
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.value import Value
from reknit.ir.walk import blocks, constructs, instructions
from reknit.source.diagnostic import EditRefused


def copy_module(module: Module) -> Module:
    """Edits of the copy leave the module as it is. A message about a part of the copy names the place of the original.
    Costs the size of the module's text."""
    check_whole(module)
    copy = parse(print_module(module))
    copy.path = module.path
    copy.notes = list(module.notes)
    copy.language = module.language
    copy.places = None
    if module.places is not None:
        copy.places = Places(module.places.find)
        for part, same in zip(_parts(module), _parts(copy), strict=True):
            if part in module.places.starts:
                copy.places.starts[same] = module.places.starts[part]
            if isinstance(part, Block) and isinstance(same, Block) and part in module.places.ends:
                copy.places.ends[same] = module.places.ends[part]
    return copy


def check_whole(module: Module) -> None:
    """Refuse (RK0486) a module of which code was taken out: a copy of the rest would be another program."""
    for function in module.functions:
        if function.floating:
            reason = f"code that was taken out of @{function.name} is neither put back nor deleted"
            raise EditRefused("RK0486", reason, "copy the module before, or after `reinsert` or `delete`")


def _parts(module: Module) -> list[Value]:
    """What stands in functions, in an order that printing keeps."""
    found: list[Value] = []
    for function in module.functions:
        found.append(function)
        found.extend(function.params)
        found.extend(constructs(function))
        found.extend(blocks(function))
        found.extend(instructions(function))
    return found
