"""Reading the inside of a function: a stack of open braces, whatever they nest to.

    func @f() { if %c { loop @l { |       frames: BODY, THEN, LOOP; the text goes on inside the loop

Each region starts with a padding block and each construct is followed by one; a label right there says what that block
is instead. A label anywhere else opens a further block.
"""

from typing import Final, final

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.edit import add_block, append, append_node, set_jump
from reknit.ir.function import Function
from reknit.ir.hint import MARK, Hint
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module
from reknit.ir.text.cases import Cases
from reknit.ir.text.cursor import Cursor
from reknit.ir.text.frames import BODY, CASE, CONTINUING, ELSE, FLAT, LOOP, SCOPE, SWITCH, THEN, Frame, Member
from reknit.ir.text.heads import attributes, label_of, read_ids
from reknit.ir.text.lexer import unquote
from reknit.ir.text.literals import read_integer
from reknit.ir.text.operations import Operations
from reknit.ir.text.parts import STATEMENTS, Parts
from reknit.ir.text.symbols import Symbols
from reknit.ir.tree import Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Value
from reknit.source.diagnostic import Diagnostic


@final
class Body:
    """Reads one function after its header. `subject` is what a comment here would be about."""

    __slots__ = (
        "cursor", "symbols", "operations", "parts", "module", "function", "frames", "labels", "leading", "merge",
        "cases", "ordered", "next_order", "subject", "members", "ended", "faults",
    )  # fmt: skip

    def __init__(self, operations: Operations, function: Function, ordered: bool) -> None:
        self.operations = operations
        parts = operations.parts
        self.parts: Parts = parts
        self.cursor: Cursor = parts.cursor
        self.symbols: Symbols = parts.symbols
        self.module: Module = parts.module
        self.function = function
        self.frames: list[Frame] = []
        self.labels: dict[str, Construct] = {}
        self.leading: list[Instr] = []
        self.merge: Instr | None = None
        self.cases = Cases(parts.cursor)
        self.ordered = ordered
        self.next_order = 0
        self.subject: Value = function
        self.members: list[Member] = []
        self.ended: Block | None = None  # what the last statement ended, if it was a jump
        self.faults: list[Diagnostic] = []
        if function.structured:
            frame = self._open(BODY, None, function.body)
            assert frame.block is not None
            frame.block.padding = False
            self._placein_order(frame.block)
        else:
            self._open(FLAT, None, None)

    def is_open(self) -> bool:
        return bool(self.frames)

    # --- frames -------------------------------------------------------------------------------------------------------

    def _open(self, kind: int, construct: Construct | None, region: Region | None) -> Frame:
        frame = Frame(kind, construct, region, self.cursor.line)
        if region is not None:
            frame.block = region.entry() if region.first is not None else new_block(region)
            frame.fresh = True
        self.frames.append(frame)
        return frame

    def statement(self) -> None:
        """One statement at the cursor, which is not at the end of a line."""
        frame = self.frames[-1]
        word = self.cursor.peek()
        if word == "}":
            self._close(frame)
        elif frame.kind == SWITCH:
            self._case(frame)
        elif word == "leading" or word == "closing":
            self._debug_line(word)
        elif word == "ids":
            read_ids(self.parts)
        elif word == "islands" and frame.kind == BODY:
            self.cursor.take()
            self.frames.pop()
            self._open(FLAT, None, None)
        elif word == "pad" or (self.cursor.ahead() == ":" and self._is_label(word)):
            self._label(frame)
        elif word in _CONSTRUCTS:
            self._construct(frame, word)
        elif word in _JUMPS:
            self._jump(frame, word)
        elif word in STATEMENTS:
            raise self.cursor.fault("RK0310", f"`{word}` has no place here")
        else:
            self._instruction(frame)

    def _is_label(self, word: str) -> bool:
        return (word[0] == "%" and len(word) > 1) or (word[0].isalpha() and word not in STATEMENTS)

    def _close(self, frame: Frame) -> None:
        cursor = self.cursor
        kind = frame.kind
        construct = frame.construct
        if kind == FLAT and frame.block is not None and frame.block.jump is None:
            self._note("RK0310", "the last block does not end in a branch, return or the like")
        cursor.take()
        self.frames.pop()
        if kind in (BODY, FLAT):
            self._finish_literals()
            return
        if kind == CASE:
            return
        assert construct is not None
        if kind == THEN and isinstance(construct, If) and cursor.accept("else"):
            cursor.expect("{")
            self._open(ELSE, construct, construct.orelse).label = frame.label
            return
        if kind == LOOP and isinstance(construct, Loop) and cursor.accept("continuing"):
            cursor.expect("{")
            self._open(CONTINUING, construct, construct.continuing).label = frame.label
            return
        if frame.label:
            del self.labels[frame.label]
        if isinstance(construct, Switch) and self.cases.ends_falling(construct):
            self._note("RK0308", "the last case of this switch falls through to nothing", 1)
        outer = self.frames[-1]
        assert outer.region is not None
        outer.block = Block("", True)
        append_node(outer.region, outer.block)
        outer.fresh = True

    def _note(self, code: str, message: str, back: int = 0) -> None:
        """Report a fault and go on as if nothing was wrong."""
        self.faults.append(self.cursor.fault(code, message, back).diagnostic)

    def close_all(self) -> None:
        """The text ends with braces open."""
        self._finish_literals()
        self.frames = []

    # --- blocks -------------------------------------------------------------------------------------------------------

    def _placein_order(self, block: Block) -> None:
        if self.ordered and not block.padding:
            block.order = self.next_order
            self.next_order += 1

    def _label(self, frame: Frame) -> None:
        cursor = self.cursor
        padding = cursor.accept("pad")
        token = cursor.take()
        if not self._is_label(token):
            raise cursor.fault("RK0301", f"a label was expected here, not `{token}`", 1)
        cursor.expect(":")
        block = frame.block
        if frame.kind == FLAT:
            if block is not None and block.jump is None:
                raise cursor.fault("RK0310", "the block before does not end in a branch, return or the like", 2)
            block = Block()
            add_block(self.function, block)
        elif frame.fresh and block is not None and block.first is None and block.jump is None:
            if block.order >= 0:
                self.next_order = block.order
                block.order = -1
        else:
            assert frame.region is not None
            block = new_block(frame.region)
        frame.block = block
        frame.fresh = False
        block.padding = padding
        block.leading = tuple(self.leading)
        self.leading = []
        self.subject = block
        self._placein_order(block)
        if cursor.peek() == "at":
            cursor.take()
            number = read_integer(cursor.take())
            if number is None or not -1 <= number[0] < 1 << 31:
                raise cursor.fault("RK0306", "a place in the input is a small number", 1)
            block.order = number[0]
            if self.ordered and not padding:
                self.next_order = block.order + 1
            self.symbols.define(token, block, cursor, 4)
        else:
            self.symbols.define(token, block, cursor, 2)
        if cursor.accept("member"):
            self._members(block)
        if token[0].isalpha() and not (token[0] == "b" and token[1:].isdigit()):
            block.name = token

    def _members(self, block: Block) -> None:
        """`member %head, b3 by token`: which loops the block belongs to, by header, and which form says so."""
        cursor = self.cursor
        while True:
            at = cursor.at
            token = cursor.take()
            if not token or not self._is_label(token):
                raise cursor.fault("RK0301", f"the label of a loop's header was expected here, not `{token}`", 1)
            origin = MARK
            if cursor.accept("by"):
                word = cursor.take()
                origin = unquote(word) if word[:1] == '"' else word
            self.members.append(Member(block, token, origin, cursor.line, at))
            if not cursor.accept(","):
                return

    def _finish_members(self) -> None:
        """Make hints of what was said of members, now that all labels are known."""
        for member in self.members:
            header = self.symbols.find(member.token)
            if isinstance(header, Block):
                self.function.hints.append(Hint(member.block, header, member.origin))
            else:
                message = f"`{member.token}` is no block of this function"
                self.faults.append(Diagnostic("RK0303", message, self.cursor.place(member.line, member.at)))
        self.members = []

    def _current(self, frame: Frame) -> Block:
        """The block that takes what comes next."""
        block = frame.block
        if block is None:
            if self.function.blocks:
                raise self.cursor.fault("RK0309", "a block of its own needs a label", 0, "write `b1:` before it")
            block = Block()
            add_block(self.function, block)
            frame.block = block
            self._placein_order(block)
        if block.jump is not None:
            help = "write a label before it, `b1:`, if it is meant to be there"
            raise self.cursor.fault("RK0309", "nothing leads here: the block before has ended", 0, help)
        return block

    # --- instructions and jumps ---------------------------------------------------------------------------------------

    def _instruction(self, frame: Frame) -> None:
        cursor = self.cursor
        start = cursor.at
        result = self.operations.result_token()
        try:
            instr = self.operations.instruction(result)
        finally:
            if result:
                self.symbols.poisoned[result] = None
        if result:
            self.symbols.define(result, instr, cursor, cursor.at - start)
            del self.symbols.poisoned[result]
        self.subject = instr
        code = instr.op
        if code in traits.MERGES or code in traits.BRANCHES:
            if frame.kind != FLAT:
                cursor.at = start
                raise cursor.fault("RK0310", "a branch or merge instruction has no place in a control-flow tree")
            block = self._current(frame)
            if code in traits.MERGES:
                self.merge = instr
                return
            set_jump(block, Branch(instr, self.merge))
            self.ended = block
            self.merge = None
            return
        if self.merge is not None:
            self.merge = None
            cursor.at = start
            raise cursor.fault("RK0310", "a merge instruction stands right before a branch")
        block = self._current(frame)
        if code in traits.EXITS:
            set_jump(block, Exit(instr))
            self.ended = block
        else:
            append(block, instr)

    def _debug_line(self, word: str) -> None:
        cursor = self.cursor
        cursor.take()
        start = cursor.at
        result = self.operations.result_token()
        instr = self.operations.instruction(result)
        if result:
            self.symbols.define(result, instr, cursor, cursor.at - start)
        (self.leading if word == "leading" else self.function.closing).append(instr)

    def _jump(self, frame: Frame, word: str) -> None:
        cursor = self.cursor
        block = self._current(frame)
        self.ended = block
        cursor.take()
        if word == "break" or word == "continue":
            token = cursor.peek()
            if not token.startswith("@"):
                raise cursor.fault("RK0307", f"`{word}` needs the label of the construct that it is about")
            target = self.labels.get(token)
            cursor.take()
            if target is None:
                raise cursor.fault("RK0307", f"no `{token}` is open here", 1)
            if word == "break":
                set_jump(block, Break(target))
            elif isinstance(target, Loop):
                set_jump(block, Continue(target))
            else:
                raise cursor.fault("RK0307", f"`{token}` is not a loop", 1)
        elif word == "fallthrough":
            set_jump(block, Fallthrough(self.cases.following(self.frames, self.labels)))
        else:
            self._exit(block, word)

    def _exit(self, block: Block, word: str) -> None:
        cursor = self.cursor
        operands: list[Operand] = []
        token = cursor.peek()
        code = _EXITS[word]
        waits = False
        at = cursor.at
        if word == "return" and token and token != "}" and token not in _JUMPS:
            value = self.parts.reference("IdRef")
            waits = value is self.symbols.hole
            operands.append(value)
            code = op.ReturnValue
        instr = Instr(code, None, operands, "", False)
        if waits:
            self.symbols.wait(instr, 0, token, cursor.line, at)
        set_jump(block, Exit(instr))
        self.subject = instr

    # --- constructs ---------------------------------------------------------------------------------------------------

    def _construct(self, frame: Frame, word: str) -> None:
        cursor = self.cursor
        if frame.kind == FLAT:
            raise cursor.fault("RK0310", f"`{word}` has no place in a flat function")
        self._current(frame)
        cursor.take()
        construct: Construct
        if word == "if" or word == "switch":
            at = cursor.at
            token = cursor.peek()
            value = self.parts.reference("IdRef")
            construct = If(value) if word == "if" else Switch(value)
            if value is self.symbols.hole:
                self.symbols.wait(construct, 0, token, cursor.line, at)
            label = label_of(cursor, self.labels, construct) if cursor.accept("as") else ""
        else:
            construct = Loop() if word == "loop" else Scope()
            label = label_of(cursor, self.labels, construct) if cursor.peek().startswith("@") else ""
        order = attributes(cursor, construct)
        cursor.expect("{")
        if label:
            self.labels[label] = construct
        for region in construct.regions():
            new_block(region)
        assert frame.region is not None
        append_node(frame.region, construct)
        self.subject = construct
        if isinstance(construct, If):
            inner = self._open(THEN, construct, construct.then)
        elif isinstance(construct, Loop):
            inner = self._open(LOOP, construct, construct.body)
        elif isinstance(construct, Scope):
            inner = self._open(SCOPE, construct, construct.body)
        else:
            assert isinstance(construct, Switch)
            inner = self._open(SWITCH, construct, None)
            self.cases.open(construct, order)
        inner.label = label

    def _case(self, frame: Frame) -> None:
        switch = frame.construct
        assert isinstance(switch, Switch)
        case = self.cases.read(switch)
        self._open(CASE, switch, case.region).case = case
        self.subject = case

    def _finish_literals(self) -> None:
        """Make the targets of all switches, now that their selectors are known."""
        self._finish_members()
        self.symbols.end_function()
        self.faults.extend(self.cases.finish())


_CONSTRUCTS: Final = ("if", "switch", "loop", "scope")
_EXITS: Final = {
    "return": op.Return,
    "kill": op.Kill,
    "terminate": op.TerminateInvocation,
    "unreachable": op.Unreachable,
}
_JUMPS: Final = ("break", "continue", "fallthrough", "return", "kill", "terminate", "unreachable")
