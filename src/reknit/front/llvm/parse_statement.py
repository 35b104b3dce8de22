"""One instruction, from tokens. What is outside the subset is kept as an unknown statement, which lowering reports.

    %r = icmp ult i32 %a, %b           Statement icmp, words [ult], operands [%a, %b], type i1
    br i1 %c, label %x, label %y       Statement br, operands [%c], blocks [x, y]
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.lexer import GLOBAL, LOCAL, META, NUMBER, PUNCT, STRING, WORD
from reknit.front.llvm.parse_types import Cursor, Unexpected
from reknit.front.llvm.syntax import Operand, Statement, Type

BINARY: Final = (
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
    "fadd", "fsub", "fmul", "fdiv", "frem",
)  # fmt: skip
CASTS: Final = (
    "zext", "sext", "trunc", "fptoui", "fptosi", "uitofp", "sitofp", "fpext", "fptrunc", "bitcast", "addrspacecast",
    "ptrtoint", "inttoptr",
)  # fmt: skip
_ORDERINGS: Final = ("unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst")
_VOID: Final = Type(syntax.VOID, "void")
_BOOL: Final = Type(syntax.INT, "i1", 1)


def parse_statement(cursor: Cursor) -> Statement:
    """The statement at the cursor, which stands after its line (or lines) then. Raises Unexpected."""
    line = cursor.peek().line
    name = ""
    if cursor.peek().kind == LOCAL:
        name = cursor.next().text
        cursor.expect("=")
    token = cursor.next()
    if token.kind != WORD:
        raise Unexpected(token, "an instruction is expected")
    word = token.text
    if word in ("tail", "musttail", "notail"):
        word = cursor.of(WORD)
    statement = Statement(word, name, line, _VOID)
    if word in BINARY:
        statement.words = _flags(cursor)
        _pair(cursor, statement)
        statement.type = statement.operands[0].type
    elif word in CASTS:
        _flags(cursor)
        statement.operands.append(cursor.typed())
        cursor.expect("to")
        statement.type = cursor.type()
    elif word in _PARSERS:
        _PARSERS[word](cursor, statement)
    else:
        statement.known = False
    _rest(cursor, statement)
    return statement


def _flags(cursor: Cursor) -> list[str]:
    """Words before the type: fast, nuw, exact ..."""
    flags: list[str] = []
    while cursor.peek().kind == WORD and not cursor.sees_type():
        flags.append(cursor.next().text)
        if cursor.sees("("):
            cursor.skip_brackets()
    return flags


def _pair(cursor: Cursor, statement: Statement) -> None:
    first = cursor.typed()
    cursor.expect(",")
    statement.operands += [first, cursor.value(first.type)]


def _rest(cursor: Cursor, statement: Statement) -> None:
    """`, align 4, !name !12` up to the end of the line the statement ends on."""
    if cursor.at == 0:
        return
    line = cursor.tokens[cursor.at - 1].line
    while cursor.peek().line == line and cursor.peek().kind != "end":
        token = cursor.next()
        if token.kind == WORD and token.text == "align" and cursor.peek().kind == NUMBER:
            statement.align = cursor.integer()
        elif token.text == "addrspace" and statement.op == "alloca" and cursor.take("("):
            statement.type = Type(syntax.PTR, "ptr", 0, cursor.integer())
        elif token.kind == META and cursor.peek().kind == META and cursor.peek().line == line:
            statement.metadata[token.text] = cursor.next().text
        elif token.kind == WORD and token.text in _ORDERINGS:
            statement.words.append(token.text)


def _ret(cursor: Cursor, statement: Statement) -> None:
    if not cursor.take("void"):
        statement.operands.append(cursor.typed())


def _label(cursor: Cursor, statement: Statement) -> None:
    cursor.expect("label")
    statement.blocks.append(cursor.of(LOCAL))


def _br(cursor: Cursor, statement: Statement) -> None:
    if cursor.sees("label"):
        _label(cursor, statement)
        return
    statement.operands.append(cursor.typed())
    for _ in range(2):
        cursor.expect(",")
        _label(cursor, statement)


def _switch(cursor: Cursor, statement: Statement) -> None:
    statement.operands.append(cursor.typed())
    cursor.expect(",")
    _label(cursor, statement)
    cursor.expect("[")
    while not cursor.take("]"):
        statement.operands.append(cursor.typed())
        cursor.expect(",")
        _label(cursor, statement)


def _nothing(cursor: Cursor, statement: Statement) -> None:
    """unreachable, fence."""


def _phi(cursor: Cursor, statement: Statement) -> None:
    _flags(cursor)
    statement.type = cursor.type()
    while cursor.take("["):
        statement.operands.append(cursor.value(statement.type))
        cursor.expect(",")
        statement.blocks.append(cursor.of(LOCAL))
        cursor.expect("]")
        cursor.take(",")


def _select(cursor: Cursor, statement: Statement) -> None:
    _flags(cursor)
    statement.operands.append(cursor.typed())
    for _ in range(2):
        cursor.expect(",")
        statement.operands.append(cursor.typed())
    statement.type = statement.operands[1].type


def _call(cursor: Cursor, statement: Statement) -> None:
    _flags(cursor)
    statement.type = cursor.type()
    if cursor.sees("("):
        cursor.skip_brackets()  # the function's type, of one with variable arguments
    token = cursor.next()
    if token.kind != GLOBAL:
        statement.known = False
        return
    statement.callee = token.text
    cursor.expect("(")
    while not cursor.take(")"):
        if cursor.sees("metadata"):
            cursor.next()
            depth = 0
            while depth or not (cursor.sees(",") or cursor.sees(")")):
                depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(cursor.next().text, 0)
            statement.operands.append(Operand(syntax.META, _VOID))
        else:
            statement.operands.append(cursor.typed())
        cursor.take(",")
    line = token.line
    while cursor.peek().line == line and not cursor.sees("["):
        if cursor.peek().kind == META or (cursor.peek().kind == PUNCT and cursor.sees(",")):
            return
        if cursor.peek().kind == "end":
            return
        cursor.next()
    if cursor.take("["):
        while not cursor.take("]"):
            bundle = cursor.next()
            if bundle.kind == STRING and bundle.text == "convergencectrl" and cursor.take("("):
                statement.token = cursor.typed().text
                cursor.expect(")")


def _icmp(cursor: Cursor, statement: Statement) -> None:
    statement.words = _flags(cursor)[-1:]
    _pair(cursor, statement)
    source = statement.operands[0].type
    if source.kind == syntax.VECTOR:
        statement.type = Type(syntax.VECTOR, f"<{source.count} x i1>", 0, source.count, [_BOOL])
    else:
        statement.type = _BOOL


def _fneg(cursor: Cursor, statement: Statement) -> None:
    _flags(cursor)
    statement.operands.append(cursor.typed())
    statement.type = statement.operands[0].type


def _several(cursor: Cursor, statement: Statement) -> None:
    """Typed operands, then literals: extractvalue, insertvalue, extractelement ..."""
    statement.operands.append(cursor.typed())
    while cursor.take(","):
        if cursor.peek().kind == NUMBER:
            statement.literals.append(cursor.integer())
        elif cursor.peek().kind == META:
            cursor.at -= 1
            break
        else:
            statement.operands.append(cursor.typed())
    first = statement.operands[0].type
    statement.type = first
    if statement.op == "extractvalue":
        for index in statement.literals:
            first = first.parts[0] if first.kind == syntax.ARRAY else first.parts[index]
        statement.type = first
    elif statement.op == "extractelement":
        statement.type = first.parts[0]
    elif statement.op == "shufflevector":
        count = statement.operands[2].type.count
        statement.type = Type(syntax.VECTOR, f"<{count} x {first.parts[0].name}>", 0, count, first.parts)


def _alloca(cursor: Cursor, statement: Statement) -> None:
    cursor.take("inalloca")
    statement.source = cursor.type()
    statement.type = Type(syntax.PTR, "ptr")
    if cursor.sees(",") and cursor.tokens[cursor.at + 1].text not in ("align", "addrspace"):
        cursor.next()
        statement.operands.append(cursor.typed())


def _load(cursor: Cursor, statement: Statement) -> None:
    while cursor.take("atomic") or cursor.take("volatile"):
        statement.words.append(cursor.tokens[cursor.at - 1].text)
    statement.type = cursor.type()
    statement.source = statement.type
    cursor.expect(",")
    statement.operands.append(cursor.typed())


def _store(cursor: Cursor, statement: Statement) -> None:
    while cursor.take("atomic") or cursor.take("volatile"):
        statement.words.append(cursor.tokens[cursor.at - 1].text)
    statement.operands.append(cursor.typed())
    cursor.expect(",")
    statement.operands.append(cursor.typed())
    statement.source = statement.operands[0].type


def _getelementptr(cursor: Cursor, statement: Statement) -> None:
    _flags(cursor)
    statement.source = cursor.type()
    while cursor.take(","):
        if cursor.peek().kind == META:
            cursor.at -= 1
            break
        statement.operands.append(cursor.typed())
    statement.type = statement.operands[0].type
    for operand in statement.operands[1:]:
        if operand.type.kind == syntax.VECTOR and statement.type.kind != syntax.VECTOR:
            count = operand.type.count
            statement.type = Type(syntax.VECTOR, f"<{count} x ptr>", 0, count, [statement.type])


def _atomicrmw(cursor: Cursor, statement: Statement) -> None:
    cursor.take("volatile")
    statement.words.append(cursor.of(WORD))
    statement.operands.append(cursor.typed())
    cursor.expect(",")
    statement.operands.append(cursor.typed())
    statement.type = statement.operands[1].type
    statement.source = statement.type


def _cmpxchg(cursor: Cursor, statement: Statement) -> None:
    while cursor.take("weak") or cursor.take("volatile"):
        pass
    statement.operands.append(cursor.typed())
    for _ in range(2):
        cursor.expect(",")
        statement.operands.append(cursor.typed())
    value = statement.operands[1].type
    statement.source = value
    statement.type = Type(syntax.STRUCT, f"{{ {value.name}, i1 }}", 0, 0, [value, _BOOL])


def _freeze(cursor: Cursor, statement: Statement) -> None:
    statement.operands.append(cursor.typed())
    statement.type = statement.operands[0].type


_PARSERS: Final = {
    "ret": _ret, "br": _br, "switch": _switch, "unreachable": _nothing, "fence": _nothing, "phi": _phi,
    "select": _select, "call": _call, "icmp": _icmp, "fcmp": _icmp, "fneg": _fneg, "extractvalue": _several,
    "insertvalue": _several, "extractelement": _several, "insertelement": _several, "shufflevector": _several,
    "alloca": _alloca, "load": _load, "store": _store, "getelementptr": _getelementptr, "atomicrmw": _atomicrmw,
    "cmpxchg": _cmpxchg, "freeze": _freeze,
}  # fmt: skip
