"""A function's parts in the words of its .rk text, shortened for a picture.

    block        %24 | GroupNonUniformIAdd ... | 3 more | fallthrough
    construct    switch %23 | case 0: | default:

Names are the very ones that the text has.
"""

from typing import Final, final

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.text.line import Writer
from reknit.ir.text.tree import EXIT_WORDS, case_heads, write_function
from reknit.ir.tree import Case, Construct, If, Loop, Region, Switch
from reknit.ir.value import Node, Value
from reknit.view.marks import Mark, Marks

TANGLED: Final = "t"
MARKED: Final = "d"
"""The kinds of line that are coloured."""

NOT_COUNTED = (op.Line, op.NoLine)


@final
class BlockWords:
    """`name` is "" for a block that has none in the text, `jump` how it ends ("" if it goes on).

    `tangled` are its tangled instructions as text, and those with a mark, which `marks` has by their place in the list;
    `others` how many more there are.
    """

    __slots__ = ("name", "tangled", "marks", "others", "jump")

    def __init__(self, name: str, tangled: list[str], marks: dict[int, Mark], others: int, jump: str) -> None:
        self.name = name
        self.tangled = tangled
        self.marks = marks
        self.others = others
        self.jump = jump

    def is_nothing(self) -> bool:
        return not (self.name or self.tangled or self.others or self.jump)

    def rest(self) -> str:
        """How many instructions there are that are not shown."""
        if not self.others:
            return ""
        more = " more" if self.tangled else ""
        return f"{self.others}{more} instruction{'' if self.others == 1 else 's'}"

    def kinds(self) -> list[str]:
        """The kind of each line: name, marked or tangled instruction, the rest, jump."""
        tangled = [MARKED if index in self.marks else TANGLED for index in range(len(self.tangled))]
        return [*(["n"] if self.name else []), *tangled, *(["m"] if self.rest() else []), *(["j"] if self.jump else [])]

    def by_line(self) -> dict[int, Mark]:
        """The marks of lines in the order of `kinds`."""
        first = 1 if self.name else 0
        return {first + index: mark for index, mark in self.marks.items()}

    def line(self) -> str:
        """All in one line."""
        parts = [part for part in [*self.tangled, self.rest(), self.jump] if part]
        name = f"{self.name}:" if self.name else ""
        return " ".join([part for part in [name, "; ".join(parts)] if part])


@final
class Words:
    """Gives the words for one function."""

    __slots__ = ("function", "marks", "writer", "heads")

    def __init__(self, function: Function, marks: Marks | None = None) -> None:
        self.function = function
        self.marks: Marks = marks if marks is not None else {}
        self.writer = Writer(None)
        self.heads: dict[Switch, dict[Case, str]] = {}
        write_function(self.writer, function)  # gives every name that the text has, in the text's order

    def title(self) -> str:
        """`func @main() -> void`."""
        first = next(line for line in self.writer.lines if not line.startswith("leading "))
        return first.removesuffix(" {").removesuffix(" ordered")

    def of_block(self, block: Block) -> BlockWords:
        tangled: list[str] = []
        marks: dict[int, Mark] = {}
        others = 0
        for instr in block:
            mark = self.marks.get(instr)
            if mark is not None:
                marks[len(tangled)] = mark
                tangled.append(self.of_marked(instr, mark))
            elif instr.op in traits.TANGLED:
                tangled.append(self.of_instruction(instr))
            elif instr.op not in NOT_COUNTED:
                others += 1
        return BlockWords(self.name(block), tangled, marks, others, self.of_jump(block.jump))

    def of_jump(self, jump: Jump | None) -> str:
        """`break @l`, `return %x`; "" where control goes on to what follows."""
        if isinstance(jump, (Break, Continue)):
            return f"{'break' if isinstance(jump, Break) else 'continue'} {self.writer.names.of(jump.target)}"
        if isinstance(jump, Fallthrough):
            return f"fallthrough to {self.case_heads(jump.target.switch)[jump.target].rstrip(':')}"
        if isinstance(jump, Branch):
            merge = f"{self.writer.instruction(jump.merge)}; " if jump.merge is not None else ""
            return merge + self.writer.instruction(jump.instr)
        if isinstance(jump, Exit):
            word = EXIT_WORDS.get(jump.instr.op)
            if word is None:
                return self.writer.instruction(jump.instr)
            values = [self.writer.value(operand) for operand in jump.instr.operands if isinstance(operand, Value)]
            return " ".join([word, *values])
        return ""

    def in_tree(self, block: Block) -> list[str]:
        """The lines for a block of a tree."""
        said = self.of_block(block)
        return [line for line in [said.name or "(padding)", *said.tangled, said.rest(), said.jump] if line]

    def in_graph(self, block: Block) -> list[str]:
        """The lines for a block of a graph, where edges already show whither a plain branch goes."""
        said = self.of_block(block)
        ending = said.jump
        if isinstance(block.jump, Branch):
            instr = block.jump.instr
            words = {op.BranchConditional: "if", op.Switch: "switch"}
            word = words.get(instr.op, "")
            ending = f"{word} {self.writer.value(instr.value(0))}" if word else ""
        elif not isinstance(block.jump, Exit):
            following = block.next
            ending = self.head(following) if block.jump is None and isinstance(following, Construct) else said.jump
        lines = [line for line in [said.name, *said.tangled, said.rest(), ending] if line]
        return lines or ["(empty)"]

    def of_instruction(self, instr: Instr) -> str:
        """The instruction without its result type."""
        return self.writer.instruction(instr).rpartition(" : ")[0] or self.writer.instruction(instr)

    def of_marked(self, instr: Instr, mark: Mark) -> str:
        """What the mark says, after the name of the result."""
        result = f"{self.writer.names.of(instr)} = " if instr.has_result and instr.is_used() else ""
        return f"[{mark.number}] {result}{mark.line}"

    def name(self, block: Block) -> str:
        """The label; "" for padding that has none or is empty."""
        if block.padding and (block.is_empty() or block not in self.writer.names.texts):
            return ""
        return self.writer.names.of(block)

    def head(self, construct: Construct) -> str:
        """`switch %kind as @s`, with `nojoin` where it has no merge."""
        named = construct.name or construct.breaks or (isinstance(construct, Loop) and construct.continues)
        name = self.writer.names.of(construct) if named else ""
        label = f" {name}" if name else ""
        tail = "" if construct.merged else " nojoin"
        if isinstance(construct, If):
            return f"if {self.writer.value(construct.condition)}{' as' + label if name else ''}{tail}"
        if isinstance(construct, Switch):
            return f"switch {self.writer.value(construct.selector)}{' as' + label if name else ''}{tail}"
        return f"{'loop' if isinstance(construct, Loop) else 'scope'}{label}{tail}"

    def region_heads(self, construct: Construct) -> list[str]:
        """A title for each of the construct's regions, "" where the construct's own says all."""
        if isinstance(construct, Switch):
            return list(self.case_heads(construct).values())
        if isinstance(construct, If):
            return ["then:", "else:"]
        if isinstance(construct, Loop):
            return ["", "continuing:"]
        return [""]

    def case_heads(self, switch: Switch) -> dict[Case, str]:
        """`case 0, 2:` of each case, in their order."""
        heads = self.heads.get(switch)
        if heads is None:
            heads = self.heads[switch] = dict(zip(switch.cases, case_heads(self.writer, switch), strict=True))
        return heads

    def is_nothing(self, region: Region) -> bool:
        """Whether a picture has nothing to show for a region."""
        first: Node | None = region.first
        return first is None or (isinstance(first, Block) and first.next is None and self.of_block(first).is_nothing())
