"""What the words of an instruction mean: the one place that walks them along the grammar.

    OpDecorate %x Linkage "f" Export          words 5 41 0x66 0
      -> IdRef[0:1]  Decoration[1:2]  LiteralString[2:3]  LinkageType[3:4]

The walk is total. Words that the grammar has no place for come back as `RAW` operands, one each; an operand that the
grammar demands and the words lack comes back with a count of 0, last. So nothing is dropped, and the caller decides.
"""

from typing import Final, final

from reknit.ir.opcodes import (
    EXTENDED,
    MASK,
    OPCODE,
    PAIR,
    STRING,
    TYPED,
    VALUE,
    OperandSpec,
    OpInfo,
    enum_parameters,
    ext_set,
    info,
    kind,
)

RAW: Final = "Raw"
SCOPES: Final = ("IdScope", "IdMemorySemantics")
"""Kinds of operands that are constants, where the capability Kernel is not declared (SPIR-V 1.6, 2.16.2)."""


@final
class Operand:
    """One logical operand: its grammar kind, and the words it takes, counted from the first after type and result."""

    __slots__ = ("kind", "start", "count")

    def __init__(self, kind: str, start: int, count: int) -> None:
        self.kind = kind
        self.start = start
        self.count = count


_IDS: Final = OperandSpec("IdRef", "*", "", 0)


def is_id(kind_name: str) -> bool:
    """Whether operands of this kind are ids."""
    return kind_name == "IdRef" or kind_name in SCOPES


def string_words(words: list[int], start: int) -> int:
    """How many words the literal string at `start` takes; 0 where no zero byte ends it (SPIR-V 2.2.1)."""
    at = start
    end = len(words)
    while at < end:
        word = words[at]
        at += 1
        if not (word & 0xFF and word & 0xFF00 and word & 0xFF0000 and word & 0xFF000000):
            return at - start
    return 0


def string_bytes(words: list[int], start: int, count: int) -> bytes:
    """The bytes of a literal string, without its end and its padding."""
    packed = b"".join([(word & 0xFFFFFFFF).to_bytes(4, "little") for word in words[start : start + count]])
    end = packed.find(b"\0")
    return packed[:end] if end >= 0 else packed


def string_at(words: list[int], start: int, count: int) -> str:
    """A literal string as text. Bytes that are not UTF-8 become lone surrogates, so that they can be written back."""
    return string_bytes(words, start, count).decode("utf-8", "surrogateescape")


def string_to_words(text: str) -> list[int]:
    """A literal string's words: UTF-8, ended by a zero byte, padded by zeros. Undoes `string_at`."""
    packed = text.encode("utf-8", "surrogateescape")
    packed += bytes(4 - len(packed) % 4)
    return [int.from_bytes(packed[at : at + 4], "little") for at in range(0, len(packed), 4)]


def decode(about: OpInfo | None, words: list[int], literal_words: int = 1, set_name: str = "") -> list[Operand]:
    """The operands of one instruction, from its words after result type and result id.

    `about` is None for an opcode that the grammar lacks: all words are then RAW. `literal_words` is how many words a
    context-dependent number takes: those of the result type for OpConstant and OpSpecConstant, of the selector's type
    for OpSwitch. `set_name` is the name that OpExtInst's set was imported by. A pair comes back as its two members.
    """
    out: list[Operand] = []
    at = 0
    end = len(words)
    if about is not None:
        todo = list(about.operands)
        todo.reverse()
        while todo:
            spec = todo.pop()
            if at >= end:
                if spec.quantifier == "":
                    out.append(Operand(spec.kind, at, 0))
                    return out
                continue
            if spec.quantifier == "*":
                todo.append(spec)
            form = spec.form
            if form == PAIR:
                at = _pair(out, spec, words, at, literal_words)
                if at < 0:
                    return out
                continue
            count = 1
            if form == STRING:
                count = string_words(words, at)
                if count == 0:
                    out.append(Operand(spec.kind, at, end - at))
                    out.append(Operand(spec.kind, end, 0))
                    return out
            elif form == TYPED:
                count = literal_words
                if at + count > end:
                    out.append(Operand(RAW, at, end - at))
                    out.append(Operand(spec.kind, end, 0))
                    return out
            out.append(Operand(spec.kind, at, count))
            if form in (VALUE, MASK):
                parameters = list(enum_parameters(spec.kind, words[at]))
                parameters.reverse()
                todo.extend(parameters)
            elif form == OPCODE:
                inner = info(words[at])
                if inner is not None:
                    operands = list(inner.operands)
                    operands.reverse()
                    todo.extend(operands)
            elif form == EXTENDED:
                todo = _extended(set_name, words[at])
            at += count
    while at < end:
        out.append(Operand(RAW, at, 1))
        at += 1
    return out


def _pair(out: list[Operand], spec: OperandSpec, words: list[int], at: int, literal_words: int) -> int:
    """Both members of one pair; the place after it, or -1 where the words end within it."""
    for base in kind(spec.kind).bases:
        # Only OpSwitch has literal-first pairs, and there the literal is as wide as the selector.
        typed = spec.kind == "PairLiteralIntegerIdRef" and base == "LiteralInteger"
        name = "LiteralContextDependentNumber" if typed else base
        count = literal_words if typed else 1
        if at + count > len(words):
            if at < len(words):
                out.append(Operand(RAW, at, len(words) - at))
            out.append(Operand(name, len(words), 0))
            return -1
        out.append(Operand(name, at, count))
        at += count
    return at


def _extended(set_name: str, number: int) -> list[OperandSpec]:
    """What follows an extended instruction's number, last first.

    Later versions of a non-semantic set may add operands, and sets we do not know take ids: so do all the rest.
    """
    imported = ext_set(set_name)
    inst = imported.by_number.get(number) if imported is not None else None
    if imported is None or inst is None:
        return [_IDS]
    specs = list(inst.operands)
    if imported.nonsemantic:
        specs.append(_IDS)
    specs.reverse()
    return specs
