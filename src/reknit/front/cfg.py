"""Control-flow graphs as text: a line a block, for trying out what becomes of a shape.

    entry -> head              # goes on to `head`
    head  -> body out          # the first one if a condition holds, else the second
    body  -> head out other    # a switch: the first one is the default
    other -> out
    out ret                    # leaves the function

The first line is the entry. What the module does is in `front.cfg_module`.
"""

import re
from typing import TYPE_CHECKING, Final, final

from reknit.ir.source_places import Places
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.ir.module import Module

MAX_FAULTS: Final = 20
RETURNS: Final = "ret"
ARROW: Final = "->"
_NAME = re.compile(r"[A-Za-z_.$][\w.$-]*|\d+")


@final
class CfgBlock:
    """A line: `targets` are names, none for a block that returns; `line` counts from 1, `columns` are the targets'."""

    __slots__ = ("name", "targets", "line", "columns")

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line
        self.targets: list[str] = []
        self.columns: list[int] = []


def load_cfg(text: str, path: str) -> "Module":
    """The module of a graph. Raises InputError (RK0320 to RK0323)."""
    from reknit.front.cfg_module import module_of_graph

    blocks = parse_cfg(text, path)
    number = {block.name: index for index, block in enumerate(blocks)}
    module = module_of_graph(
        [block.name for block in blocks], [[number[name] for name in block.targets] for block in blocks]
    )
    module.path = path
    module.places = _places(blocks, module, path)
    return module


def _places(lines: list[CfgBlock], module: "Module", path: str) -> Places:
    """Each block, and what was put into it, stands where its line does."""
    places = Places(lambda line: Place(path, line))
    blocks = module.functions[0].blocks
    for line, block in zip(lines, blocks[len(blocks) - len(lines) :], strict=True):
        places.starts[block] = places.ends[block] = line.line
        for instr in block:
            places.starts[instr] = line.line
    return places


def parse_cfg(text: str, path: str) -> list[CfgBlock]:
    """The blocks of a graph, in order. Raises InputError with all that is wrong, each with its place."""
    faults: list[Diagnostic] = []
    blocks: dict[str, CfgBlock] = {}
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole.partition("#")[0]
        if line.strip():
            block = _line(line, number, path, faults)
            if block is None:
                continue
            earlier = blocks.get(block.name)
            if earlier is not None:
                place = Place(path, number, line.index(block.name) + 1, len(block.name))
                note = Note("it is first defined here", Place(path, earlier.line, 1))
                faults.append(Diagnostic("RK0321", f"block `{block.name}` is defined twice", place, notes=[note]))
                continue
            blocks[block.name] = block
    for block in blocks.values():
        for name, column in zip(block.targets, block.columns, strict=True):
            if name not in blocks:
                place = Place(path, block.line, column, len(name))
                help = f"add a line `{name} ret`, if it ends there"
                faults.append(Diagnostic("RK0322", f"there is no block `{name}`", place, help=help))
    if not blocks and not faults:
        faults.append(Diagnostic("RK0323", "the graph has no blocks", Place(path), help="one is `entry ret`"))
    if faults:
        raise InputError(faults[:MAX_FAULTS])
    return list(blocks.values())


def _line(line: str, number: int, path: str, faults: list[Diagnostic]) -> CfgBlock | None:
    words = [(match.group(), match.start() + 1) for match in re.finditer(r"\S+", line)]

    def fault(message: str, place: int) -> None:
        at = words[place] if place < len(words) else ("", len(line.rstrip()) + 1)
        help = "write `a -> b`, `a -> b c` or `a ret`"
        faults.append(Diagnostic("RK0320", message, Place(path, number, at[1], max(len(at[0]), 1)), help=help))

    for place, (word, _) in enumerate(words):
        if not _NAME.fullmatch(word) and not (place == 1 and word == ARROW):
            fault(f"`{word}` is no name of a block", place)
            return None
    block = CfgBlock(words[0][0], number)
    if len(words) == 2 and words[1][0] == RETURNS:
        return block
    if len(words) < 2 or words[1][0] != ARROW:
        fault("`->` or `ret` was expected here", 1)
        return None
    if len(words) == 2:
        fault("a block was expected here", 2)
        return None
    block.targets = [word for word, _ in words[2:]]
    block.columns = [column for _, column in words[2:]]
    return block
