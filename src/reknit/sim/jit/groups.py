"""Operations of a subgroup, inside the `width` lanes that each has in a vector.

    ballot      the mask's bits, those of its own subgroup in each lane
    reduce      integers: log2(width) shuffles; floats: one lane after the other, since each sum is rounded
    shuffle     by way of memory, where the lane that is read is not known beforehand
"""

from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.sim.jit.arithmetic import Arithmetic
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, leaves, number, rebuilt
from reknit.sim.ops.ieee import format_of
from reknit.sim.values import FLOAT_KIND, Shape

FOLDED: Final = {
    "i-add": ("add", 0), "i-mul": ("mul", 1), "and": ("and", -1), "or": ("or", 0), "xor": ("xor", 0),
    "u-min": ("umin", -1), "u-max": ("umax", 0), "s-min": ("smin", -2), "s-max": ("smax", -3),
}  # fmt: skip
"""By how an opcode combines: LLVM's name, and the identity (-2: the greatest signed number, -3: the least)."""
SCANS: Final = (enums.GroupOperationInclusiveScan, enums.GroupOperationExclusiveScan)
UNIFORM_SOURCE: Final = (op.GroupNonUniformBroadcast, op.GroupNonUniformQuadBroadcast, op.SubgroupReadInvocationKHR)
READS_LANES: Final = frozenset((
    op.GroupNonUniformBroadcast, op.GroupNonUniformShuffle, op.GroupNonUniformShuffleXor, op.GroupNonUniformShuffleUp,
    op.GroupNonUniformShuffleDown, op.GroupNonUniformRotateKHR, op.GroupNonUniformQuadBroadcast,
    op.GroupNonUniformQuadSwap, op.SubgroupReadInvocationKHR,
))  # fmt: skip


class Groups(Arithmetic):
    def group(self, instr: Instr, shapes: list[Shape], operands: list[Shaped], mask: Mask) -> Shaped:
        """`operands` without the scope."""
        code = instr.op
        if code in (op.GroupNonUniformElect,):
            return self.elect(mask)
        value = operands[0]
        if code in (op.GroupNonUniformBallot, op.SubgroupBallotKHR):
            return self.ballot(self.both(mask, self.spread(value)))
        if code in (op.GroupNonUniformAny, op.SubgroupAnyKHR):
            return self.nonzero(self.ballot(self.both(mask, self.spread(value))))
        if code in (op.GroupNonUniformAll, op.SubgroupAllKHR):
            return self.opposite(self.nonzero(self.ballot(self.without(mask, self.spread(value)))))
        if code in (op.GroupNonUniformAllEqual, op.SubgroupAllEqualKHR):
            return self.all_equal(shapes[0], value, mask)
        if code in (op.GroupNonUniformBroadcastFirst, op.SubgroupFirstInvocationKHR):
            return self.each(lambda part: self.broadcast_first(part, mask), value)
        if code in READS_LANES:
            return self.read_lanes(code, operands, mask)
        if code in (op.GroupNonUniformQuadAllKHR, op.GroupNonUniformQuadAnyKHR):
            wanted = self.spread(value)
            every = code == op.GroupNonUniformQuadAllKHR
            voting = self.varying(
                Val("i1", self.mask_text(self.without(mask, wanted) if every else self.both(mask, wanted)))
            )
            some = self.butterfly("or", self.cast("zext", voting, "i32"), min(4, self.width))
            answer = self.compare("ne", some, number("i32", 0))
            return self.opposite(answer) if every else answer
        if code in BALLOT_BITS:
            return self.of_ballot(instr, operands, mask)
        combines = traits.COMBINES.get(code, "")
        if combines:
            return self.fold(instr, combines, shapes, operands, mask)
        raise Refused("is a group operation that native code is not made for")

    def opposite(self, value: Val) -> Val:
        return self.apply("xor", [value, number("i1", 1)])

    # --- ballots ------------------------------------------------------------------------------------------------------

    def ballot(self, mask: Mask) -> tuple[Val, ...]:
        """To each lane, the bits of its subgroup in a mask, as four words. Not a bitcast from <L x i1> to
        <L / width x i(width)>: LLVM goes through memory for that, and waits for a small store before a wide load. By
        way of an integer it stays in registers."""
        lanes, width = self.lanes, self.width
        zero = number("i32", 0)
        word = self.let(f"bitcast {self.vec('i1')} {self.mask_text(mask)} to i{lanes}")
        if width == lanes:
            whole = Val(f"i{lanes}", word, True)
            words = [self.resized(whole, "i32")] if lanes <= 32 else [
                self.resized(self.apply("lshr", [whole, number(whole.type, at)]) if at else whole, "i32")
                for at in range(0, lanes, 32)
            ]  # fmt: skip
            return (*words, zero, zero, zero)[:4]
        size = max(lanes, 32)
        if size > lanes:
            word = self.let(f"zext i{lanes} {word} to i{size}")
        if width < 8:
            shifts = self.numbers(f"i{size}", [lane // width * width for lane in range(lanes)])
            moved = self.apply("lshr", [Val(f"i{size}", word, True), shifts])
            own = self.apply("and", [moved, number(f"i{size}", (1 << width) - 1)])
            return self.resized(own, "i32"), zero, zero, zero
        whole_type, step = f"<{128 // size} x i{size}>", min(width, 32)
        parts = f"<{128 // step} x i{step}>"
        start = self.let(f"insertelement {whole_type} zeroinitializer, i{size} {word}, i64 0")
        register = self.let(f"bitcast {whole_type} {start} to {parts}")
        given: list[Val] = []
        for at in range(width // step):
            picks = ", ".join([f"i32 {lane // width * (width // step) + at}" for lane in range(lanes)])
            spread = self.let(f"shufflevector {parts} {register}, {parts} poison, {self.vec('i32')} <{picks}>")
            given.append(self.resized(Val(f"i{step}", spread), "i32"))
        return (*given, zero, zero, zero)[:4]

    def nonzero(self, ballot: tuple[Val, ...]) -> Val:
        return self.compare("ne", self.folded("or", [word for word in ballot if word.text != "0"]), number("i32", 0))

    def own_bits(self, kind: str) -> tuple[Val, ...]:
        """Constant masks by lane: the bits below, up to, at, from or above its own place; "all": of the subgroup."""
        masks: list[int] = []
        everyone = (1 << self.width) - 1
        for lane in range(self.lanes):
            bit = 1 << lane % self.width
            masks.append({
                "lt": bit - 1, "le": bit | bit - 1, "eq": bit, "ge": everyone & ~(bit - 1),
                "gt": everyone & ~(bit | bit - 1), "all": everyone,
            }[kind])  # fmt: skip
        return tuple([self.numbers("i32", [mask >> at for mask in masks]) for at in (0, 32, 64, 96)])

    def words(self) -> int:
        """How many words of a ballot count."""
        return max(self.width // 32, 1)

    def elect(self, mask: Mask) -> Val:
        """The first of each subgroup: no bit of the ballot is below its own."""
        ballot, below = self.ballot(mask), self.own_bits("lt")
        lower = [self.apply("and", [ballot[at], below[at]]) for at in range(self.words())]
        first = self.compare("eq", self.folded("or", lower), number("i32", 0))
        return Val("i1", self.mask_text(self.both(mask, self.spread(first))))

    def of_ballot(self, instr: Instr, operands: list[Shaped], mask: Mask) -> Val:
        code = instr.op
        ballot, count = operands[0], self.words()
        places = self.numbers("i32", [lane % self.width for lane in range(self.lanes)])
        if code == op.GroupNonUniformInverseBallot:
            for word in ballot:
                if not word.uniform:
                    self.fault_if(self.compare("ne", word, self.broadcast_first(word, mask)), mask)
            return self.bit_of(ballot, places)
        if code == op.GroupNonUniformBallotBitExtract:
            self.fault_if(self.compare("uge", operands[1], number("i32", self.width)), mask)
            return self.bit_of(ballot, self.apply("and", [operands[1], number("i32", self.width - 1)]))
        if code == op.GroupNonUniformBallotBitCount:
            literal = instr.word(1)
            kind = {
                enums.GroupOperationReduce: "all", enums.GroupOperationInclusiveScan: "le",
                enums.GroupOperationExclusiveScan: "lt",
            }.get(literal)  # fmt: skip
            if kind is None:
                raise Refused("counts bits in a way that native code is not made for")
            counted = self.own_bits(kind)
            ones = [self.call("ctpop", [self.apply("and", [ballot[at], counted[at]])]) for at in range(count)]
            return self.folded("add", ones)
        everyone = self.own_bits("all")
        inside = [self.apply("and", [ballot[at], everyone[at]]) for at in range(count)]
        self.fault_if(self.compare("eq", self.folded("or", inside), number("i32", 0)), mask)
        lowest = code == op.GroupNonUniformBallotFindLSB
        lane = number("i32", 0)
        for at in reversed(range(count)) if lowest else range(count):
            if lowest:
                place = self.call("cttz", [inside[at]], ", i1 false")
            else:
                place = self.apply("sub", [number("i32", 31), self.call("ctlz", [inside[at]], ", i1 false")])
            here = self.apply("add", [place, number("i32", 32 * at)])
            lane = self.select(self.compare("ne", inside[at], number("i32", 0)), here, lane)
        return lane

    def bit_of(self, ballot: Shaped, place: Val) -> Val:
        word: Val = ballot[0]
        high = self.apply("lshr", [place, number("i32", 5)])
        for at in range(1, self.words()):
            word = self.select(self.compare("eq", high, number("i32", at)), ballot[at], word)
        moved = self.apply("lshr", [word, self.apply("and", [place, number("i32", 31)])])
        return self.compare("ne", self.apply("and", [moved, number("i32", 1)]), number("i32", 0))

    # --- folds --------------------------------------------------------------------------------------------------------

    def fold(self, instr: Instr, combines: str, shapes: list[Shape], operands: list[Shaped], mask: Mask) -> Shaped:
        """Reductions and scans, component by component."""
        operation = next((operand for operand in instr.operands if isinstance(operand, int)), None)
        size = self.width
        if operation == enums.GroupOperationClusteredReduce:
            cluster = operands[1]
            if not cluster.uniform or cluster.text.startswith("%") or not 1 <= int(cluster.text) <= size:
                raise Refused("folds clusters of a size that native code is not made for")
            size = int(cluster.text)
        elif operation != enums.GroupOperationReduce and operation not in SCANS:
            raise Refused("folds in a way that native code is not made for")
        if instr.op in WORKGROUP_WIDE:
            raise Refused("is a group operation that native code is not made for")
        scalar = shapes[0].component()
        values = leaves(operands[0])
        if scalar.kind == FLOAT_KIND:
            done = [self.fold_floats(combines, value, operation, size, mask) for value in values]
        else:
            done = [self.fold_ints(combines, value, operation, size, mask) for value in values]
        return rebuilt(operands[0], done)

    def fold_ints(self, combines: str, value: Val, operation: int | None, size: int, mask: Mask) -> Val:
        if combines not in FOLDED:
            raise Refused("folds in a way that native code is not made for")
        name, neutral = FOLDED[combines]
        top = 1 << (value.width() - 1)
        neutral = top - 1 if neutral == -2 else top if neutral == -3 else neutral
        if value.uniform and name == "add" and operation == enums.GroupOperationReduce and value.width() == 32:
            times = self.folded("add", [self.call("ctpop", [word]) for word in self.ballot(mask)[: self.words()]])
            return times if value.text == "1" else self.apply("mul", [times, value])
        given = self.varying(value)
        if mask is not None:
            given = self.select(Val("i1", mask), given, number(value.type, neutral))
        given = self.unseen(given)
        if operation in SCANS:
            return self.scan(name, neutral, given, operation == enums.GroupOperationExclusiveScan)
        return self.butterfly(name, given, size)

    def combine(self, name: str, a: Val, b: Val) -> Val:
        return self.call(name, [a, b]) if "min" in name or "max" in name else self.apply(name, [a, b])

    def butterfly(self, name: str, value: Val, size: int) -> Val:
        distance = 1
        while distance < size:
            value = self.combine(name, value, self.taken(value, [lane ^ distance for lane in range(self.lanes)]))
            distance *= 2
        return value

    def unseen(self, value: Val) -> Val:
        """What other lanes take, in a way that LLVM does not look through. For AVX-512, LLVM 22.1 takes
        select(m, shuffle(select(m, a, b)), c) for select(m, shuffle(a), c): a lane would get what another has where
        that one is not in m (docs/found.md)."""
        if not self.misjudges or value.type == "i1":
            return value
        vector = self.vec(value.type)
        slot = self.slot(vector)
        self.line(f"store volatile {vector} {self.spread(value)}, ptr {slot}")
        return Val(value.type, self.let(f"load volatile {vector}, ptr {slot}"))

    def scan(self, name: str, neutral: int, value: Val, exclusive: bool) -> Val:
        distance = 1
        while distance < self.width:
            value = self.combine(name, value, self.from_below(value, distance, neutral))
            distance *= 2
        return self.from_below(value, 1, neutral) if exclusive else value

    def from_below(self, value: Val, distance: int, neutral: int) -> Val:
        """Of the lane `distance` below in its subgroup; `neutral` where there is none."""
        vector = self.vec(value.type)
        picks = ", ".join([
            f"i32 {lane - distance if lane % self.width >= distance else self.lanes}" for lane in range(self.lanes)
        ])  # fmt: skip
        other = f"splat ({value.type} {number(value.type, neutral).text})"
        return Val(
            value.type, self.let(f"shufflevector {vector} {value.text}, {vector} {other}, {self.vec('i32')} <{picks}>")
        )

    def fold_floats(self, combines: str, value: Val, operation: int | None, size: int, mask: Mask) -> Val:
        """In the order of the lanes, one rounding a step."""
        form = format_of(value.width())
        if form is None or combines not in ("f-add", "f-mul", "f-min", "f-max"):
            raise Refused("folds in a way that native code is not made for")
        neutral = {"f-add": 0, "f-mul": form.one, "f-min": form.inf, "f-max": form.inf | form.sign}[combines]
        given = self.unseen(self.varying(value))
        total = Val(value.type, self.spread(number(value.type, neutral)))
        started: Mask = NOBODY_YET
        result = total
        here = self.cast("zext", Val("i1", self.mask_text(mask)), "i8") if mask is not None else None
        lanes = range(self.lanes)
        for step in range(size):
            source = [lane // size * size + step for lane in lanes]
            part = self.taken(given, source)
            present: Mask = None
            if here is not None:
                present = self.compare("ne", self.taken(here, source), number("i8", 0)).text
            if operation in SCANS:
                mine = self.numbers("i1", [1 if lane % size == step else 0 for lane in lanes])
                if operation == enums.GroupOperationExclusiveScan:
                    result = self.select(mine, total, result)
            joined = self.join_floats(combines, total, part)
            if started is NOBODY_YET:
                joined = part
            elif started is not None:
                joined = self.select(Val("i1", started), joined, part)
            total = joined if present is None else self.select(Val("i1", present), joined, total)
            started = present if started is NOBODY_YET else self.either(started, present)
            if operation == enums.GroupOperationInclusiveScan:
                result = self.select(mine, total, result)
        if operation not in SCANS:
            result = total
        if combines in ("f-min", "f-max"):
            self.fault_if(self.float_compare("uno", result, result), mask)
        return result

    def join_floats(self, combines: str, a: Val, b: Val) -> Val:
        if combines in ("f-add", "f-mul"):
            return self.float_op("fadd" if combines == "f-add" else "fmul", [a, b])
        better = self.float_compare("olt", b, a) if combines == "f-min" else self.float_compare("ogt", b, a)
        return self.select(self.apply("or", [better, self.float_compare("uno", a, a)]), b, a)

    # --- other lanes' values ------------------------------------------------------------------------------------------

    def taken(self, value: Val, sources: list[int]) -> Val:
        """Each lane takes the value of a lane that is known here."""
        vector = self.vec(value.type)
        order = ", ".join([f"i32 {source}" for source in sources])
        return Val(
            value.type,
            self.let(f"shufflevector {vector} {self.spread(value)}, {vector} poison, {self.vec('i32')} <{order}>"),
        )

    def broadcast_first(self, value: Val, mask: Mask) -> Val:
        if value.uniform:
            return value
        if mask is None:
            return self.taken(self.unseen(value), [lane // self.width * self.width for lane in range(self.lanes)])
        bits = self.cast("zext", value, "i8") if value.type == "i1" else value
        alone = self.unseen(self.select(self.elect(mask), bits, number(bits.type, 0)))
        joined = self.butterfly("or", alone, self.width)
        return self.compare("ne", joined, number("i8", 0)) if value.type == "i1" else joined

    def all_equal(self, shape: Shape, value: Shaped, mask: Mask) -> Val:
        different: Val | None = None
        for leaf in leaves(value):
            first = self.broadcast_first(leaf, mask)
            if shape.component().kind == FLOAT_KIND:
                unlike = self.float_compare("une", leaf, first)
            else:
                unlike = self.compare("ne", leaf, first)
            different = unlike if different is None else self.apply("or", [different, unlike])
        assert different is not None
        return self.opposite(self.nonzero(self.ballot(self.both(mask, self.spread(different)))))

    def read_lanes(self, code: int, operands: list[Shaped], mask: Mask) -> Shaped:
        value, which = operands[0], self.resized(operands[1], "i32")
        width = self.width
        own = [lane % width for lane in range(self.lanes)]
        known = int(which.text) if which.uniform and not which.text.startswith("%") else -1
        if known >= 0 and code in (op.GroupNonUniformShuffleXor, op.GroupNonUniformQuadSwap):
            other = known + 1 if code == op.GroupNonUniformQuadSwap else known
            if code == op.GroupNonUniformQuadSwap and known > 2:
                raise Refused("swaps in a direction that there is not")
            return self.known_lanes(value, [lane ^ other for lane in own], mask)
        if known >= 0 and code in UNIFORM_SOURCE:
            if code == op.GroupNonUniformQuadBroadcast:
                if known > 3:
                    raise Refused("reads a lane of a quad that there is not")
                return self.known_lanes(value, [lane & ~3 | known for lane in own], mask)
            return self.known_lanes(value, [known for _ in own], mask)
        if known >= 0 and code in (op.GroupNonUniformShuffleUp, op.GroupNonUniformShuffleDown):
            step = known if code == op.GroupNonUniformShuffleDown else -known
            return self.known_lanes(value, [lane + step for lane in own], mask)
        if len(operands) > 2 or code in (op.GroupNonUniformQuadSwap, op.GroupNonUniformQuadBroadcast):
            raise Refused("reads lanes in a way that native code is not made for")
        must_agree = (*UNIFORM_SOURCE, op.GroupNonUniformRotateKHR)
        if code in must_agree and not which.uniform:
            self.fault_if(self.compare("ne", which, self.broadcast_first(which, mask)), mask)
        places = self.numbers("i32", own)
        if code == op.GroupNonUniformShuffleXor:
            which = self.apply("xor", [places, which])
        elif code == op.GroupNonUniformShuffleUp:
            which = self.apply("sub", [places, which])
        elif code == op.GroupNonUniformShuffleDown:
            wrapped = self.apply("add", [places, which])
            self.fault_if(self.compare("ult", wrapped, which), mask)
            which = wrapped
        elif code == op.GroupNonUniformRotateKHR:
            which = self.apply("and", [self.apply("add", [places, which]), number("i32", width - 1)])
        self.fault_if(self.compare("uge", which, number("i32", width)), mask)
        which = self.apply("and", [self.varying(which), number("i32", width - 1)])
        if mask is not None:
            self.fault_if(self.opposite(self.bit_of(self.ballot(mask), which)), mask)
        base = self.numbers("i32", [lane // width * width for lane in range(self.lanes)])
        at = self.apply("add", [base, which])
        return self.each(lambda part: self.permuted(part, at), value)

    def known_lanes(self, value: Shaped, sources: list[int], mask: Mask) -> Shaped:
        """`sources` are places in the subgroup, which may be out of it."""
        outside = [1 if not 0 <= source < self.width else 0 for source in sources]
        if any(outside):
            self.fault_if(self.numbers("i1", outside), mask)
        inside = [
            lane // self.width * self.width + (source if 0 <= source < self.width else lane % self.width)
            for lane, source in enumerate(sources)
        ]  # fmt: skip
        if mask is not None:
            here = self.unseen(self.cast("zext", Val("i1", mask), "i8"))
            self.fault_if(self.compare("eq", self.taken(here, inside), number("i8", 0)), mask)
        return self.each(lambda part: part if part.uniform else self.taken(self.unseen(part), inside), value)

    def permuted(self, value: Val, at: Val) -> Val:
        """Each lane takes the value of lane `at` of the vector."""
        if value.uniform:
            return value
        wide = self.cast("zext", value, "i32") if value.width() < 32 else value
        place = self.slot(self.vec(wide.type))
        self.line(f"store {self.vec(wide.type)} {wide.text}, ptr {place}")
        addresses = self.let(f"getelementptr {wide.type}, ptr {place}, {self.vec('i32')} {at.text}")
        words = self.gathered(wide.type, addresses, None)
        return words if wide is value else self.cast("trunc", words, value.type)

    def gathered(self, type: str, addresses: str, mask: Mask) -> Val:
        vector, lanes = self.vec(type), self.lanes
        name = f"@llvm.masked.gather.v{lanes}{type}.v{lanes}p0"
        align = min(int(type[1:]) // 8, 4)
        self.declare(f"{vector} {name}({self.vec('ptr')}, i32, {self.vec('i1')}, {vector})")
        here = f"{self.vec('i1')} {self.mask_text(mask)}"
        text = f"call {vector} {name}({self.vec('ptr')} {addresses}, i32 {align}, {here}, {vector} zeroinitializer)"
        return Val(type, self.let(text))


NOBODY_YET: Final = "no invocation yet"
BALLOT_BITS: Final = frozenset((
    op.GroupNonUniformInverseBallot, op.GroupNonUniformBallotBitExtract, op.GroupNonUniformBallotBitCount,
    op.GroupNonUniformBallotFindLSB, op.GroupNonUniformBallotFindMSB,
))  # fmt: skip
WORKGROUP_WIDE: Final = frozenset((
    op.GroupIAdd, op.GroupFAdd, op.GroupFMin, op.GroupUMin, op.GroupSMin, op.GroupFMax, op.GroupUMax, op.GroupSMax,
))  # fmt: skip
