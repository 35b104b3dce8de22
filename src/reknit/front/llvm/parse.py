"""A module's printed text, as nouns.

    target datalayout = "..."     %struct.S = type { ... }     @g = addrspace(3) global ...
    define void @main() { ... }   declare ...                   !0 = !{ ... }     !dx.resources = !{!4}
"""

import re
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.lexer import END, GLOBAL, LABEL, LOCAL, META, NUMBER, PUNCT, STRING, WORD, tokens_of
from reknit.front.llvm.parse_statement import parse_statement
from reknit.front.llvm.parse_types import DEPTH, Cursor, Unexpected
from reknit.front.llvm.syntax import Chunk, Global, Node, Operand, Program, Routine
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.meter import spend
from reknit.source.place import Place

GRAMMAR: Final = "RK0804"
_CONVENTIONS: Final = ("spir_kernel", "spir_func", "amdgpu_kernel", "ptx_kernel", "fastcc", "coldcc", "ccc")
_MINIMUM_PRECISION: Final = re.compile(r"(^|-)f16:32(:|-|$)")
"""DXIL without native 16-bit types: a half takes 32 bits in memory, and may have them in registers."""
_MAX_LENGTH: Final = 200  # characters of a line in a message
_TERMINATORS: Final = ("ret", "br", "switch", "unreachable")


def parse(text: str, name: str) -> Program:
    """Raises InputError (RK0804) at the first line that is outside the grammar."""
    cursor = Cursor(tokens_of(text))
    program = Program()
    program.lines = text.split("\n")
    try:
        while cursor.peek().kind != END:
            start = cursor.at
            try:
                _item(cursor, program)
            except Unexpected as fault:
                routine = _skipped(cursor, start)
                if routine is None:
                    raise
                routine.wrong = _reported(program, name, fault)
                program.routines[routine.name] = routine
        _check_depth(cursor)
    except Unexpected as fault:
        raise InputError([_reported(program, name, fault)]) from None
    program.types = cursor.types
    return program


def _reported(program: Program, name: str, fault: Unexpected) -> Diagnostic:
    line = program.lines[fault.token.line - 1].strip() if fault.token.line <= len(program.lines) else ""
    line = line if len(line) <= _MAX_LENGTH else line[:_MAX_LENGTH] + " ..."
    message = f"{fault.token.text!r} is outside the LLVM IR that is read here: {fault.what}"
    return Diagnostic(GRAMMAR, message, Place(name), notes=[Note(f"in: {line}")])


def _skipped(cursor: Cursor, start: int) -> Routine | None:
    """The function that begins at `start`, as one that can't be read; the cursor stands behind it."""
    tokens = cursor.tokens
    first = tokens[start]
    if first.text not in ("define", "declare"):
        return None
    at = start
    convention = ""
    routine: Routine | None = None
    while tokens[at].kind != END and tokens[at].line == first.line:
        if tokens[at].kind == GLOBAL and routine is None:
            routine = Routine(tokens[at].text, syntax.Type(syntax.VOID, "void"), first.line)
        elif routine is None and _is_convention(tokens[at].text):
            convention = tokens[at].text
        at += 1
    if routine is None:
        return None
    routine.convention = convention
    if first.text == "define":
        while tokens[at].kind != END and not (tokens[at].text == "}" and tokens[at - 1].line < tokens[at].line):
            at += 1
        at += tokens[at].kind != END
        end = syntax.Statement("unreachable", "", first.line, routine.result)
        chunk = Chunk("0")
        chunk.statements.append(end)
        routine.chunks.append(chunk)
    cursor.at = at
    cursor.depth = 0
    return routine


def _is_convention(word: str) -> bool:
    return word in _CONVENTIONS or word.startswith("spir_")


def _check_depth(cursor: Cursor) -> None:
    """Named types nest as others do. LLVM lets none be in itself. Raises Unexpected."""
    height: dict[syntax.Type, int] = {}
    work = [(type, False) for type in cursor.types.values()]
    while work:
        spend(1)
        type, ready = work.pop()
        if ready:
            height[type] = 1 + max([height[part] for part in type.parts], default=0)
            if height[type] > DEPTH:
                what = f"types and constants nest at most {DEPTH} deep, and {type.name} deeper"
                raise Unexpected(cursor.peek(), what)
        elif type not in height:
            height[type] = 0
            work.append((type, True))
            work.extend((part, False) for part in type.parts)


def _item(cursor: Cursor, program: Program) -> None:
    token = cursor.peek()
    if token.kind == WORD and token.text == "target":
        cursor.next()
        what = cursor.of(WORD)
        cursor.expect("=")
        text = cursor.of(STRING)
        if what == "datalayout":
            program.layout = text
            if _MINIMUM_PRECISION.search(text):
                cursor.half = 32
                program.minimum = True
    elif token.kind == LOCAL:
        _type_definition(cursor)
    elif token.kind == GLOBAL:
        _global(cursor, program)
    elif token.kind == META:
        _metadata(cursor, program)
    elif token.kind == WORD and token.text in ("define", "declare"):
        _routine(cursor, program)
    elif token.kind == WORD and token.text == "attributes":
        _attributes(cursor, program)
    else:
        cursor.skip_line()


def _attributes(cursor: Cursor, program: Program) -> None:
    """attributes #0 = { convergent "hlsl.numthreads"="8,1,1" }"""
    line = cursor.next().line
    known = program.attributes.setdefault(cursor.next().text, {})
    while cursor.peek().line == line and cursor.peek().kind != END:
        token = cursor.next()
        if token.kind == STRING:
            known[token.text] = cursor.of(STRING) if cursor.take("=") else ""


def _type_definition(cursor: Cursor) -> None:
    name = cursor.of(LOCAL)
    cursor.expect("=")
    cursor.expect("type")
    if cursor.take("opaque"):
        return
    defined = cursor.type()
    known = cursor.types.setdefault(name, syntax.Type(syntax.STRUCT, f"%{name}"))
    known.kind = defined.kind
    known.width = defined.width
    known.count = defined.count
    known.parts = defined.parts
    known.packed = defined.packed


def _global(cursor: Cursor, program: Program) -> None:
    token = cursor.next()
    cursor.expect("=")
    space = 0
    external = False
    while not (cursor.sees("global") or cursor.sees("constant")):
        word = cursor.next()
        if word.kind != WORD or word.text in ("alias", "ifunc"):
            raise Unexpected(word, "a global variable is expected")
        external = external or word.text in ("external", "extern_weak")
        if word.text == "addrspace":
            cursor.expect("(")
            space = cursor.integer()
            cursor.expect(")")
        elif cursor.sees("("):
            cursor.skip_brackets()
    constant = cursor.next().text == "constant"
    type = cursor.type()
    initial: Operand | None = None
    if cursor.peek().line == token.line and not cursor.sees(","):
        initial = cursor.value(type)
    cursor.skip_line() if cursor.peek().line == token.line else None
    variable = Global(token.text, type, space, constant, initial, token.line)
    variable.external = external
    program.globals[token.text] = variable


def _metadata(cursor: Cursor, program: Program) -> None:
    token = cursor.next()
    cursor.expect("=")
    cursor.take("distinct")
    if cursor.peek().kind == META or not cursor.take("!"):
        cursor.skip_line()  # !DILocation and its like
        return
    cursor.expect("{")
    node: Node = []
    while not cursor.take("}"):
        entry = cursor.peek()
        if entry.kind == META:
            node.append(f"!{cursor.next().text}")
            if cursor.sees("("):
                cursor.skip_brackets()
        elif entry.kind == PUNCT and entry.text == "!":
            cursor.next()
            if cursor.sees("{"):
                cursor.skip_brackets()
                node.append(None)
            else:
                node.append(cursor.of(STRING))
        elif cursor.take("null"):
            node.append(None)
        else:
            node.append(cursor.typed())
        cursor.take(",")
    if token.text.isdigit():
        program.nodes[token.text] = node
    else:
        program.named[token.text] = [entry[1:] for entry in node if isinstance(entry, str)]


def _routine(cursor: Cursor, program: Program) -> None:
    defined = cursor.next().text == "define"
    convention = ""
    while not cursor.sees_type():
        word = cursor.next()
        if word.kind not in (WORD, META, PUNCT) or word.kind == END:
            raise Unexpected(word, "a function's result type is expected")
        if _is_convention(word.text):
            convention = word.text
        elif word.text == "cc" and cursor.peek().kind == NUMBER:
            convention = f"cc {cursor.next().text}"
        elif cursor.sees("("):
            cursor.skip_brackets()
        elif word.text == "align" and cursor.peek().kind == NUMBER:
            cursor.next()
    result = cursor.type()
    while cursor.peek().kind == WORD:
        cursor.next()
        if cursor.sees("("):
            cursor.skip_brackets()
    token = cursor.next()
    if token.kind != GLOBAL:
        raise Unexpected(token, "a function's name is expected")
    routine = Routine(token.text, result, token.line)
    routine.convention = convention
    _parameters(cursor, routine)
    program.routines[routine.name] = routine
    if not defined:
        if cursor.peek().line == cursor.tokens[cursor.at - 1].line:
            cursor.skip_line()
        return
    while not cursor.sees("{"):
        word = cursor.next()
        if word.kind == END:
            raise Unexpected(word, "a function's body is expected")
        if word.kind == META and cursor.peek().kind == META:
            routine.metadata[word.text] = cursor.next().text
        elif word.kind == WORD and word.text.startswith("#"):
            routine.groups.append(word.text)
        elif cursor.sees("("):
            cursor.skip_brackets()
    cursor.expect("{")
    _body(cursor, routine)


def _parameters(cursor: Cursor, routine: Routine) -> None:
    cursor.expect("(")
    number = 0
    while not cursor.take(")"):
        if cursor.take("..."):
            routine.variadic = True
            continue
        type = cursor.type()
        name = str(number)
        pointee: syntax.Type | None = None
        while not (cursor.sees(",") or cursor.sees(")")):
            word = cursor.next()
            if word.kind == LOCAL:
                name = word.text
            elif word.text == "byval" and cursor.take("("):
                pointee = cursor.type()
                cursor.expect(")")
            elif word.kind == END:
                raise Unexpected(word, "a parameter is expected")
            elif cursor.sees("("):
                cursor.skip_brackets()
        routine.parameters.append((name, type))
        if pointee is not None:
            routine.byval[name] = pointee
        number += 1
        cursor.take(",")


def _body(cursor: Cursor, routine: Routine) -> None:
    """Blocks; the first has no label if its name is a number."""
    chunk: Chunk | None = None
    while not cursor.take("}"):
        token = cursor.peek()
        if token.kind == LABEL:
            cursor.next()
            chunk = Chunk(token.text)
            routine.chunks.append(chunk)
            continue
        if token.kind == PUNCT and token.text == "#":
            cursor.skip_line()
            continue
        if token.kind == WORD and token.text.startswith("#"):
            cursor.skip_line()  # a debug record
            continue
        if token.kind == END:
            raise Unexpected(token, "'}' is expected")
        if chunk is None:
            chunk = Chunk(_first_name(routine))
            routine.chunks.append(chunk)
        if chunk.statements and chunk.statements[-1].op in _TERMINATORS:  # LLVM reads two blocks of one name as one
            raise Unexpected(token, f"block %{chunk.name} goes on behind its end, as one that is there twice does")
        chunk.statements.append(parse_statement(cursor))
    for chunk in routine.chunks:
        if not chunk.statements or chunk.statements[-1].op not in _TERMINATORS:
            last = chunk.statements[-1] if chunk.statements else None
            if last is not None and not last.known:
                continue  # reported when it is lowered
            raise Unexpected(cursor.tokens[cursor.at - 1], f"block %{chunk.name} has no end that is read here")


def _first_name(routine: Routine) -> str:
    """Unnamed parameters and blocks are numbered together (LLVM Language Reference, "Identifiers")."""
    return str(sum(1 for name, _ in routine.parameters if name.isdigit()))
