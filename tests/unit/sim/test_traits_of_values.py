"""What tools/ops.toml says of values, asked of the simulator: its operations know nothing of the table.

All opcodes that take two numbers, 8 to 64 bits, on the edges of two's complement and beside them, on floats with
infinities and NaNs; SPIR-V 1.6, 3.52.13 to 3.52.15, says which results are undefined.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from kit import ROOT

from reknit.ir import op, opcodes, traits
from reknit.sim.ops.monoid import monoid
from reknit.sim.ops.table import scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import BOOL, FLOAT_KIND, INT_KIND, Shape

# One, two, minus one, infinity, a NaN; zeros are added.
FLOATS = {
    16: [0x3C00, 0x4000, 0xBC00, 0x7C00, 0x7E00],
    32: [0x3F800000, 0x40000000, 0xBF800000, 0x7F800000, 0x7FC00000],
    64: [0x3FF0 << 48, 0x4000 << 48, 0xBFF0 << 48, 0x7FF0 << 48, 0x7FF8 << 48],
}


class Operation:
    """One opcode on numbers of one width, with how many operands it takes and what they are tried with."""

    def __init__(self, code: int, width: int) -> None:
        self.code = code
        typed = traits.TYPED.get(code, "")
        self.shape = BOOL
        self.values = [0, 1]
        if typed.startswith("int") or code in SHIFTS:
            top = 1 << (width - 1)
            self.shape = Shape(INT_KIND, width)
            self.values = [0, 1, 2, width - 1, width, top - 1, top, top + 1, 2 * top - 2, 2 * top - 1]
        elif typed.startswith("float"):
            self.shape = Shape(FLOAT_KIND, width)
            self.values = [0, 1 << (width - 1), *FLOATS[width]]
        self.ones = 1 if self.shape is BOOL else (1 << width) - 1
        self.count = len(opcodes_operands(code))
        self.said: list[str] = []
        undefined = Undefined(lambda lane, message: self.said.append(message))
        result = BOOL if typed.endswith("compare") else self.shape
        function = scalar_function(code, result, [self.shape] * self.count, [], undefined)
        assert function is not None
        self.function = function

    def __call__(self, *operands: int) -> Any:
        """None where the result is undefined."""
        self.said.clear()
        found = self.function(*operands)
        return None if self.said else found

    def pairs(self) -> list[tuple[int, int]]:
        return [(a, b) for a in self.values for b in self.values]


def opcodes_operands(code: int) -> tuple[opcodes.OperandSpec, ...]:
    info = opcodes.info(code)
    assert info is not None
    return info.operands


SHIFTS = frozenset(code for code, rule in traits.SPECULATABLE_IF.items() if rule == "shift")
NUMBERS = frozenset(code for code, typed in traits.TYPED.items() if typed.startswith(("int", "float", "bool"))) | SHIFTS


def operations(count: int) -> list[Operation]:
    found: list[Operation] = []
    for code in sorted(NUMBERS):
        if len(opcodes_operands(code)) == count:
            typed = traits.TYPED.get(code, "")
            widths = (1,) if typed == "bools" else (16, 32, 64) if typed.startswith("float") else (8, 16, 32, 64)
            found += [Operation(code, width) for width in widths]
    return found


UNARY = operations(1)
BINARY = operations(2)


def test_all_of_them_are_tried() -> None:
    assert len(UNARY) == (2 + 2) * 4 + 3 + 1 and len(BINARY) == (11 + 12 + 10 + 3) * 4 + (6 + 12) * 3 + 4


def test_what_commutes_does_and_of_integers_nothing_else() -> None:
    """The sums and products of floats would, but for which of two NaNs is left."""
    same: dict[int, bool] = {}
    for operation in BINARY:
        here = all(operation(a, b) == operation(b, a) for a, b in operation.pairs())
        same[operation.code] = same.get(operation.code, True) and here
    for code, commutes in same.items():
        if traits.TYPED.get(code) == "floats":
            assert code not in traits.COMMUTES
        else:
            assert commutes == (code in traits.COMMUTES), code


@pytest.mark.parametrize("word", ["self", "zero", "one", "ones"])
def test_identities_hold_where_the_result_is_defined(word: str) -> None:
    """What is defined for all operands and has no such word has no such identity: the table misses none, but for
    OpFDiv, whose result need not be exact (Vulkan, "Precision and Operation of SPIR-V Instructions")."""
    table = {"self": traits.SELF, "zero": traits.ZERO, "one": traits.ONE, "ones": traits.ONES}[word]
    holds: dict[int, set[str]] = {}
    partial: set[int] = set()
    for operation in BINARY:
        of_floats = operation.shape.kind == FLOAT_KIND
        if operation.code == op.FDiv or (of_floats and word in ("self", "ones")):
            assert operation.code not in table
            continue
        one = FLOATS[operation.shape.width][0] if of_floats else 1
        right = {"self": None, "zero": 0, "one": one, "ones": operation.ones}[word]
        if operation.shape is BOOL and word == "ones":
            continue  # that is what x op 1 says
        answers = {"x", "0", "1", "ones"}
        for x in operation.values:
            found = operation(x, x if right is None else right)
            if found is None:
                partial.add(operation.code)
            else:
                meanings = {"x": x, "0": 0, "1": 1, "ones": operation.ones}
                answers = {answer for answer in answers if meanings[answer] == found}
        holds[operation.code] = holds.get(operation.code, answers) & answers
    for code, answers in holds.items():
        if code in table:
            assert table[code] in answers, (word, code)
        elif code not in partial:
            assert not answers, (word, code, answers)


def test_what_undoes_itself_does_and_nothing_else() -> None:
    for operation in UNARY:
        found = all(operation(operation(x)) == x for x in operation.values)
        assert found == (operation.code in traits.UNDOES_ITSELF)


def test_a_comparison_and_its_opposite() -> None:
    by_code = {(operation.code, operation.ones): operation for operation in BINARY}
    for (code, ones), operation in by_code.items():
        if code in traits.NEGATED:
            opposite = by_code[traits.NEGATED[code], ones]
            turned = by_code[traits.SWAPPED[code], ones]
            for a, b in operation.pairs():
                assert opposite(a, b) == 1 - operation(a, b) and turned(b, a) == operation(a, b)


def test_what_is_speculatable_is_never_undefined_and_what_is_not_may_be() -> None:
    """FDiv by zero gives an infinity on the machine; SPIR-V leaves it undefined (3.52.13, OpFDiv)."""
    for operation in [*UNARY, *BINARY]:
        tries = [(x,) for x in operation.values] if operation.count == 1 else operation.pairs()
        defined = all(operation(*each) is not None for each in tries)
        if operation.code != op.FDiv:
            assert defined == (operation.code in traits.SPECULATABLE), operation.code
            assert defined != (operation.code in traits.SPECULATABLE_IF), operation.code


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_what_is_speculatable_under_a_condition_is_defined_under_it(width: int) -> None:
    ones = (1 << width) - 1
    allowed: dict[str, Callable[[int], bool]] = {
        "shift": lambda b: b < width,
        "unsigned-divisor": lambda b: b != 0,
        "signed-divisor": lambda b: b not in (0, ones),
    }
    tried: set[str] = set()
    for operation in BINARY:
        rule = traits.SPECULATABLE_IF.get(operation.code, "")
        if operation.ones == ones and rule in allowed:
            tried.add(rule)
            given = [(a, b) for a, b in operation.pairs() if allowed[rule](b)]
            assert given and all(operation(a, b) is not None for a, b in given)
    assert tried == set(allowed)


def test_what_is_idempotent_gives_what_it_is_given() -> None:
    for code in traits.COMBINES:
        for shape in (Shape(INT_KIND, 32), Shape(FLOAT_KIND, 32)):
            found = monoid(code, shape)
            if found is not None:
                values = [1, 2, 0x3F800000, 0x40400000]
                assert all(found.combine(x, x) == x for x in values) == (code in traits.IDEMPOTENT), code


FOLDER = ROOT / "src" / "reknit" / "sim" / "ops"
BY_FILE = ("integer", "bits", "float", "convert", "logic", "linear", "composite", "dot", "group_vote", "group_exchange")


def asked_for(file: str) -> set[int]:
    """The opcodes that a file of sim/ops compares with."""
    text = (FOLDER / f"{'float_' if file == 'float' else file}.py").read_text()
    return {getattr(op, name) for name in re.findall(r"== op\.(\w+)", text)}


@pytest.mark.parametrize("file", BY_FILE)
def test_the_simulator_knows_an_opcode_where_the_table_says(file: str) -> None:
    """What `table` asks for itself is there: fused sums, choices and bits as another type."""
    here = {code for code, known in traits.SIM.items() if known == file}
    elsewhere = {op.FmaKHR, op.Any, op.All, op.Bitcast}
    assert here - elsewhere == asked_for(file) - elsewhere


def test_folds_and_atomics_combine() -> None:
    for code, known in traits.SIM.items():
        if known == "group_fold":
            assert code in traits.COMBINES
    assert {code for code, known in traits.SIM.items() if known == "atomic"} == traits.ATOMIC
