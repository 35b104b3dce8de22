"""Values, masks and slots as LLVM text: what all parts of the emitter stand on.

    Val("i32", "%t7")                 a vector of L words, one a lane
    Val("i32", "%t8", uniform=True)   one word, the same in all lanes
    mask                              None: all L lanes; NONE_HERE; else the name of a <L x i1>

Floats are their bits, so every scalar is an integer: i1, i8, i16, i32 or i64.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from reknit.sim.values import STRUCT_KIND, Shape

NONE_HERE: Final = "zeroinitializer"
MAX_WORK: Final = 2_000_000
"""Lines of LLVM times lanes. At the level PLAIN, LLVM's work is proportional to that: a second, at 16 us for a line of
32 lanes."""
FEW_LANES: Final = 32
"""Lanes up to which a line takes LLVM the same."""
GONE: Final = "gone"  # a mask where LLVM's control flow has ended

Mask = str | None


class Refused(Exception):
    """What native code is not made for; the message says what, after "it", or after the name of an instruction. The
    interpreter runs it."""


@dataclass(frozen=True, slots=True)
class Val:
    """`first`: the value is first, first + 1, ... from lane to lane, where `first` is the text of a scalar."""

    type: str
    text: str
    uniform: bool = False
    first: str = ""

    def width(self) -> int:
        return int(self.type[1:])


Shaped = Any
"""A Val, or a tuple of Shaped: a composite's parts."""


def number(type: str, value: int) -> Val:
    """A constant, the same in all lanes."""
    width = int(type[1:])
    value &= (1 << width) - 1
    if width == 1:
        return Val(type, "true" if value else "false", True)
    return Val(type, str(value - (1 << width) if value >> (width - 1) else value), True)


def scalar_type(shape: Shape) -> str:
    return f"i{shape.width}"


def parts_of(shape: Shape) -> list[Shape]:
    """The shapes of a composite's parts, [] of a scalar."""
    if shape.kind == STRUCT_KIND:
        return shape.members
    if shape.is_scalar():
        return []
    if shape.element is None or shape.kind > STRUCT_KIND:
        raise Refused(f"has values of type {shape}")
    return [shape.element] * shape.count


def constant(shape: Shape, value: Any) -> Shaped:
    """A constant of the simulator as a value."""
    parts = parts_of(shape)
    if shape.is_scalar():
        return number(scalar_type(shape), value)
    return tuple([constant(part, value[at]) for at, part in enumerate(parts)])


def leaves(value: Shaped) -> list[Val]:
    if isinstance(value, Val):
        return [value]
    parts: list[Val] = []
    for part in value:
        parts.extend(leaves(part))
    return parts


def rebuilt(like: Shaped, scalars: list[Val]) -> Shaped:
    """A value with the structure of `like` and these scalars, which are taken out of the list."""
    if isinstance(like, Val):
        return scalars.pop(0)
    return tuple([rebuilt(part, scalars) for part in like])


class Text:
    """The lines of the function that is being written, for `lanes` lanes in subgroups of `width`."""

    def __init__(self, lanes: int, width: int) -> None:
        self.lanes = lanes
        self.width = width
        self.lines: list[str] = []
        self.work = 0
        """What LLVM has to do, in lines."""
        self.most_work = MAX_WORK // max(lanes, FEW_LANES)
        self.slots: list[str] = []
        self.declared: dict[str, None] = {}
        self.count = 0
        self.label = "%body"
        self.every: Mask = None  # the lanes that are invocations
        self.half = True  # whether the processor converts 16-bit floats
        self.wide = False  # whether masks are words, too
        self.mask_words: dict[str, tuple[str, str]] = {}  # of masks, and the block they are known in, "" all
        self.misjudges = False  # whether LLVM takes shuffles of selects wrongly (docs/found.md)
        self.is_known: Callable[[str], bool] = bool  # which functions of the C library there are

    # --- lines --------------------------------------------------------------------------------------------------------

    def fresh(self, stem: str = "t") -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def line(self, text: str) -> None:
        self.lines.append("  " + text)
        self.spend_work(1)

    def spend_work(self, lines: int) -> None:
        """Raises Refused as soon as it is too much, before the text is all there: a function is written for each of its
        calls, so that few functions may be many lines."""
        self.work += lines
        if self.work > self.most_work:
            raise Refused(f"would take long to compile: over {self.most_work} lines of LLVM for {self.lanes} lanes")

    def let(self, text: str) -> str:
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    def start(self, label: str) -> None:
        self.lines.append(f"{label[1:]}:")
        self.spend_work(1)
        self.label = label

    def go(self, label: str) -> None:
        self.line(f"br label {label}")

    def fork(self, condition: str, yes: str, no: str) -> None:
        self.line(f"br i1 {condition}, label {yes}, label {no}")

    def need(self, symbol: str) -> None:
        if not self.is_known(symbol):
            raise Refused(f"needs {symbol} of the C library, which LLVM does not find")

    def declare(self, text: str) -> None:
        self.declared["declare " + text] = None

    # --- types and slots ----------------------------------------------------------------------------------------------

    def vec(self, type: str) -> str:
        return f"<{self.lanes} x {type}>"

    def typed(self, value: Val) -> str:
        return value.type if value.uniform else self.vec(value.type)

    def slot(self, type: str, count: int = 1) -> str:
        name = self.fresh("s")
        self.slots.append(f"  {name} = alloca {type}, i32 {count}, align 64")
        return name

    def mask_type(self) -> str:
        """Of a slot."""
        return self.vec("i32" if self.wide else "i1")

    def mask_slot(self) -> str:
        name = self.slot(self.mask_type())
        self.store_mask(name, NONE_HERE)
        return name

    def spread(self, value: Val) -> str:
        """The text of a value as a vector."""
        if not value.uniform:
            return value.text
        if not value.text.startswith("%"):
            return f"splat ({value.type} {value.text})"
        vector = self.vec(value.type)
        one = self.let(f"insertelement {vector} poison, {value.type} {value.text}, i64 0")
        return self.let(f"shufflevector {vector} {one}, {vector} poison, {self.vec('i32')} zeroinitializer")

    def varying(self, value: Val) -> Val:
        return Val(value.type, self.spread(value)) if value.uniform else value

    def numbers(self, type: str, each: list[int]) -> Val:
        """A constant that differs from lane to lane."""
        return Val(type, "<" + ", ".join([f"{type} {number(type, value).text}" for value in each]) + ">")

    # --- operations ---------------------------------------------------------------------------------------------------

    def apply(self, text: str, operands: list[Val], result: str = "") -> Val:
        """An LLVM instruction with operands of one type, on scalars if all are uniform."""
        type = operands[0].type
        uniform = all(operand.uniform for operand in operands)
        texts = [operand.text if uniform else self.spread(operand) for operand in operands]
        name = self.let(f"{text} {type if uniform else self.vec(type)} {', '.join(texts)}")
        return Val(result or type, name, uniform)

    def call(self, name: str, operands: list[Val], extra: str = "") -> Val:
        """An LLVM intrinsic with operands of one type, which is that of its result too."""
        type = operands[0].type
        uniform = all(operand.uniform for operand in operands)
        full = type if uniform else self.vec(type)
        mangled = f"@llvm.{name}.{'' if uniform else f'v{self.lanes}'}{type}"
        self.declare(f"{full} {mangled}({', '.join([full] * len(operands))}{', i1' if extra else ''})")
        args = ", ".join([f"{full} {operand.text if uniform else self.spread(operand)}" for operand in operands])
        return Val(type, self.let(f"call {full} {mangled}({args}{extra})"), uniform)

    def cast(self, name: str, value: Val, type: str) -> Val:
        """zext, sext, trunc; nothing where the type is the same."""
        if value.type == type:
            return value
        if value.uniform and not value.text.startswith("%") and value.type != "i1":
            bits = int(value.text) & ((1 << value.width()) - 1)
            if name == "sext" and bits >> (value.width() - 1):
                bits -= 1 << value.width()
            return number(type, bits)
        full = type if value.uniform else self.vec(type)
        return Val(type, self.let(f"{name} {self.typed(value)} {value.text} to {full}"), value.uniform)

    def resized(self, value: Val, type: str, signed: bool = False) -> Val:
        wide = int(type[1:]) > value.width()
        return self.cast("sext" if wide and signed else "zext" if wide else "trunc", value, type)

    def select(self, condition: Val, yes: Val, no: Val) -> Val:
        if condition.uniform and yes.uniform and no.uniform:
            text = f"select i1 {condition.text}, {yes.type} {yes.text}, {no.type} {no.text}"
            return Val(yes.type, self.let(text), True)
        vector = self.vec(yes.type)
        chosen = f"i1 {condition.text}" if condition.uniform else f"{self.vec('i1')} {condition.text}"
        return Val(yes.type, self.let(f"select {chosen}, {vector} {self.spread(yes)}, {vector} {self.spread(no)}"))

    def compare(self, how: str, a: Val, b: Val) -> Val:
        return self.apply(f"icmp {how}", [a, b], "i1")

    def each(self, function: Any, *operands: Shaped) -> Shaped:
        """Component by component; an operand that is no composite goes to each."""
        counts = [len(operand) for operand in operands if not isinstance(operand, Val)]
        if not counts:
            return function(*operands)
        return tuple([
            self.each(function, *[operand if isinstance(operand, Val) else operand[at] for operand in operands])
            for at in range(counts[0])
        ])  # fmt: skip

    def by_lane(self, type: str, vectors: list[Val], mask: Mask, one: Callable[[list[Val]], Val]) -> Val:
        """A loop over the lanes of `mask`, in their order: `one` writes what is done with a lane's scalars, and gives
        the lane's result. It is 0 in the others."""
        places: list[str] = []
        for vector in vectors:
            places.append(self.slot(self.vec(vector.type)))
            self.line(f"store {self.typed(vector)} {vector.text}, ptr {places[-1]}")
        bits, out = self.slot(self.vec("i8")), self.slot(self.vec(type))
        here = self.cast("zext", Val("i1", self.mask_text(mask)), "i8")
        self.line(f"store {self.vec('i8')} {here.text}, ptr {bits}")
        self.line(f"store {self.vec(type)} zeroinitializer, ptr {out}")
        head, body, following, done = [self.fresh(stem) for stem in ("lanes", "here", "following", "done")]
        before = self.label
        self.go(head)
        self.start(head)
        lane, next_lane = self.fresh("lane"), self.fresh("lane")
        self.line(f"{lane} = phi i64 [ 0, {before} ], [ {next_lane}, {following} ]")
        bit = self.let(f"load i8, ptr {self.let(f'getelementptr i8, ptr {bits}, i64 {lane}')}")
        self.fork(self.let(f"icmp ne i8 {bit}, 0"), body, following)
        self.start(body)
        given: list[Val] = []
        for vector, place in zip(vectors, places, strict=True):
            at = self.let(f"getelementptr {vector.type}, ptr {place}, i64 {lane}")
            given.append(Val(vector.type, self.let(f"load {vector.type}, ptr {at}"), True))
        result = one(given)
        at = self.let(f"getelementptr {type}, ptr {out}, i64 {lane}")
        self.line(f"store {type} {result.text}, ptr {at}")
        self.go(following)
        self.start(following)
        self.line(f"{next_lane} = add i64 {lane}, 1")
        self.fork(self.let(f"icmp eq i64 {next_lane}, {self.lanes}"), done, head)
        self.start(done)
        return Val(type, self.let(f"load {self.vec(type)}, ptr {out}"))

    # --- masks --------------------------------------------------------------------------------------------------------
    # Where the processor has no registers for masks, LLVM packs vectors of i1 into bytes and unpacks them for each use.
    # So masks that are `wide` are words, too; the i1 is whether a word is negative, which a blend takes as it is.

    def mask_text(self, mask: Mask) -> str:
        return "splat (i1 true)" if mask is None else mask

    def words_of(self, mask: Mask) -> str:
        """A mask as words, 0 or -1."""
        if mask is None or mask == NONE_HERE:
            return "splat (i32 -1)" if mask is None else mask
        words, block = self.mask_words.get(mask, ("", "none"))
        if block not in ("", self.label):
            words = self.hidden(self.let(f"sext {self.vec('i1')} {mask} to {self.vec('i32')}"))
            self.mask_words[mask] = (words, self.label)
        return words

    def hidden(self, words: str) -> str:
        """The same, through assembly without an instruction, which LLVM doesn't look into: it would turn the words back
        into i1. A register of 256 bits after the other."""
        parts: list[str] = []
        for first in range(0, self.lanes, 8):
            part = self.let(self.lanes_of(words, self.lanes, words, range(first, first + 8)))
            parts.append(self.let(f'call <8 x i32> asm "", "=x,0"(<8 x i32> {part})'))
        while len(parts) > 1:
            count = self.lanes // len(parts)
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [self.let(self.lanes_of(low, count, high, range(2 * count))) for low, high in pairs]
        return parts[0]

    def lanes_of(self, low: str, count: int, high: str, chosen: range) -> str:
        places = ", ".join([f"i32 {lane}" for lane in chosen])
        vector = f"<{count} x i32>"
        return f"shufflevector {vector} {low}, {vector} {high}, <{len(chosen)} x i32> <{places}>"

    def mask_of_words(self, words: str) -> str:
        mask = self.let(f"icmp slt {self.vec('i32')} {words}, zeroinitializer")
        self.mask_words[mask] = (words, "")
        return mask

    def combined(self, how: str, mask: str, other: str) -> str:
        if not self.wide:
            return self.let(f"{how} {self.vec('i1')} {mask}, {other}")
        words, others = self.words_of(mask), self.words_of(other)
        return self.mask_of_words(self.let(f"{how} {self.vec('i32')} {words}, {others}"))

    def both(self, mask: Mask, other: Mask) -> Mask:
        if mask is None or other == NONE_HERE:
            return other
        if other is None or mask == NONE_HERE:
            return mask
        return self.combined("and", mask, other)

    def either(self, mask: Mask, other: Mask) -> Mask:
        if mask is None or other is None:
            return None
        if mask == NONE_HERE or other == NONE_HERE:
            return other if mask == NONE_HERE else mask
        return self.combined("or", mask, other)

    def without(self, mask: Mask, other: Mask) -> Mask:
        if other is None:
            return NONE_HERE
        return mask if other == NONE_HERE else self.both(mask, self.invert(other))

    def invert(self, mask: str) -> str:
        return self.combined("xor", mask, "splat (i1 true)")

    def any(self, mask: Mask) -> str:
        """An i1: whether any invocation is here."""
        count, mask_bits = self.lanes, self.mask_text(mask)
        if self.wide and mask in self.mask_words and self.mask_words[mask][1] in ("", self.label):
            words = self.mask_words[mask][0]
            while count > 8:
                count //= 2
                halves = [
                    self.let(self.lanes_of(words, 2 * count, words, range(at, at + count))) for at in (0, count)
                ]
                words = self.let(f"or <{count} x i32> {halves[0]}, {halves[1]}")
            mask_bits = self.let(f"icmp slt <{count} x i32> {words}, zeroinitializer")
        word = self.let(f"bitcast <{count} x i1> {mask_bits} to i{count}")
        return self.let(f"icmp ne i{count} {word}, 0")

    def joined_masks(self, sources: list[tuple[Mask, str]]) -> str:
        """At the start of a block: the lanes by which block control comes from."""
        computed = [mask for mask, _ in sources if mask is not None and mask != NONE_HERE]
        known = [self.mask_words.get(mask, ("", "none"))[1] == "" for mask in computed]
        if not self.wide or not all(known):
            each = ", ".join([f"[ {self.mask_text(mask)}, {label} ]" for mask, label in sources])
            return self.let(f"phi {self.vec('i1')} {each}")
        each = ", ".join([f"[ {self.words_of(mask)}, {label} ]" for mask, label in sources])
        return self.mask_of_words(self.let(f"phi {self.vec('i32')} {each}"))

    def load_mask(self, slot: str) -> str:
        loaded = self.let(f"load {self.mask_type()}, ptr {slot}")
        return self.mask_of_words(loaded) if self.wide else loaded

    def store_mask(self, slot: str, mask: Mask) -> None:
        text = self.words_of(mask) if self.wide else self.mask_text(mask)
        self.line(f"store {self.mask_type()} {text}, ptr {slot}")

    def add_to(self, slot: str, mask: Mask) -> None:
        if mask != NONE_HERE:
            self.store_mask(slot, self.either(self.load_mask(slot), mask))

    def write(self, slot: str, shape: Val, value: Val, mask: Mask) -> None:
        """`value` into `slot` for the lanes of `mask`. `shape` says whether the slot holds a scalar."""
        if shape.uniform:
            self.line(f"store {shape.type} {value.text}, ptr {slot}")
            return
        text = self.spread(value)
        vector = self.vec(shape.type)
        if mask is not None:
            old = self.let(f"load {vector}, ptr {slot}")
            text = self.let(f"select {self.vec('i1')} {mask}, {vector} {text}, {vector} {old}")
        self.line(f"store {vector} {text}, ptr {slot}")

    def read_slot(self, slot: str, shape: Val) -> Val:
        return Val(shape.type, self.let(f"load {self.typed(shape)}, ptr {slot}"), shape.uniform)

    # --- faults -------------------------------------------------------------------------------------------------------

    def fault_if(self, wrong: Val, mask: Mask) -> None:
        """Where a lane of `mask` has `wrong`: the dispatch ends here, for the interpreter to run and explain."""
        if wrong.text == "false" or mask == NONE_HERE:
            return
        here = wrong.text if wrong.uniform else self.any(self.both(mask, wrong.text))
        onward = self.fresh("fine")
        self.line(f"br i1 {here}, label %fault, label {onward}, !prof !0")
        self.start(onward)
