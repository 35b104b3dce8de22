"""Offsets between texels, which SPIR-V takes as constants where a texel is fetched or sampled (1.6, 3.14). Where one is
fetched, others are added to the texel's place.

    int2(1, 0), uint2(1, 0)          the constant, as an int2
    2 * int2(-1, 0), -uint2(0, 1)    computed here
"""

from typing import Final

from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int, int_constant
from reknit.ir.folding import folded
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value

_WIDTH: Final = 32
_COMPUTED: Final = ("unary", "binary", "division")
"""What is folded of whole numbers, by the table of opcodes."""
_MAX_DEPTH: Final = 16
"""Of operations inside each other."""


def constant_offset(emitter: Emitter, value: Value) -> list[Operand]:
    """As image operands, of one that has to be known."""
    known = known_offset(emitter, value)
    if not known:
        raise Unsupported("the offset between texels has to be a constant here")
    return known


def known_offset(emitter: Emitter, value: Value) -> list[Operand]:
    """As image operands; empty for one that isn't known."""
    if isinstance(value, Instr) and (value.block is not None or value.op == op.Bitcast):
        value = _constant(emitter, value)
    if not isinstance(value, Instr) or value.block is not None:
        return []
    return [enums.ImageOperandsConstOffset, value]


def _constant(emitter: Emitter, value: Instr) -> Value:
    """The constant that a value is; any other value is itself."""
    parts = _parts(value, 0)
    if parts is None or value.type is None:
        return value
    vector = value.type.op == op.TypeVector
    own = value.type.instr(0) if vector else value.type
    signed = [part - (1 << _WIDTH) if part >> (_WIDTH - 1) else part for part in parts]
    constants = [int_constant(emitter.module, own, part) for part in signed]
    return emitter.module.intern(op.ConstantComposite, value.type, [*constants]) if vector else constants[0]


def _parts(value: Value, depth: int) -> list[int] | None:
    """The bits of each component; None where they aren't known."""
    if not isinstance(value, Instr) or depth > _MAX_DEPTH:
        return None
    known = as_int(value)
    if known is not None:
        return [known % (1 << _WIDTH)]
    if value.op == op.ConstantNull and value.type is not None and value.type.op == op.TypeVector:
        return [0] * value.type.word(1)
    whole_of = (op.ConstantComposite, op.CompositeConstruct, op.Bitcast)
    if traits.FOLDS.get(value.op) not in _COMPUTED and value.op not in whole_of:
        return None
    operands = [_parts(value.value(index), depth + 1) for index in range(len(value.operands))]
    given = [parts for parts in operands if parts is not None]
    if len(given) < len(operands):
        return None
    if value.op in (op.ConstantComposite, op.CompositeConstruct):
        return [part for parts in given for part in parts]
    if value.op == op.Bitcast:
        return given[0]
    results = [folded(value.op, _WIDTH, [_WIDTH] * len(parts), list(parts)) for parts in zip(*given, strict=True)]
    whole = [result for result in results if result is not None]
    return whole if len(whole) == len(results) else None

