"""OpenCL's built-in functions that take pointers: vector loads and stores, atomics, and results that go to memory.

    vload4(i, p)                     components at p[4 i], p[4 i + 1] ...       vload_half(i, p)      f16, widened
    atomic_add(p, x), atomic_fetch_add_explicit(p, x, ...)                      OpAtomicIAdd
    frexp(x, &e), sincos(x, &c), fract(x, &i), modf(x, &i)                      the second result is stored

An ordering that is given is at most acquire and release; an operation without any is relaxed, as before OpenCL 2.0, or
acquires and releases (`atomic_fetch_add` and its like: OpenCL C 3.0, 6.15.12.7, sequentially consistent).
"""

import re
from typing import Final

from reknit.front.llvm import floats, syntax
from reknit.front.llvm.access import advanced, load, moved, store
from reknit.front.llvm.bits import like, scalar
from reknit.front.llvm.library import expand
from reknit.front.llvm.memory_statements import atomic, exchanged, loaded, stored
from reknit.front.llvm.opencl_math import is_signed, of_floats
from reknit.front.llvm.parts import is_wide, part_of
from reknit.front.llvm.places import at_each
from reknit.front.llvm.results import Address, Pieces, Pointer, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import parts_of, whole_of
from reknit.ir import op
from reknit.ir.floats import rounded_bits
from reknit.ir.value import Value
from reknit.source.digits import saturated

_LOAD: Final = re.compile(r"(?:__clspv_)?vload(a?)(_half)?_?(\d*)")
_STORE: Final = re.compile(r"(?:__clspv_)?vstore(a?)(_half)?_?(\d*)(_rt[ezpn])?")
_SECOND: Final = ("frexp", "sincos", "fract", "modf")
_ATOMIC: Final = re.compile(
    r"atom(?:ic)?_(?:(fetch_)?(add|sub|min|max|and|or|xor|xchg|exchange|inc|dec)|load|store|init|"
    r"cmpxchg|compare_exchange_(?:strong|weak))(_explicit)?"
)
_PLAIN: Final = {"exchange": "xchg", "inc": "add", "dec": "sub"}
_ORDERS: Final = {0: "monotonic", 2: "acquire", 3: "release", 4: "acq_rel", 5: "seq_cst"}
_HALF: Final = Type(syntax.FLOAT, "half", 16)
_WORD: Final = Type(syntax.INT, "i32", 32)


def is_known(name: str) -> bool:
    return name in _SECOND or any(one.fullmatch(name) is not None for one in (_LOAD, _STORE, _ATOMIC))


def accesses(name: str, statement: Statement) -> list[tuple[Operand, Type]]:
    """The pointers that a function goes through, and what it accesses there."""
    operands = statement.operands
    if _LOAD.fullmatch(name) is not None and len(operands) == 2:
        return [(operands[1], _HALF if "_half" in name else _element(statement.type))]
    if _STORE.fullmatch(name) is not None and len(operands) == 3:
        return [(operands[2], _HALF if "_half" in name else _element(operands[0].type))]
    if name in _SECOND and len(operands) == 2:
        return [(operands[1], _WORD if name == "frexp" else _element(operands[0].type))]
    if _ATOMIC.fullmatch(name) is not None and operands:
        type = _value_type(name, statement)
        return [(operand, type) for operand in operands[: 2 if "compare_exchange" in name else 1]]
    return []


def memory_call(lowering: Lowering, statement: Statement, name: str, signature: str) -> Result:
    """What a function gives that `is_known`. Raises Refusal."""
    if _ATOMIC.fullmatch(name) is not None:
        return _atomic(lowering, statement, name, signature)
    if name in _SECOND:
        return _second(lowering, statement, name)
    match = _LOAD.fullmatch(name)
    is_store = match is None
    match = match or _STORE.fullmatch(name)
    assert match is not None
    count = saturated(match[3] or "1")
    index, place = statement.operands[1:] if is_store else statement.operands
    step = 4 if match[1] and count == 3 else count  # vloada_half3 goes by fours
    kind = _HALF if match[2] else _element(statement.operands[0].type if is_store else statement.type)
    width = kind.width // 8
    at = moved(lowering.target, lowering.place(place), lowering.distance(index), step * width)
    if is_store:
        return _stored(lowering, statement.operands[0], kind, at, match[4] or "")
    target = lowering.target

    def take(pointer: Pointer) -> list[Value]:
        return [load(target, advanced(pointer, None, 0, part * width), kind) for part in range(count)]

    parts = at_each(lowering, at, take)
    wanted = _element(statement.type)
    if wanted.width != kind.width:
        parts = [target.emit(op.FConvert, target.type(wanted), [part]) for part in parts]
    return whole_of(lowering, statement.type, parts)


def _stored(lowering: Lowering, value: Operand, kind: Type, at: Address, rounding: str) -> Result:
    target = lowering.target
    parts = parts_of(lowering, value)
    if _element(value.type).width != kind.width:
        parts = [floats.narrowed(target, kind, _element(value.type), part, rounding[1:]) for part in parts]

    def put(pointer: Pointer) -> list[Value]:
        for index, part in enumerate(parts):
            store(target, advanced(pointer, None, 0, index * kind.width // 8), kind, part)
        return []

    at_each(lowering, at, put)
    return None


def _second(lowering: Lowering, statement: Statement, name: str) -> Result:
    value, to = statement.operands
    place = lowering.place(to)
    type = statement.type
    if not is_wide(type) or type.kind != syntax.VECTOR:
        return _one_second(lowering, type, name, lowering.value(value), place)
    kind = type.parts[0]
    step = 4 if name == "frexp" else kind.width // 8
    items: list[Result] = []
    for index in range(type.count):
        at = moved(lowering.target, place, None, 0, index * step)
        items.append(_one_second(lowering, kind, name, lowering.value(part_of(value, index)), at))
    return Pieces(items)


def _one_second(lowering: Lowering, type: Type, name: str, value: Value, place: Address) -> Value:
    """The first result; the second goes to `place`."""
    target = lowering.target
    width = scalar(type).width
    if name == "sincos" and width > 32:
        raise Refusal(f"is {name} of {type.name}")
    ir_type = target.type(type)
    kind = type
    if name == "frexp":
        kind = like(type, _WORD)
        signed = target.signed(kind)
        struct = target.module.intern(op.TypeStruct, None, [ir_type, signed])
        both = target.extended(52, struct, [value])
        result: Value = target.emit(op.CompositeExtract, ir_type, [both, 0])
        exponent = target.emit(op.CompositeExtract, signed, [both, 1])
        other = target.emit(op.Bitcast, target.type(kind), [exponent])
    elif name == "sincos":
        result, other = target.extended(13, ir_type, [value]), target.extended(14, ir_type, [value])
    elif name == "modf":
        other = target.extended(3, ir_type, [value])
        result = expand.of_floats(target, "copysign", [type], [target.emit(op.FSub, ir_type, [value, other]), value])
    else:  # below one by at least a bit (OpenCL C 3.0, 6.15.2, fract)
        other = target.extended(8, ir_type, [value])
        below = rounded_bits(1.0, width) - 1
        rest = target.emit(op.FSub, ir_type, [value, other])
        result = target.extended(79, ir_type, [rest, target.constant(type, below)])

    def put(pointer: Pointer) -> list[Value]:
        store(target, pointer, kind, other)
        return []

    at_each(lowering, place, put)
    return result


# --- atomics: as the statements of LLVM that they are -----------------------------------------------------------------


def _atomic(lowering: Lowering, statement: Statement, name: str, signature: str) -> Result:
    operands = statement.operands
    type = _value_type(name, statement)
    is_new = "fetch" in name or "compare_exchange" in name or name.startswith(
        ("atomic_load", "atomic_store", "atomic_exchange")
    )
    order = "seq_cst" if is_new else "monotonic"
    if "_explicit" in name:
        place = {"load": 1, "store": 2, "compare": 3}.get(name.split("_")[1], 2)
        known = operands[place]
        if known.kind not in (syntax.NUMBER, syntax.ZERO) or known.number not in _ORDERS:
            raise Refusal(f"calls @{statement.callee} with an order that is no constant")
        order = _ORDERS[known.number]
    if "compare_exchange" in name:
        return _compared(lowering, statement, type, order)
    plain = Statement("atomicrmw", statement.name, statement.line, type)
    plain.source = type
    plain.operands = operands[:2]
    plain.words = [order]
    word = name.removesuffix("_explicit").split("_")[-1]
    if word in ("load", "store", "init"):
        plain.words = ["atomic", order]
        if word == "load":
            return loaded(lowering, plain)
        plain.operands = operands[1::-1]
        return stored(lowering, plain)
    if word == "cmpxchg":
        plain.operands = operands[:3]
        pair = exchanged(lowering, plain)
        assert isinstance(pair, Pieces)
        return pair.items[0]
    if word in ("inc", "dec"):
        plain.operands = [operands[0], Operand(syntax.NUMBER, type, "", 1)]
    word = _PLAIN.get(word, word)
    if word in ("min", "max") and not _signed_value(signature):
        word = f"u{word}"
    if type.kind == syntax.FLOAT:
        if word != "xchg":
            raise Refusal(f"is {name} of {type.name}, which is not read here")
        return _exchanged_float(lowering, plain, type, order)
    plain.words = [word, order]
    return atomic(lowering, plain)


def _exchanged_float(lowering: Lowering, plain: Statement, type: Type, order: str) -> Result:
    target = lowering.target
    whole = Type(syntax.INT, f"i{type.width}", type.width)
    bits = target.emit(op.Bitcast, target.type(whole), [lowering.value(plain.operands[1])])
    lowering.values["\1bits"] = bits
    plain.type = plain.source = whole
    plain.operands = [plain.operands[0], Operand(syntax.LOCAL, whole, "\1bits")]
    plain.words = ["xchg", order]
    result = atomic(lowering, plain)
    assert isinstance(result, Value)
    return target.emit(op.Bitcast, target.type(type), [result])


def _compared(lowering: Lowering, statement: Statement, type: Type, order: str) -> Result:
    """What is expected lies in memory, and what was there goes there."""
    target = lowering.target
    fetched = Statement("load", "", statement.line, type)
    fetched.operands = [statement.operands[1]]
    expected = loaded(lowering, fetched)
    lowering.values["\1expected"] = expected
    exchange = Statement("cmpxchg", "", statement.line, type)
    exchange.source = type
    exchange.operands = [
        statement.operands[0], Operand(syntax.LOCAL, type, "\1expected"), statement.operands[2]
    ]
    exchange.words = [order]
    pair = exchanged(lowering, exchange)
    assert isinstance(pair, Pieces)
    lowering.values["\1there"] = pair.items[0]
    back = Statement("store", "", statement.line, type)
    back.operands = [Operand(syntax.LOCAL, type, "\1there"), statement.operands[1]]
    stored(lowering, back)
    truth = pair.items[1]
    assert isinstance(truth, Value)
    if statement.type.is_bool():
        return truth
    wanted = statement.type
    return target.emit(op.Select, target.type(wanted), [truth, target.constant(wanted, 1), target.constant(wanted, 0)])


def _value_type(name: str, statement: Statement) -> Type:
    if "compare_exchange" in name:
        return statement.operands[2].type if len(statement.operands) > 2 else _WORD
    if statement.type.kind != syntax.VOID:
        return statement.type
    return statement.operands[1].type if len(statement.operands) > 1 else _WORD


def _signed_value(signature: str) -> bool:
    """`PU3AS1Vjj`: the last letter is the value's, or stands before those of orders."""
    rest = re.compile(r"^P(U3AS\d)?K?V?(U7_Atomic)?").sub("", signature)
    return is_signed(rest) and not of_floats(rest)


def _element(type: Type) -> Type:
    return type.parts[0] if type.kind == syntax.VECTOR else type
