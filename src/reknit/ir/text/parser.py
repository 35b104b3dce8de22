"""Text as a module: reads what `ir.text.printer` prints and what people write.

    text -> lines -> statements --func--> ir.text.body (a stack of open braces) -> names filled in -> Module

After a fault, reading goes on at the next line (past the braces that the broken one opens), so that one run reports
many.
Any text gives a module or an `InputError`, never anything else. Source: docs/text-form.md.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.debug import EXT_INSTS
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation, intern_key
from reknit.ir.source_places import Places
from reknit.ir.text.body import Body
from reknit.ir.text.comments import Comment
from reknit.ir.text.cursor import Cursor, Fault
from reknit.ir.text.defined import defined_in
from reknit.ir.text.heads import mask_word, number, read_ids
from reknit.ir.text.lexer import name_of
from reknit.ir.text.literals import read_integer
from reknit.ir.text.operations import Deferred, Operations
from reknit.ir.text.parts import Parts
from reknit.ir.text.sections import SECTIONS, home_of
from reknit.ir.text.symbols import Symbols
from reknit.ir.types import function_type, void_type
from reknit.ir.value import Value
from reknit.ir.version import version_fault
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.meter import spend
from reknit.source.place import Place

MAX_FAULTS: Final = 50


@final
class Document:
    """A module read from text with the comments that stood in it."""

    __slots__ = ("module", "comments")

    def __init__(self, module: Module, comments: list[Comment]) -> None:
        self.module = module
        self.comments = comments


def parse(text: str, path: str = "<text>") -> Module:
    """The module that `text` describes. Raises InputError with all that is wrong (RK03xx); `path` names the text."""
    return parse_document(text, path).module


def parse_document(text: str, path: str = "<text>") -> Document:
    """The module and its comments, each with what it stands behind. Raises InputError as `parse` does."""
    parser = _Parser(text, path)
    parser.run()
    if parser.faults:
        raise InputError(parser.faults)
    return Document(parser.module, parser.comments)


@final
class _Parser:
    def __init__(self, text: str, path: str) -> None:
        self.module = Module()
        self.module.path = path
        self.spans: list[tuple[int, int]] = []  # (line, token) where each part of the module that is known begins
        self.places = Places(self._place)
        self.module.places = self.places
        self.cursor = Cursor(text, path)
        self.symbols = Symbols()
        self.parts = Parts(self.cursor, self.symbols, self.module)
        self.operations = Operations(self.parts)
        self.body: Body | None = None
        self.faults: list[Diagnostic] = []
        self.comments: list[Comment] = []
        self.subject: Value | None = None
        self.leading: list[Instr] = []
        self.heading: list[tuple[int, Instr]] = []
        self.bound = 0
        self.skipping = 0  # braces still open around text that is passed over

    def run(self) -> None:
        cursor = self.cursor
        while cursor.next_line() and len(self.faults) < MAX_FAULTS:
            while cursor.at < len(cursor.tokens):
                if self.skipping:
                    self._skip()
                    continue
                start = cursor.at
                try:
                    self._statement()
                except Fault as fault:
                    if fault.diagnostic.code:
                        self.faults.append(fault.diagnostic)
                    # The braces that it opens count, wherever in it the fault was found.
                    cursor.at = start + 1 if cursor.tokens[start] == "}" else start
                    self._skip()
            if cursor.comment:
                self._comment()
        self._finish()

    def _statement(self) -> None:
        spend(2)
        body = self.body
        start = self.cursor.at
        if body is None:
            self._module_statement()
            self._note(start)
            return
        try:
            body.statement()
        finally:
            self.subject = body.subject
            self._note(start)
            if body.ended is not None:
                self.places.ends[body.ended] = len(self.spans)
                self.spans.append((self.cursor.line, start))
                body.ended = None
            if not body.is_open():
                self.faults.extend(body.faults)
                self.body = None

    def _note(self, token: int) -> None:
        """What the statement at `token` of this line was about has its place there, unless it has one already."""
        if self.subject is not None and self.subject not in self.places.starts:
            self.places.starts[self.subject] = len(self.spans)
            self.spans.append((self.cursor.line, token))

    def _place(self, position: int) -> Place:
        return self.cursor.place(*self.spans[position])

    def _skip(self) -> None:
        """Pass over the rest of a broken line, and over what the braces that it opens enclose."""
        cursor = self.cursor
        poisoned = self.symbols.poisoned
        while cursor.at < len(cursor.tokens):
            token = cursor.tokens[cursor.at]
            if token == "}":
                if self.skipping == 0:
                    return
                self.skipping -= 1
                cursor.at += 1
                if self.skipping == 0 and cursor.peek() not in ("else", "continuing"):
                    return
                continue
            if token == "{":
                self.skipping += 1
            elif token[0] in "%@b" and cursor.ahead() in ("=", ":", "("):
                poisoned[token] = None
            cursor.at += 1

    def _comment(self) -> None:
        text = self.cursor.comment.lstrip(";/ \t").rstrip()
        if text:
            place = self.cursor.place(self.cursor.line, len(self.cursor.tokens))
            self.comments.append(Comment(text, place, self.subject))

    # --- module level -------------------------------------------------------------------------------------------------

    def _module_statement(self) -> None:
        cursor = self.cursor
        word = cursor.peek()
        if word == "func":
            self._function()
        elif word == "module":
            self._header()
        elif word == "declare":
            self._declare()
        elif word == "names":
            self._names()
        elif word == "ids":
            read_ids(self.parts)
        elif word == "closing":
            cursor.take()
            self.module.closing.append(self._defined_instruction())
        elif word == "leading":
            cursor.take()
            if cursor.accept("parameter"):
                place = number(cursor)
                self.heading.append((place, self._defined_instruction()))
            else:
                self.leading.append(self._defined_instruction())
        elif word == "in":
            cursor.take()
            name = cursor.take()
            if name not in SECTIONS:
                raise cursor.fault("RK0310", f"`{name}` is not a section of a module", 1)
            self._instruction(name)
        elif word in "{}":
            cursor.take()
            raise cursor.fault("RK0301", f"`{word}` has no place here", 1)
        else:
            self._instruction("")

    def _defined_instruction(self) -> Instr:
        cursor = self.cursor
        start = cursor.at
        result = self.operations.result_token()
        try:
            instr = self.operations.instruction(result)
        except Fault:
            if result:
                self.symbols.poisoned[result] = None
            raise
        if result:
            self.symbols.define(result, instr, cursor, cursor.at - start)
        return instr

    def _instruction(self, section: str) -> None:
        """An instruction at module level, put in its section."""
        cursor = self.cursor
        module = self.module
        start = cursor.at
        result = self.operations.result_token()
        at = cursor.at
        try:
            code, about = self.operations.opcode()
        except Fault:
            if result:
                self.symbols.poisoned[result] = None
            raise
        home = section or home_of(code)
        where = module.sections()[SECTIONS.index(home)]
        if home == "globals" or result:
            cursor.at = start
            instr = self._defined_instruction()
            if instr.has_result and home == "globals" and code != op.Variable and code not in EXT_INSTS:
                module.interned.setdefault(intern_key(code, instr.type, instr.operands), instr)
        else:
            if about is not None and about.has_result:
                cursor.at = at
                raise cursor.fault("RK0305", f"`{about.name}` needs a name for its result")
            instr = self.operations.annotation(code, about)
        where.append(instr)
        self.subject = instr

    def _declare(self) -> None:
        """`declare void, u32, 7u`: made in this order."""
        self.cursor.take()
        while True:
            token = self.cursor.peek()
            if self.parts.reference("IdRef") is self.symbols.hole:
                raise self.parts.unknown(token)
            if not self.cursor.accept(","):
                return

    def _names(self) -> None:
        """`names %x, @f`: their debug names are as written here."""
        cursor = self.cursor
        cursor.take()
        while True:
            at = cursor.at
            token = cursor.take()
            if token[0] not in "%@" or len(token) < 2:
                raise cursor.fault("RK0301", f"a name was expected here, not `{token}`", 1)
            operands: list[Operand] = [self.symbols.hole, name_of(token)[0]]
            instr = annotation(op.Name, operands)
            self.module.names.append(instr)
            deferred = Deferred(0, "IdRef", cursor.line, at)
            deferred.instr = instr
            self.operations.deferred.append(deferred)
            if not cursor.accept(","):
                return

    def _header(self) -> None:
        """`module 1.5 generator 0x80001 schema 0 bound 99`"""
        cursor = self.cursor
        module = self.module
        cursor.take()
        while cursor.peek():
            token = cursor.take()
            if token in ("version", "generator", "schema", "bound"):
                number = read_integer(cursor.take())
                if number is None or not 0 <= number[0] < 1 << 32:
                    raise cursor.fault("RK0306", f"the {token} is one word", 1)
                if token == "version":
                    module.version = number[0]
                    self._judge_version(cursor)
                elif token == "generator":
                    module.generator = number[0]
                elif token == "schema":
                    module.schema = number[0]
                else:
                    self.bound = number[0]
                continue
            major, _, minor = token.partition(".")
            plain = major.isdigit() and minor.isdigit() and len(token) < 8
            if not plain or int(major) > 255 or int(minor) > 255:
                raise cursor.fault("RK0306", f"`{token}` is not a version such as 1.6", 1)
            module.version = int(major) << 16 | int(minor) << 8
            self._judge_version(cursor)

    def _judge_version(self, cursor: Cursor) -> None:
        """Of the word that was taken last."""
        wrong = version_fault(self.module.version)
        if wrong:
            raise cursor.fault("RK0109", wrong, 1)

    # --- functions ----------------------------------------------------------------------------------------------------

    def _function(self) -> None:
        """`func @main(%lane: u32) -> void control Inline flat ordered {`"""
        cursor = self.cursor
        symbols = self.symbols
        module = self.module
        cursor.take()
        token = cursor.take()
        if token[0] != "@" or len(token) < 2:
            raise cursor.fault("RK0301", f"the name of a function was expected here, not `{token}`", 1)
        symbols.poisoned[token] = None
        at = cursor.at
        cursor.expect("(")
        params: list[Instr] = []
        tokens: list[int] = []
        while not cursor.accept(")"):
            if params:
                cursor.expect(",")
            tokens.append(cursor.at)
            param = cursor.take()
            if param[0] != "%" or len(param) < 2:
                raise cursor.fault("RK0301", f"a parameter was expected here, not `{param}`", 1)
            cursor.expect(":")
            params.append(Instr(op.FunctionParameter, self.parts.type(), []))
        result = self.parts.type() if cursor.accept("->") else void_type(module)
        external = False
        ordered = False
        structured = True
        control = 0
        type: Instr | None = None
        while cursor.peek() not in ("{", ""):
            word = cursor.take()
            if word == "flat":
                structured = False
            elif word == "ordered":
                ordered = True
            elif word == "external":
                external = True
            elif word == "control":
                control = mask_word(cursor, "FunctionControl")
            elif word == "type":
                type = self.parts.type()
            else:
                raise cursor.fault("RK0301", f"`{{` was expected here, not `{word}`", 1)
        if type is None:
            type = function_type(module, result, [p.type for p in params if p.type is not None])
        if not external:
            cursor.expect("{")
        function = Function(type, result)
        function.structured = structured
        function.control = control
        function.params = params
        function.leading = self.leading
        self.leading = []
        for place, line in self.heading:
            if place >= len(params):
                message = f"`{token}` has no parameter {place} for a line to stand before"
                self.faults.append(cursor.fault("RK0310", message).diagnostic)
            else:
                function.heading.setdefault(params[place], []).append(line)
        self.heading = []
        self.subject = function
        back = cursor.at - at + 1
        symbols.define(token, function, cursor, back)
        symbols.poisoned.pop(token)
        module.functions.append(function)
        symbols.in_function = True
        here = cursor.at
        fault: Fault | None = None
        for instr, place in zip(params, tokens, strict=True):
            try:
                symbols.define(cursor.tokens[place], instr, cursor, here - place)
            except Fault as refused:
                fault = refused
        if external:
            symbols.end_function()
            for instr, place in zip(params, tokens, strict=True):  # an `ids` line may name them
                symbols.module.setdefault(cursor.tokens[place], instr)
        else:
            self.body = Body(self.operations, function, ordered)
        if fault is not None:
            self.faults.append(fault.diagnostic)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Give names their meaning and ids their bound."""
        cursor = self.cursor
        full = len(self.faults) >= MAX_FAULTS
        if self.body is not None:
            if not full:
                opened = self.body.frames[-1].line
                self.faults.append(Diagnostic("RK0312", "this `{` is never closed", cursor.place(opened, 0)))
            self.body.close_all()
            self.faults.extend(self.body.faults)
        if full:
            return
        self.faults.extend(self.symbols.end_module(cursor))
        self.faults.extend([fault.diagnostic for fault in self.operations.resolve() if fault.diagnostic.code])
        self.faults.sort(key=_where)
        self.module.bound = self.bound or max([value.id for value in defined_in(self.module)], default=0) + 1


def _where(diagnostic: Diagnostic) -> tuple[int, int]:
    place = diagnostic.place
    return (place.line, place.column) if place is not None else (0, 0)
