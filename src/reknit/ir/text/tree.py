"""A function as text: its control-flow tree, or its flat list of blocks.

    func @main(%lane: u32) -> void {
      if %c as @x { ... } else { ... }
      loop @l { ... continue @l } continuing { ... }
      switch %k as @s { case 0, 2: { ... fallthrough } default: { } }
      scope @y { ... break @y }
      return
    }

A block gets a label line only where something needs it: a block right after a block, a real block other than the
function's first, a block with a name, an id or a place in the input, and one that a phi names. The rest is implied.
"""

from typing import Final, final

from reknit.ir import integers, op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.hint import MARK
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.opcodes import enum_name, enum_value
from reknit.ir.text.ids import id_lines
from reknit.ir.text.lexer import quote
from reknit.ir.text.line import Writer
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.types import is_int, is_signed
from reknit.ir.value import Node, Value
from reknit.ir.walk import blocks, nodes

EXIT_WORDS: Final = {
    op.Return: "return",
    op.ReturnValue: "return",
    op.Kill: "kill",
    op.TerminateInvocation: "terminate",
    op.Unreachable: "unreachable",
}


@final
class Order:
    """Which place in the input the next block has unless its label says otherwise."""

    __slots__ = ("kept", "next")

    def __init__(self, kept: bool) -> None:
        self.kept = kept
        self.next = 0

    def expected(self, padding: bool) -> int:
        return self.next if self.kept and not padding else -1

    def passed(self, block: Block) -> None:
        if self.kept and not block.padding:
            self.next = block.order + 1


def write_function(writer: Writer, function: Function) -> None:
    """Add the lines of `function`."""
    writer.names.start_function()
    for instr in function.leading:
        writer.line(0, "leading " + writer.instruction(instr))
    for place, param in enumerate(function.params):
        for instr in function.heading.get(param, []):
            writer.line(0, f"leading parameter {place} {writer.instruction(instr)}")
    order = Order(any(block.order != -1 for block in blocks(function)))
    head = _header(writer, function, order.kept)
    if function.is_declaration():
        writer.line(0, head + " external", function)
        return
    writer.line(0, head + " {", function)
    number_blocks(writer, function)
    if function.structured:
        _write_nodes(writer, function, order)
        if function.blocks:
            writer.line(1, "islands")
    members = _members(writer, function)
    for block in function.blocks:
        _label(writer, block, 0, order, True, members.get(block, ""))
        _contents(writer, block, 1, {})
    for instr in function.closing:
        writer.line(1, "closing " + writer.instruction(instr))
    for text in id_lines(writer, _with_ids(function)):
        writer.line(1, text)
    writer.line(0, "}")


def _header(writer: Writer, function: Function, ordered: bool) -> str:
    params = ", ".join(
        [f"{writer.names.of(p)}: {writer.value(p.type) if p.type is not None else 'void'}" for p in function.params]
    )
    result = writer.value(function.result)
    head = f"func {writer.names.of(function)}({params}) -> {result}"
    type = writer.value(function.type)
    implied: list[object] = [function.result, *[param.type for param in function.params]]
    if not writer.plain.is_plain(function.type) or implied != list[object](function.type.operands):
        head += f" type {type}"
    if function.control:
        head += f" control {_mask('FunctionControl', function.control)}"
    if not function.structured:
        head += " flat"
    if ordered:
        head += " ordered"
    return head


def _word(text: str) -> str:
    """As it is where it is one word of letters, else as a string."""
    return text if text.isascii() and text.isalpha() else quote(text)


def _mask(kind: str, word: int) -> str:
    name = enum_name(kind, word)
    return name if enum_value(kind, name) == word else str(word)


def _with_ids(function: Function) -> list[Value]:
    values: list[Value] = list(function.params)
    for block in blocks(function):
        values.extend([instr for instr in block.leading if instr.has_result])
        values.append(block)
        values.extend([instr for instr in block if instr.has_result])
    values.extend([instr for instr in function.closing if instr.has_result])
    return values


def needs_label(block: Block, order: Order, opens_function: bool) -> bool:
    """Whether the reader could not tell what this block is without its label."""
    following = block.next
    return (
        isinstance(block.prev, Block)
        or block.padding == opens_function
        or block.name != ""
        or block.id != 0
        or block.order != order.expected(block.padding)
        or bool(block.leading)
        or block.is_used()
        or (block.first is None and block.jump is None and isinstance(following, Block))
    )


def number_blocks(writer: Writer, function: Function) -> None:
    """Name blocks in the order in which they stand, not in that of their mention."""
    order = Order(False)
    for block in blocks(function):
        if not block.name and not block.id and needs_label(block, order, block is function.body.first):
            writer.names.of(block)


def _members(writer: Writer, function: Function) -> dict[Block, str]:
    """By block: the loops that hints put it into."""
    loops: dict[Block, str] = {}
    for hint in function.hints:
        text = writer.names.of(hint.header) + ("" if hint.origin == MARK else f" by {_word(hint.origin)}")
        loops[hint.block] = f"{loops[hint.block]}, {text}" if hint.block in loops else f" member {text}"
    return loops


def _label(writer: Writer, block: Block, depth: int, order: Order, needed: bool, members: str = "") -> None:
    if needed:
        for instr in block.leading:
            writer.line(depth, "leading " + writer.instruction(instr))
        text = writer.names.of(block) + ":"
        if block.padding:
            text = "pad " + text
        if block.order != order.expected(block.padding):
            text += f" at {block.order}"
        writer.line(depth, text + members, block)
    order.passed(block)


def _contents(writer: Writer, block: Block, depth: int, around: dict[Region, Case]) -> None:
    instr = block.first
    while instr is not None:
        writer.line(depth, writer.instruction(instr), instr)
        instr = instr.next
    jump = block.jump
    if jump is not None:
        if isinstance(jump, Branch) and jump.merge is not None:
            writer.line(depth, writer.instruction(jump.merge), jump.merge)
        writer.line(depth, jump_text(writer, block, jump, around), jump_subject(jump))


def jump_subject(jump: Jump) -> Instr | None:
    """The instruction that a comment behind a jump is about."""
    return jump.instr if isinstance(jump, (Exit, Branch)) else None


def jump_text(writer: Writer, block: Block | None, jump: Jump, around: dict[Region, Case]) -> str:
    """`around` knows the innermost case that each region stands in; a fallthrough names its switch unless it is that of
    the case which `block` is in."""
    if isinstance(jump, Break):
        return f"break {writer.names.of(jump.target)}"
    if isinstance(jump, Continue):
        return f"continue {writer.names.of(jump.target)}"
    if isinstance(jump, Fallthrough):
        inner = around.get(block.region) if block is not None and block.region is not None else None
        outer = inner is None or inner.switch is not jump.target.switch
        return f"fallthrough {writer.names.of(jump.target.switch)}" if outer else "fallthrough"
    assert isinstance(jump, (Exit, Branch))
    word = EXIT_WORDS.get(jump.instr.op)
    if word is None or len(jump.instr.operands) != (1 if jump.instr.op == op.ReturnValue else 0):
        return writer.instruction(jump.instr)
    operand = jump.instr.operands[0] if jump.instr.operands else None
    return f"{word} {writer.value(operand)}" if isinstance(operand, Value) else word


def _write_nodes(writer: Writer, function: Function, order: Order) -> None:
    """The tree."""
    around = _cases_around(function)
    _write(writer, [(function.body.first, "", 1)], order, around, None, function.body.first)


def node_lines(writer: Writer, first: Node | None, alone: bool = False) -> None:
    """Add the lines of a node, `alone` or with those after it in its region; also of one that stands nowhere."""
    if first is None:
        return
    start: list[tuple[Node | None, str, int]] = [(first, "", 0 if alone else 1)]
    _write(writer, start, Order(False), _case_around(first), first if alone else None, None)


def block_lines(writer: Writer, block: Block) -> None:
    """Add the lines of a block, which is always labelled."""
    order = Order(not block.padding)
    order.next = block.order
    _label(writer, block, 0, order, True)
    _contents(writer, block, 1, _case_around(block))


def _case_around(node: Node) -> dict[Region, Case]:
    region = node.region
    if region is None:
        return {}
    owner = region.owner
    return {region: owner} if isinstance(owner, Case) else {}


def _write(
    writer: Writer,
    work: list[tuple[Node | None, str, int]],
    order: Order,
    around: dict[Region, Case],
    alone: Node | None,
    opening: Node | None,
) -> None:
    """A work item is a node with those after it, unless it is `alone`, or a line. `opening` opens the function."""
    fallen_into = _labelled_switches(around)
    while work:
        node, text, depth = work.pop()
        if node is None:
            writer.line(depth, text)
            continue
        if node.next is not None and node is not alone:
            work.append((node.next, "", depth))
        if isinstance(node, Block):
            opens = node is opening
            _label(writer, node, depth - 1, order, needs_label(node, order, opens))
            _contents(writer, node, depth, around)
            continue
        assert isinstance(node, Construct)
        writer.line(depth, construct_head(writer, node, node in fallen_into) + " {", node)
        work.append((None, "}", depth))
        if isinstance(node, If):
            if not _is_trivial(node.orelse):
                work.append((node.orelse.first, "", depth + 1))
                work.append((None, "} else {", depth))
            if not _is_trivial(node.then):
                work.append((node.then.first, "", depth + 1))
        elif isinstance(node, Loop):
            if not _is_trivial(node.continuing):
                work.append((node.continuing.first, "", depth + 1))
                work.append((None, "} continuing {", depth))
            if not _is_trivial(node.body):
                work.append((node.body.first, "", depth + 1))
        elif isinstance(node, Scope):
            if not _is_trivial(node.body):
                work.append((node.body.first, "", depth + 1))
        elif isinstance(node, Switch):
            heads = case_heads(writer, node)
            for index in range(len(node.cases) - 1, -1, -1):
                work.append((None, "}", depth + 1))
                if not _is_trivial(node.cases[index].region):
                    work.append((node.cases[index].region.first, "", depth + 2))
                work.append((None, heads[index] + " {", depth + 1))


def _cases_around(function: Function) -> dict[Region, Case]:
    """The innermost case that each region stands in, for those that stand in one."""
    around: dict[Region, Case] = {}
    for node in nodes(function):
        if isinstance(node, Switch):
            for case in node.cases:
                around[case.region] = case
        elif isinstance(node, Construct) and node.region is not None:
            outer = around.get(node.region)
            if outer is not None:
                for region in node.regions():
                    around[region] = outer
    return around


def _labelled_switches(around: dict[Region, Case]) -> dict[Construct, None]:
    """Switches with a fallthrough that leaves a switch inside them, which has to name them."""
    switches: dict[Construct, None] = {}
    for region, case in around.items():
        if region is case.region:
            for block in case.fallthroughs:
                inner = around.get(block.region) if block.region is not None else None
                if inner is None or inner.switch is not case.switch:
                    switches[case.switch] = None
    return switches


def _is_trivial(region: Region) -> bool:
    """Whether a region is one block that a reader puts there by itself (or is missing altogether)."""
    first = region.first
    if first is None:
        return True
    return (
        isinstance(first, Block)
        and first.next is None
        and first.first is None
        and first.jump is None
        and not needs_label(first, Order(False), False)
    )


def construct_head(writer: Writer, construct: Construct, labelled: bool) -> str:
    """`if %c as @x nojoin control Flatten`. The label is there for a name, for a jump, or if it is to be `labelled`."""
    labelled = labelled or construct.name != "" or _is_jumped_to(construct)
    name = writer.names.of(construct) if labelled else ""
    kind = "SelectionControl"
    if isinstance(construct, If):
        text = f"if {writer.value(construct.condition)}{' as ' + name if name else ''}"
    elif isinstance(construct, Switch):
        text = f"switch {writer.value(construct.selector)}{' as ' + name if name else ''}"
    elif isinstance(construct, Loop):
        kind = "LoopControl"
        text = f"loop {name}" if name else "loop"
    else:
        text = f"scope {name}" if name else "scope"
    if not construct.merged:
        text += " nojoin"
    control = construct.control
    if control != [0]:
        text += f" control {_mask(kind, control[0])}" if control else " control ()"
        if len(control) > 1:
            text += f"({', '.join([str(word) for word in control[1:]])})"
    if isinstance(construct, If) and construct.weights:
        text += f" weights ({', '.join([str(word) for word in construct.weights])})"
    if isinstance(construct, Switch):
        by_case = construct.labels()
        listed = [literal for case in construct.cases for literal in by_case[case]]
        given = [literal for literal, _ in construct.targets]
        if listed != given:
            text += f" targets ({', '.join([_literal(construct, literal) for literal in given])})"
    return text


def _is_jumped_to(construct: Construct) -> bool:
    return bool(construct.breaks) or (isinstance(construct, Loop) and bool(construct.continues))


def _literal(switch: Switch, literal: int) -> str:
    """A case literal as the selector's type reads it."""
    selector = switch.selector
    type = selector.type if isinstance(selector, Instr) else None
    if type is not None and is_int(type) and is_signed(type):
        return str(integers.signed(literal, type.word(0)))
    return str(literal)


def case_heads(writer: Writer, switch: Switch) -> list[str]:
    """`case 0, 2:` or `default:` of each case."""
    labels = switch.labels()
    heads: list[str] = []
    for case in switch.cases:
        words = [_literal(switch, literal) for literal in labels[case]]
        if case is switch.default:
            words.append("default")
        text = "default" if words == ["default"] else f"case {', '.join(words)}" if words else "case"
        if case.name:
            text += f" as {writer.names.of(case)}"
        heads.append(text + ":")
    return heads


