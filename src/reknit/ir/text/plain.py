"""Types and constants that are written as what they are, without a name.

    TypeVector(TypeFloat 32, 4)     vec4<f32>             Constant 7 : u32        7u
    TypeArray(u32, Constant 4)      array<u32, 4>         ConstantTrue : bool     true
    TypePointer(Function, f32)      ptr<Function, f32>    Undef : u32             undef<u32>

Only the first of its kind, and only while it has no name and no decoration, so that the text means exactly this one.
What is nested too deep to read is named as well. The first mention of each is remembered in `order`: it is the order in
which a reader of the text makes them.
"""

from typing import Final, final

from reknit.ir import integers, op, traits
from reknit.ir.constants import int_words, literal_bits
from reknit.ir.instr import Instr
from reknit.ir.module import Module, TypeKey, intern_key
from reknit.ir.opcodes import enum_name, enum_value
from reknit.ir.text.literals import float_text, int_suffix
from reknit.ir.text.names import Names
from reknit.ir.value import Value

MAX_DEPTH: Final = 8
WIDEST: Final = 1024  # bits of a number that is read or written as one


def is_width(operand: object) -> bool:
    """Whether numbers of that many bits have a notation."""
    return isinstance(operand, int) and 0 < operand <= WIDEST


@final
class Plain:
    """Knows which globals need no name, and writes them. `names` names the others."""

    __slots__ = ("names", "depth", "texts", "order")

    def __init__(self, names: Names, module: Module | None = None) -> None:
        self.names = names
        self.depth: dict[Value, int] = {}  # nesting of each; MAX_DEPTH for what has to be named
        self.texts: dict[Value, str] = {}
        self.order: dict[Value, None] = {}
        if module is not None:
            self._survey(module)

    def _survey(self, module: Module) -> None:
        """Settle every global: by a name, a decoration or an earlier twin it needs a name in the text."""
        marked: dict[Value, None] = {}
        for section in (module.names, module.decorations):
            for instr in section:
                for operand in instr.operands:
                    if isinstance(operand, Value):
                        marked[operand] = None
        seen: dict[TypeKey, None] = {}
        for instr in module.globals:
            for operand in instr.operands:
                if isinstance(operand, Value) and operand not in self.depth:
                    marked[operand] = None  # mentioned before it is made
            key = intern_key(instr.op, instr.type, instr.operands)
            if key in seen or instr in marked:
                self.depth[instr] = MAX_DEPTH
            else:
                known = all(operand in self.depth for operand in instr.operands if isinstance(operand, Value))
                known = known and (instr.type is None or instr.type in self.depth)
                self.depth[instr] = self._measure(instr) if known else MAX_DEPTH
            if instr.has_result:
                seen[key] = None
        for function in module.functions:
            self.depth[function] = MAX_DEPTH

    def is_plain(self, value: Value) -> bool:
        """Whether `value` is written as what it is."""
        known = self.depth.get(value)
        return (known if known is not None else self._settle(value)) < MAX_DEPTH

    def _settle(self, value: Value) -> int:
        """Measure `value` after its parts. What is part of itself (by a forward pointer) has to be named."""
        work: list[Value] = [value]
        opened: dict[Value, bool] = {}  # whether what is being measured is part of itself; none any more once it is
        while work:
            top = work[-1]
            if top in self.depth or not isinstance(top, Instr) or top.block is not None:
                self.depth[top] = MAX_DEPTH if opened.pop(top, False) else self._measure(top)
                work.pop()
                continue
            opened[top] = False
            self.depth[top] = MAX_DEPTH
            for operand in [top.type, *top.operands]:
                if isinstance(operand, Value) and operand not in self.depth:
                    work.append(operand)
                elif isinstance(operand, Value) and operand in opened:
                    opened[operand] = True
        return self.depth[value]

    def _depth(self, value: Value) -> int:
        """Nesting that a mention of `value` adds: nothing if it is a name."""
        return self.depth[value] + 1 if self.is_plain(value) else 0

    def _measure(self, value: Value) -> int:
        """How deep `value` is nested, from how deep its parts are; MAX_DEPTH if it is none of the shapes below."""
        if not isinstance(value, Instr) or value.block is not None or value.name:
            return MAX_DEPTH
        code = value.op
        operands = value.operands
        count = len(operands)
        if code in (op.TypeVoid, op.TypeBool, op.TypeSampler):
            return 0 if count == 0 else MAX_DEPTH
        if code == op.TypeInt:
            return 0 if count == 2 and operands[1] in (0, 1) and is_width(operands[0]) else MAX_DEPTH
        if code == op.TypeFloat:
            return 0 if count == 1 and is_width(operands[0]) else MAX_DEPTH
        if code in (op.Constant, op.ConstantTrue, op.ConstantFalse):
            return self._measure_constant(value)
        if code in (op.ConstantNull, op.Undef):
            return self._capped(self._depth(value.type)) if value.type is not None and count == 0 else MAX_DEPTH
        if code in (op.TypeVector, op.TypeMatrix):
            part = operands[0] if count == 2 else None
            if not isinstance(part, Instr) or not isinstance(operands[1], int) or operands[1] >= 10**9:
                return MAX_DEPTH
            if code == op.TypeMatrix and (part.op != op.TypeVector or not self.is_plain(part)):
                return MAX_DEPTH
            return self._capped(self._depth(part))
        if code == op.TypeArray:
            if count != 2 or not isinstance(operands[0], Instr) or not isinstance(operands[1], Instr):
                return MAX_DEPTH
            return self._capped(max(self._depth(operands[0]), self._depth(operands[1])))
        if code == op.TypeRuntimeArray:
            if count != 1 or not isinstance(operands[0], Instr):
                return MAX_DEPTH
            return self._capped(self._depth(operands[0]))
        if code == op.TypePointer:
            if count != 2 or not isinstance(operands[0], int) or not isinstance(operands[1], Instr):
                return MAX_DEPTH
            return self._capped(self._depth(operands[1]))
        if code == op.TypeFunction and count > 0:
            deepest = 0
            for operand in operands:
                if not isinstance(operand, Instr):
                    return MAX_DEPTH
                deepest = max(deepest, self._depth(operand))
            return self._capped(deepest)
        return MAX_DEPTH

    def _capped(self, depth: int) -> int:
        return min(depth, MAX_DEPTH)

    def _measure_constant(self, value: Instr) -> int:
        type = value.type
        if type is None or not self.is_plain(type):
            return MAX_DEPTH
        if value.op != op.Constant:
            return 0 if type.op == op.TypeBool and not value.operands else MAX_DEPTH
        words = [operand for operand in value.operands if isinstance(operand, int)]
        if type.op not in (op.TypeInt, op.TypeFloat) or len(words) != len(value.operands) or not words:
            return MAX_DEPTH
        signed = type.op == op.TypeInt and type.word(1) == 1
        return 0 if words == int_words(type.word(0), signed, literal_bits(value)) else MAX_DEPTH

    def text(self, value: Value) -> str:
        """The text of anything that an operand or a result type may be."""
        known = self.texts.get(value)
        if known is not None:
            return known
        if not self.is_plain(value):
            return self.names.of(value)
        assert isinstance(value, Instr)
        spelled = self._spell(value)
        self.texts[value] = spelled
        self.order[value] = None
        return spelled

    def _spell(self, instr: Instr) -> str:
        """The text of a plain global. Recursion ends at MAX_DEPTH."""
        code = instr.op
        if code in traits.LITERAL_CONSTANT or code == op.Undef:
            return self._spell_constant(instr)
        if code == op.TypeVoid:
            return "void"
        if code == op.TypeBool:
            return "bool"
        if code == op.TypeSampler:
            return "sampler"
        if code == op.TypeInt:
            return f"{'i' if instr.word(1) else 'u'}{instr.word(0)}"
        if code == op.TypeFloat:
            return f"f{instr.word(0)}"
        if code == op.TypeVector:
            return f"vec{instr.word(1)}<{self.text(instr.instr(0))}>"
        if code == op.TypeMatrix:
            column = instr.instr(0)
            self.text(column)
            return f"mat{instr.word(1)}x{column.word(1)}<{self.text(column.instr(0))}>"
        if code == op.TypeArray:
            element = self.text(instr.instr(0))
            return f"array<{element}, {self._length(instr.instr(1))}>"
        if code == op.TypeRuntimeArray:
            return f"array<{self.text(instr.instr(0))}>"
        if code == op.TypePointer:
            return f"ptr<{enum_name('StorageClass', instr.word(0))}, {self.text(instr.instr(1))}>"
        params = ", ".join([self.text(instr.instr(index)) for index in range(1, len(instr.operands))])
        return f"fn({params}) -> {self.text(instr.instr(0))}"

    def _length(self, length: Instr) -> str:
        """The length of an array, where a bare number is a u32."""
        text = self.text(length)
        if self.is_plain(length) and length.op == op.Constant and length.type is not None:
            if text.endswith("u"):
                return text[:-1]
            if length.type.op == op.TypeInt and length.type.word(0) == 32:
                return text + "i"
        return text

    def _spell_constant(self, instr: Instr) -> str:
        type = instr.type
        assert type is not None
        kind = self.text(type)
        if instr.op == op.ConstantTrue:
            return "true"
        if instr.op == op.ConstantFalse:
            return "false"
        if instr.op == op.ConstantNull:
            return f"null<{kind}>"
        if instr.op == op.Undef:
            return f"undef<{kind}>"
        width = type.word(0)
        bits = literal_bits(instr)
        if type.op == op.TypeFloat:
            text = float_text(bits, width)
            return text if text is not None else f"{kind}(0x{bits:x})"
        signed = type.word(1) == 1
        number = integers.signed(bits, width) if signed else bits
        return f"{number}{int_suffix(width, signed)}"

    def enumerant(self, kind: str, value: Value) -> str | None:
        """The name of a scope or of memory semantics, where `value` is a plain u32 that has one."""
        if not self.is_plain(value) or not isinstance(value, Instr) or value.op != op.Constant:
            return None
        type = value.type
        if type is None or type.op != op.TypeInt or type.word(1) != 0 or type.word(0) != 32:
            return None
        name = enum_name(kind, value.word(0))
        if name[:1].isdigit() or enum_value(kind, name) != value.word(0):
            return None
        self.text(value)
        return name
