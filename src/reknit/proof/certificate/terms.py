"""Values as terms: what is written alike is one number. A tag, and the terms that it is of:

    "c5 7" ()     constant 7 of type 5        "128 5" (x, y)    an operation of x and y
    "s1" ()       whatever it is              "not" (x)         "m" (x, y)     made of parts
    "& 12" ()     a pointer to a variable     "at 2" (x)        a part of x    "in 2" (x, y)  with y in its place

Integers are folded by the tables of `ir`. What the first program leaves undefined is one value of its choice, what the
second one does another one at each use.
"""

from typing import Final, final

from reknit.ir import enums, folding, op, traits, types
from reknit.ir.constant_bits import bits_of_scalar
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.proof.certificate.steps import NONE
from reknit.source.meter import spend

_SPECIALIZED: Final = (op.SpecConstant, op.SpecConstantTrue, op.SpecConstantFalse)
_INTEGERS: Final = (op.TypeInt, op.TypeBool)


@final
class Terms:
    """`given`: types, constants and shared variables, which are terms from the start; `bits`: of constants."""

    def __init__(self, marks: dict[Value, str], modules: list[Module]) -> None:
        self.keys: list[tuple[str, tuple[int, ...]]] = []
        self.ids: dict[tuple[str, tuple[int, ...]], int] = {}
        self.bits: dict[int, int] = {}
        self.given: dict[Value | None, int] = {}
        self.own: dict[int, None] = {}  # pointers to variables of an invocation's own, and what has them inside
        self.symbols = 0
        for module in modules:
            alike: dict[str, int] = {}
            for instr in module.globals:
                self._read(instr, marks.get(instr, ""), alike)

    def make(self, tag: str, args: tuple[int, ...] = ()) -> int:
        number = self.ids.setdefault((tag, args), len(self.keys))
        if number == len(self.keys):
            self.keys.append((tag, args))
            if tag.startswith("& ") or any(arg in self.own for arg in args):
                self.own[number] = None
        return number

    def symbol(self) -> int:
        self.symbols += 1
        return self.make(f"s{self.symbols}")

    def number(self, type: Instr, bits: int) -> int:
        term = self.make(f"c{self.given[type]} {bits}")
        self.bits[term] = bits
        return term

    def _read(self, instr: Instr, marks: str, alike: dict[str, int]) -> None:
        """A type, a constant or a variable of a module, if all that it is made of is known."""
        values = [each for each in (instr.type, *instr.operands) if isinstance(each, Value)]
        if any(each not in self.given for each in values):
            return
        inner = tuple([self.given[each] for each in values])
        tag = f"{instr.op} {[each for each in instr.operands if not isinstance(each, Value)]} {marks}"
        bits = bits_of_scalar(instr)
        if instr.type is None:
            self.given[instr] = self.make(f"type {tag}", inner)
        elif bits is not None:
            self.given[instr] = self.number(instr.type, bits)
        elif instr.op == op.ConstantComposite:
            self.given[instr] = self.make("m", inner[1:])
        elif instr.op == op.ConstantNull or (instr.op in _SPECIALIZED and marks):
            self.given[instr] = self.make(f"constant {tag}", inner)
        elif instr.op == op.Variable and instr.word(0) != enums.StorageClassPrivate:
            tag = f"variable {tag} {'' if marks else instr.name} {inner}"
            alike[tag] = alike.get(tag, NONE) + 1
            self.given[instr] = self.make(f"{tag} {alike[tag]}")

    # --- parts --------------------------------------------------------------------------------------------------------

    def part(self, whole: int, place: int) -> int:
        while True:
            spend(1)
            tag, args = self.keys[whole]
            if tag == "m" and place < len(args):
                return args[place]
            if tag == f"in {place}":
                return args[1]
            if not tag.startswith("in "):
                return self.make(f"at {place}", (whole,))
            whole = args[0]

    def replaced(self, whole: int, places: list[int], new: int) -> int:
        wholes = [whole]
        for place in places[:-1]:
            wholes.append(self.part(wholes[-1], place))
        for inside, place in reversed(list(zip(wholes, places, strict=False))):
            tag, args = self.keys[inside]
            if tag == "m" and place < len(args):
                new = self.make("m", (*args[:place], new, *args[place + 1 :]))
            else:
                new = self.make(f"in {place}", (inside, new))
        return new

    # --- operations ---------------------------------------------------------------------------------------------------

    def operation(self, code: int, type: Instr, extras: str, args: list[int], kinds: list[Instr]) -> int:
        """An operation that is defined for all operands; `kinds` are their types."""
        if code in (op.CopyObject, op.CopyLogical) and self.given.get(type, 0) == self.given.get(kinds[0], NONE):
            return args[0]
        if all(each.op in _INTEGERS for each in (type, *kinds)) and traits.FOLDS.get(code) in folding.OF_INTEGERS:
            known = self._folded(code, type, args, kinds)
            if known >= 0:
                return known
            if code == op.LogicalNot:
                tag, inside = self.keys[args[0]]
                return inside[0] if tag == "not" else self.make("not", (args[0],))
            opposite = traits.NEGATED.get(code, code)
            mine, other = [min(each, traits.SWAPPED.get(each, each)) for each in (code, opposite)]
            if other < mine:
                inner = self.operation(opposite, type, extras, args, kinds)
                return self.operation(op.LogicalNot, type, "", [inner], [type])
            if mine < code:
                return self.operation(mine, type, extras, args[::-1], kinds[::-1])
        if code in traits.COMMUTES and len(args) == 2:
            args = sorted(args)
        return self.make(f"{code} {self.given.get(type, NONE)} {extras}", tuple(args))

    def _folded(self, code: int, type: Instr, args: list[int], kinds: list[Instr]) -> int:
        """What an operation is by the identities of the opcode table, or of numbers; else -1."""
        width = types.width_of(type)
        numbers = [self.bits[arg] for arg in args if arg in self.bits]
        if len(numbers) == len(args):
            bits = folding.folded(code, width, [types.width_of(each) for each in kinds], numbers)
            return NONE if bits is None else self.number(type, bits)
        if code == op.Select and args[0] in self.bits:
            return args[1] if self.bits[args[0]] else args[2]
        if len(args) != 2:
            return NONE
        words = [(traits.SELF.get(code, ""), args[0])] if args[0] == args[1] else []
        for number, other in (args[::-1], args)[: 2 if code in traits.COMMUTES else 1]:
            for bits, table in ((0, traits.ZERO), (1, traits.ONE), ((1 << types.width_of(kinds[0])) - 1, traits.ONES)):
                if self.bits.get(number) == bits:
                    words.append((table.get(code, ""), other))
        for word, term in words:
            if word == "x" and self.given[type] == self.given[kinds[0]] == self.given[kinds[1]]:
                return term
            if word and word != "x":
                return self.number(type, (1 << width) - 1 if word == "ones" else int(word))
        return NONE
