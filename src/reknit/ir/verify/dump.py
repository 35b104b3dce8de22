"""Faults shown where they are: the text of each faulty function, a comment under what is at fault.

    func @main(%c: bool) -> void {
      if %c as @i {
        %x = IAdd %a, 1u : u32
      }
      %y = IAdd %x, 2u : u32
      // RK0410: %x is defined in b2, which is not on every path heres use
      return
    }

It shows structures that can't be: links are followed as they are, each node and instruction is printed once, and where
they lead back or to something else a comment says so. What has a fault but is not met in this order is reported under
the head of its function. Of a long function only the lines around faults are given. It is for reading, not for parsing.
"""

from typing import Final, final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module
from reknit.ir.text.line import MAX_INDENT_DEPTH, Writer
from reknit.ir.text.tree import Order, jump_text, needs_label
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Node, Value
from reknit.ir.verify.report import Mark, Report
from reknit.ir.verify.run import examine
from reknit.source.digits import is_decimal

LONG: Final = 200  # lines that are given whole
AROUND: Final = 8  # lines before and after a fault in a longer function

OF_A_JUMP: Final = ("RK0403", "RK0404", "RK0405", "RK0406", "RK0418")  # reported behind the jump of their block

NOTHING: Final = " "  # the line of a jump that its instruction has printed already

Item = tuple[int, Value | None, str]  # depth, what the line is of, and the line where it is of nothing


def faulty_text(module: Module) -> str:
    """The functions of `module` that have faults, with these as comments; "" if there are none. Never raises."""
    return dump(examine(module))


def dump(report: Report) -> str:
    """The same of a report that was made already."""
    by_function: dict[Function | None, list[Mark]] = {}
    for mark in report.marks:
        by_function.setdefault(mark.function, []).append(mark)
    lines: list[str] = []
    for mark in by_function.get(None, ()):
        if isinstance(mark.at, Instr):
            lines.append(report.writer.instruction(mark.at))
        lines.append(f"// {mark.text}")
    for function in dict.fromkeys(report.module.functions):
        marks = by_function.get(function)
        if marks is not None:
            lines.extend(_Dump(report.writer, function, marks).lines())
    return "".join([line + "\n" for line in lines])


@final
class _Dump:
    """One function: first what is to be printed, in order, so that labels can be given; then the lines."""

    __slots__ = ("writer", "function", "marks", "pending", "at_end", "items", "seen")

    def __init__(self, writer: Writer, function: Function, marks: list[Mark]) -> None:
        self.writer = writer
        self.function = function
        self.marks = marks
        self.pending: dict[Value, list[Mark]] = {}
        self.at_end: dict[Value, list[Mark]] = {}
        for mark in marks:
            if isinstance(mark.at, Block) and mark.at.jump is not None and mark.text.startswith(OF_A_JUMP):
                self.at_end.setdefault(mark.at, []).append(mark)
            elif mark.at is not None:
                self.pending.setdefault(mark.at, []).append(mark)
        self.items: list[Item] = []
        self.seen: dict[Value | Region, None] = {}

    def lines(self) -> list[str]:
        self.walk()
        self.number()
        marked: list[tuple[str, bool]] = []
        for depth, value, text in self.items:
            lead = "  " * min(depth, MAX_INDENT_DEPTH)
            line = text if text or value is None else self.text_of(value)
            if line and line != NOTHING:
                marked.append((lead + line, False))
            if value is not None:
                marks_of = self.at_end if isinstance(value, Block) and text else self.pending
                marked.extend([(f"{lead}// {mark.text}", True) for mark in marks_of.pop(value, [])])
        head = [self.head() + " {"]
        head.extend([f"  // {mark.text}" for mark in self.pending.pop(self.function, [])])
        for left in [*self.pending.values(), *self.at_end.values()]:
            head.extend([f"  // {mark.text} (at {self.where(mark)}, which is not met below)" for mark in left])
        return [*head, *_clipped(marked), "}"]

    def where(self, mark: Mark) -> str:
        at = mark.at
        if isinstance(at, Instr):
            return f"`{self.writer.instruction(at)}`"
        return self.writer.names.of(at) if at is not None else "the function"

    # --- what there is, in order ------------------------------------------------------------------------------------

    def walk(self) -> None:
        """A work item is a node to go on from in a region, or a line."""
        work: list[tuple[int, Node | None, Region | None, str]] = []
        self.open(self.function.body, 1, work)
        while work:
            depth, node, region, text = work.pop()
            if node is None or region is None:
                self.items.append((depth, None, text))
                continue
            if node in self.seen:
                back = f"// the links lead back to {self.writer.names.of(node)}"
                self.items.append((depth, None, back))
                continue
            self.seen[node] = None
            if node.next is not None:
                work.append((depth, node.next, region, ""))
            if isinstance(node, Block):
                self.block(node, depth)
            elif isinstance(node, Construct):
                self.items.append((depth, node, ""))
                self.inside(node, depth, work)
            else:
                self.items.append((depth, None, "// neither a block nor a construct"))
        for block in self.function.blocks:
            if block in self.seen:
                self.items.append((1, None, f"// {self.writer.names.of(block)} again"))
                continue
            self.seen[block] = None
            self.block(block, 1)

    def open(self, region: Region, depth: int, work: list[tuple[int, Node | None, Region | None, str]]) -> None:
        if region in self.seen:
            work.append((depth, None, None, "// a region that was met before"))
            return
        self.seen[region] = None
        if region.first is not None:
            work.append((depth, region.first, region, ""))

    def inside(self, node: Construct, depth: int, work: list[tuple[int, Node | None, Region | None, str]]) -> None:
        """The regions of a construct, the last one first, since the work list is taken from its end."""
        work.append((depth, None, None, "}"))
        if isinstance(node, If):
            self.open(node.orelse, depth + 1, work)
            work.append((depth, None, None, "} else {"))
            self.open(node.then, depth + 1, work)
        elif isinstance(node, Loop):
            self.open(node.continuing, depth + 1, work)
            work.append((depth, None, None, "} continuing {"))
            self.open(node.body, depth + 1, work)
        elif isinstance(node, Switch):
            words: dict[Case, list[str]] = {}
            for literal, case in node.targets:
                words.setdefault(case, []).append(str(literal))
            if node.default is not None:
                words.setdefault(node.default, []).append("default")
            for case in reversed(node.cases):
                work.append((depth + 1, None, None, "}"))
                self.open(case.region, depth + 2, work)
                work.append((depth + 1, None, None, f"case {', '.join(words.get(case, []))}: {{"))
        elif isinstance(node, Scope):
            self.open(node.body, depth + 1, work)

    def block(self, block: Block, depth: int) -> None:
        self.items.append((depth - 1, block, ""))
        instr = block.first
        while instr is not None:
            if instr in self.seen:
                self.items.append((depth, None, f"// the links lead back to `{self.writer.instruction(instr)}`"))
                break
            self.seen[instr] = None
            self.items.append((depth, instr, ""))
            instr = instr.next
        jump = block.jump
        if isinstance(jump, Branch) and jump.merge is not None:
            self.items.append((depth, jump.merge, ""))
        if isinstance(jump, (Break, Continue, Fallthrough, Exit, Branch)):
            text = jump_text(self.writer, block, jump, {})
            if isinstance(jump, (Exit, Branch)):
                self.items.append((depth, jump.instr, text))
                text = ""
        else:
            text = "// a jump of no known kind" if jump is not None else ""
        if jump is not None:
            self.items.append((depth, block, text or NOTHING))

    # --- as text ----------------------------------------------------------------------------------------------------

    def number(self) -> None:
        """Name blocks that need a label, from where the faults' own names for this function end."""
        names = self.writer.names
        highest = 0
        blocks = [value for _, value, _ in self.items if isinstance(value, Block)]
        for block in blocks:
            name = names.texts.get(block, "")
            if name[:1] == "b" and is_decimal(name[1:]):
                highest = max(highest, int(name[1:]))
        names.blocks = highest
        order = Order(False)
        for block in blocks:
            if needs_label(block, order, block is self.function.body.first):
                names.of(block)

    def text_of(self, value: Value) -> str:
        writer = self.writer
        if isinstance(value, Block):
            name = writer.names.texts.get(value, "")
            return f"{'pad ' if value.padding else ''}{name}:" if name else ""
        if isinstance(value, Construct):
            return self.construct(value)
        assert isinstance(value, Instr)
        return writer.instruction(value)

    def construct(self, node: Construct) -> str:
        writer = self.writer
        if isinstance(node, If):
            kind = f"if {writer.value(node.condition)} as"
        elif isinstance(node, Switch):
            kind = f"switch {writer.value(node.selector)} as"
        else:
            kind = "loop" if isinstance(node, Loop) else "scope"
        return f"{kind} {writer.names.of(node)}{'' if node.merged else ' nojoin'} {{"

    def head(self) -> str:
        writer = self.writer
        params: list[str] = []
        for param in self.function.params:
            type = writer.value(param.type) if param.type is not None else "no type"
            params.append(f"{writer.names.of(param)}: {type}")
        flat = "" if self.function.structured else " flat"
        result = writer.value(self.function.result)
        return f"func {writer.names.of(self.function)}({', '.join(params)}) -> {result}{flat}"


def _clipped(lines: list[tuple[str, bool]]) -> list[str]:
    """All lines, or, of many, those near a fault; `True` marks a fault."""
    if len(lines) <= LONG:
        return [text for text, _ in lines]
    near = [False] * len(lines)
    for index, (_, is_fault) in enumerate(lines):
        if is_fault:
            for other in range(max(0, index - AROUND), min(len(lines), index + AROUND + 1)):
                near[other] = True
    shown: list[str] = []
    for index, (text, _) in enumerate(lines):
        if near[index]:
            shown.append(text)
        elif index == 0 or near[index - 1]:
            shown.append("  ...")
    return shown
