"""Instructions that compute one lane's result from its operands: integers, booleans, conversions, composites.

    IAdd                  add <32 x i32>
    UDiv, 32 bits         a product of doubles, cut off: there is no vector division of integers
    ShiftLeftLogical      a fault where an amount is too large; else shl of the amount modulo the width

What SPIR-V leaves undefined is a fault, and the interpreter says so. LLVM's poison is kept out of all lanes, those that
no invocation is in as well.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.jit.extended import Extended
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, leaves, number, rebuilt, scalar_type
from reknit.sim.values import FLOAT_KIND, INT_KIND, VECTOR_KIND, Shape

PLAIN: Final = {
    op.IAdd: "add", op.ISub: "sub", op.IMul: "mul", op.BitwiseAnd: "and", op.BitwiseOr: "or", op.BitwiseXor: "xor",
    op.LogicalAnd: "and", op.LogicalOr: "or", op.LogicalNotEqual: "xor",
}  # fmt: skip
COMPARED: Final = {
    op.IEqual: "eq", op.INotEqual: "ne", op.ULessThan: "ult", op.ULessThanEqual: "ule", op.UGreaterThan: "ugt",
    op.UGreaterThanEqual: "uge", op.SLessThan: "slt", op.SLessThanEqual: "sle", op.SGreaterThan: "sgt",
    op.SGreaterThanEqual: "sge", op.LogicalEqual: "eq",
}  # fmt: skip
DIVIDED: Final = (op.UDiv, op.UMod, op.SDiv, op.SRem, op.SMod)
SHIFTED: Final = {op.ShiftLeftLogical: "shl", op.ShiftRightLogical: "lshr", op.ShiftRightArithmetic: "ashr"}
SATURATED: Final = {
    op.UAddSatINTEL: "uadd.sat", op.IAddSatINTEL: "sadd.sat", op.USubSatINTEL: "usub.sat", op.ISubSatINTEL: "ssub.sat",
}  # fmt: skip
LONG_DIVISION: Final = 200
"""Lines' worth of LLVM's work that a vector division of 64 bits is: 3 to 5 ms, lane by lane."""
MAY_FAULT: Final = frozenset((*DIVIDED, *SHIFTED, op.ConvertFToS, op.ConvertFToU, op.FRem, op.FMod, op.BitFieldInsert))


class Arithmetic(Extended):
    def compute(self, instr: Instr, shape: Shape, shapes: list[Shape], operands: list[Shaped], mask: Mask) -> Shaped:
        """`shapes` are those of the operands that are values."""
        code = instr.op
        literals = [operand for operand in instr.operands if isinstance(operand, int)]
        whole = self.composite(code, shape, shapes, operands, literals, mask)
        if whole is not None:
            return whole
        scalar = shape.component()
        first = shapes[0].component() if shapes else scalar
        if code in (op.IAddCarry, op.ISubBorrow, op.UMulExtended, op.SMulExtended):
            return self.extended(code, operands)
        return self.each(lambda *given: self.component(code, scalar, first, list(given), mask), *operands)

    def component(self, code: int, shape: Shape, first: Shape, operands: list[Val], mask: Mask) -> Val:
        """Of scalars: `shape` is the result's, `first` the first operand's."""
        if code == op.Select:
            return self.select(operands[0], operands[1], operands[2])
        if first.kind == FLOAT_KIND and code != op.Bitcast:
            return self.of_floats(code, shape, first, operands, mask)
        if code in PLAIN:
            return self.apply(PLAIN[code], operands)
        if code in COMPARED:
            return self.compare(COMPARED[code], operands[0], operands[1])
        if code in SATURATED:
            return self.call(SATURATED[code], operands)
        value = operands[0]
        if code in DIVIDED:
            return self.division(code, value, operands[1], mask)
        if code in SHIFTED:
            return self.shift(code, value, operands[1], mask)
        if code == op.LogicalNot:
            return self.apply("xor", [value, number("i1", 1)])
        if code == op.Not:
            return self.apply("xor", [value, number(value.type, -1)])
        if code == op.SNegate:
            return self.apply("sub", [number(value.type, 0), value])
        if code == op.Bitcast or code == op.CopyObject:
            if scalar_type(shape) != value.type:
                raise Refused("casts between vectors of different widths")
            return value
        if code in (op.UConvert, op.SConvert):
            return self.resized(value, scalar_type(shape), code == op.SConvert)
        if code in (op.ConvertSToF, op.ConvertUToF):
            return self.from_int(value, shape.width, code == op.ConvertSToF)
        if code == op.BitCount:
            return self.resized(self.call("ctpop", [value]), scalar_type(shape))
        if code == op.BitReverse:
            return self.call("bitreverse", [value])
        if code == op.UCountLeadingZerosINTEL:
            return self.call("ctlz", [value], ", i1 false")
        if code == op.UCountTrailingZerosINTEL:
            return self.call("cttz", [value], ", i1 false")
        if code in (op.BitFieldUExtract, op.BitFieldSExtract):
            return self.field(value, operands[1], operands[2], code == op.BitFieldSExtract, mask)
        if code == op.BitFieldInsert:
            return self.insertion(value, operands[1], operands[2], operands[3], mask)
        if code == op.AbsUSubINTEL:
            return self.apply("sub", [self.call("umax", operands), self.call("umin", operands)])
        if code == op.AbsISubINTEL:
            return self.apply("sub", [self.call("smax", operands), self.call("smin", operands)])
        raise Refused("computes something that native code is not made for")

    # --- division -----------------------------------------------------------------------------------------------------

    def division(self, code: int, value: Val, by: Val, mask: Mask) -> Val:
        zero = number(by.type, 0)
        wrong = self.compare("eq", by, zero)
        signed = code not in (op.UDiv, op.UMod)
        if signed:
            least = number(by.type, 1 << (by.width() - 1))
            overflow = self.apply(
                "and", [self.compare("eq", by, number(by.type, -1)), self.compare("eq", value, least)]
            )
            wrong = self.apply("or", [wrong, overflow])
        if by.uniform and by.text not in ("0", "-1") and not by.text.startswith("%"):
            wrong = number("i1", 0)
        self.fault_if(wrong, mask)
        if not signed:
            return self.unsigned_division(value, by, code == op.UMod)
        rest = self.unsigned_division(self.absolute(value), self.absolute(by), code != op.SDiv)
        negative = self.compare("slt", value, zero)
        opposite = self.apply("xor", [negative, self.compare("slt", by, zero)])
        flipped = self.select(opposite if code == op.SDiv else negative, self.apply("sub", [zero, rest]), rest)
        if code != op.SMod:
            return flipped
        moved = self.apply("and", [opposite, self.compare("ne", flipped, zero)])
        return self.select(moved, self.apply("add", [flipped, by]), flipped)

    def absolute(self, value: Val) -> Val:
        return self.select(
            self.compare("slt", value, number(value.type, 0)), self.apply("sub", [number(value.type, 0), value]), value
        )

    def unsigned_division(self, value: Val, by: Val, rest: bool) -> Val:
        """In doubles x * ((1 + 2^-40) / n), cut off, is exact for 32 bits: the excess stays below 1 / n, and whole
        quotients are not missed. 1 / n leaves loops."""
        by = self.call("umax", [by, number(by.type, 1)])  # division by 0 must not trap in an empty lane
        if (value.uniform and by.uniform) or value.width() > 32 or (by.uniform and not by.text.startswith("%")):
            if value.width() > 32 and not (value.uniform and by.uniform):
                self.spend_work(LONG_DIVISION)
            return self.apply("urem" if rest else "udiv", [value, by])
        if value.width() < 32:
            wide = [self.cast("zext", part, "i32") for part in (value, by)]
            return self.cast("trunc", self.unsigned_division(wide[0], wide[1], rest), value.type)
        lanes = self.vec("double")
        if by.uniform:
            wide_by = self.let(f"uitofp i32 {by.text} to double")
            inverse = self.spread(Val("double", self.let(f"fdiv double 0x3FF0000000001000, {wide_by}"), True))
        else:
            wide_by = self.let(f"uitofp {self.vec('i32')} {by.text} to {lanes}")
            inverse = self.let(f"fdiv {lanes} splat (double 0x3FF0000000001000), {wide_by}")
        dividend = self.let(f"uitofp {self.vec('i32')} {self.spread(value)} to {lanes}")
        scaled = self.let(f"fmul {lanes} {dividend}, {inverse}")
        quotient = Val("i32", self.let(f"fptoui {lanes} {scaled} to {self.vec('i32')}"))
        return self.apply("sub", [value, self.apply("mul", [quotient, by])]) if rest else quotient

    # --- bits ---------------------------------------------------------------------------------------------------------

    def shift(self, code: int, value: Val, by: Val, mask: Mask) -> Val:
        width = value.width()
        known = by.uniform and not by.text.startswith("%")
        if not known or not 0 <= int(by.text) < width:
            limit = number(by.type, width) if width < 1 << by.width() else None
            if limit is not None:
                self.fault_if(self.compare("uge", by, limit), mask)
            by = self.apply("and", [by, number(by.type, width - 1)])
        return self.apply(SHIFTED[code], [value, self.resized(by, value.type)])

    def field_bounds(self, type: str, offset: Val, count: Val, mask: Mask) -> tuple[Val, Val]:
        """Offset and count as the base's type, safe to shift by; a fault where the field leaves the base."""
        width = int(type[1:])
        offset, count = self.resized(offset, "i64"), self.resized(count, "i64")
        most = number("i64", width)
        wrong = self.apply("or", [self.compare("ugt", offset, most), self.compare("ugt", count, most)])
        wrong = self.apply("or", [wrong, self.compare("ugt", self.apply("add", [offset, count]), most)])
        self.fault_if(wrong, mask)
        return self.resized(offset, type), self.resized(count, type)

    def shifted(self, name: str, value: Val, by: Val) -> Val:
        """By the width too, which gives 0."""
        width = value.width()
        inside = self.compare("ult", by, number(value.type, width))
        moved = self.apply(name, [value, self.apply("and", [by, number(value.type, width - 1)])])
        return self.select(inside, moved, number(value.type, 0))

    def field(self, base: Val, offset: Val, count: Val, signed: bool, mask: Mask) -> Val:
        offset, count = self.field_bounds(base.type, offset, count, mask)
        width = base.width()
        above = self.apply("sub", [self.apply("sub", [number(base.type, width), offset]), count])
        up = self.shifted("shl", base, above)
        down = self.apply("sub", [number(base.type, width), count])
        if not signed:
            return self.shifted("lshr", up, down)
        none = self.compare("eq", count, number(base.type, 0))
        moved = self.apply("ashr", [up, self.apply("and", [down, number(base.type, width - 1)])])
        return self.select(none, number(base.type, 0), moved)

    def insertion(self, base: Val, field: Val, offset: Val, count: Val, mask: Mask) -> Val:
        offset, count = self.field_bounds(base.type, offset, count, mask)
        ones = number(base.type, -1)
        low = self.apply("xor", [self.shifted("shl", ones, count), ones])
        hole = self.shifted("shl", low, offset)
        kept = self.apply("and", [base, self.apply("xor", [hole, ones])])
        return self.apply("or", [kept, self.apply("and", [self.shifted("shl", field, offset), hole])])

    def extended(self, code: int, operands: list[Shaped]) -> Shaped:
        """(low, carry or high), of vectors a pair of vectors."""

        def pair(a: Val, b: Val) -> tuple[Val, Val]:
            if code in (op.IAddCarry, op.ISubBorrow):
                low = self.apply("add" if code == op.IAddCarry else "sub", [a, b])
                over = self.compare("ult", low if code == op.IAddCarry else a, b if code == op.ISubBorrow else a)
                return low, self.cast("zext", over, a.type)
            wide = f"i{2 * a.width()}"
            name = "sext" if code == op.SMulExtended else "zext"
            product = self.apply("mul", [self.cast(name, a, wide), self.cast(name, b, wide)])
            high = self.apply("lshr", [product, number(wide, a.width())])
            return self.cast("trunc", product, a.type), self.cast("trunc", high, a.type)

        if isinstance(operands[0], Val):
            return pair(operands[0], operands[1])
        pairs = [pair(a, b) for a, b in zip(operands[0], operands[1], strict=True)]
        return tuple([low for low, _ in pairs]), tuple([high for _, high in pairs])

    # --- composites ---------------------------------------------------------------------------------------------------

    def composite(
        self, code: int, shape: Shape, shapes: list[Shape], operands: list[Shaped], literals: list[int], mask: Mask
    ) -> Shaped | None:
        """None where the opcode goes component by component."""
        if code in (op.CopyObject, op.CopyLogical):
            return operands[0]
        if code == op.CompositeExtract:
            value = operands[0]
            for index in literals:
                value = value[index]
            return value
        if code == op.CompositeConstruct:
            if shape.kind != VECTOR_KIND:
                return tuple(operands)
            return tuple([leaf for operand in operands for leaf in leaves(operand)])
        if code == op.CompositeConstructReplicateEXT:
            return (operands[0],) * shape.count
        if code == op.CompositeInsert:
            return self.replaced(operands[1], literals, operands[0])
        if code == op.VectorShuffle:
            both = (*operands[0], *operands[1])
            nothing = number(scalar_type(shape.component()), 0)
            return tuple([both[at] if at < len(both) else nothing for at in literals])
        if code == op.VectorExtractDynamic:
            return self.picked(operands[0], operands[1], mask)
        if code == op.VectorInsertDynamic:
            vector, part, index = operands
            self.fault_if(self.compare("uge", index, number(index.type, len(vector))), mask)
            return tuple([
                self.select(self.compare("eq", index, number(index.type, at)), part, old)
                for at, old in enumerate(vector)
            ])  # fmt: skip
        if code in (op.Any, op.All):
            return self.folded("or" if code == op.Any else "and", list(operands[0]))
        if code == op.Select and isinstance(operands[0], Val) and not isinstance(operands[1], Val):
            yes, no = leaves(operands[1]), leaves(operands[2])
            chosen = [self.select(operands[0], a, b) for a, b in zip(yes, no, strict=True)]
            return rebuilt(operands[1], chosen)
        if code == op.Bitcast:
            return self.bits_as(shape, shapes[0], operands[0])
        return self.linear(code, shapes, operands)

    def folded(self, text: str, values: list[Val]) -> Val:
        total = values[0]
        for value in values[1:]:
            total = self.apply(text, [total, value])
        return total

    def picked(self, vector: Shaped, index: Val, mask: Mask) -> Val:
        self.fault_if(self.compare("uge", index, number(index.type, len(vector))), mask)
        value: Val = vector[0]
        for at in range(1, len(vector)):
            value = self.select(self.compare("eq", index, number(index.type, at)), vector[at], value)
        return value

    def replaced(self, whole: Shaped, path: list[int], part: Shaped) -> Shaped:
        if not path:
            return part
        at = path[0]
        return (*whole[:at], self.replaced(whole[at], path[1:], part), *whole[at + 1 :])

    def bits_as(self, shape: Shape, source: Shape, value: Shaped) -> Shaped:
        """Components laid end to end, the first one lowest, and cut again."""
        to, own = shape.component(), source.component()
        if min(to.kind, own.kind) < INT_KIND or max(to.kind, own.kind) > FLOAT_KIND:
            raise Refused("casts a pointer")
        if to.width == own.width:
            given = leaves(value)
            return tuple(given) if shape.kind == VECTOR_KIND else given[0]
        parts: list[Val] = []
        for leaf in leaves(value):
            for at in range(0, own.width, to.width):
                moved = self.apply("lshr", [leaf, number(leaf.type, at)]) if at else leaf
                parts.append(self.resized(moved, scalar_type(to)))
        step = max(to.width // own.width, 1)
        joined: list[Val] = []
        for first in range(0, len(parts), step):
            total = parts[first]
            for at in range(1, step):
                moved = self.apply("shl", [parts[first + at], number(total.type, at * own.width)])
                total = self.apply("or", [total, moved])
            joined.append(total)
        return tuple(joined) if shape.kind == VECTOR_KIND else joined[0]
