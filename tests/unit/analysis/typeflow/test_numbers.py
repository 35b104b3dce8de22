"""What is known of numbers on a way through a function: random expressions and conditions against every value there is.

%v = IAdd %a, 1u; if %v == 3 { .. }      in the arm: %v is 3; no a but 2 comes there
"""

import random
from collections.abc import Callable

import pytest

from reknit.analysis.typeflow.constants import VARIES, fold, literal
from reknit.analysis.typeflow.context import Context
from reknit.analysis.typeflow.numbers import (
    MAX_NESTED,
    PARTS,
    Numbers,
    State,
    atoms,
    negated,
    parts_of,
    renew,
)
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.text.parser import parse
from reknit.ir.walk import instructions

WIDTH = 1 << 32


def signed(number: int) -> int:
    return number - WIDTH if number >= WIDTH // 2 else number


Meaning = Callable[..., int]
OF_NUMBERS: dict[str, Meaning] = {
    "IAdd": lambda a, b: a + b, "ISub": lambda a, b: a - b, "IMul": lambda a, b: a * b,
    "BitwiseAnd": lambda a, b: a & b, "BitwiseOr": lambda a, b: a | b, "BitwiseXor": lambda a, b: a ^ b,
}  # fmt: skip
COMPARED: dict[str, Meaning] = {
    "IEqual": lambda a, b: a == b, "INotEqual": lambda a, b: a != b,
    "ULessThan": lambda a, b: a < b, "ULessThanEqual": lambda a, b: a <= b,
    "UGreaterThan": lambda a, b: a > b, "UGreaterThanEqual": lambda a, b: a >= b,
    "SLessThan": lambda a, b: signed(a) < signed(b), "SLessThanEqual": lambda a, b: signed(a) <= signed(b),
    "SGreaterThan": lambda a, b: signed(a) > signed(b), "SGreaterThanEqual": lambda a, b: signed(a) >= signed(b),
}  # fmt: skip
OF_BOOLS: dict[str, Meaning] = {
    "LogicalAnd": lambda a, b: a & b, "LogicalOr": lambda a, b: a | b,
    "LogicalEqual": lambda a, b: a == b, "LogicalNotEqual": lambda a, b: a != b,
}  # fmt: skip
MEANING = {**OF_NUMBERS, **COMPARED, **OF_BOOLS}
BY_CODE = {getattr(op, name): meaning for name, meaning in MEANING.items()}
VALUES = (0, 1, 2, 3, WIDTH // 2, WIDTH - 1)
ALL = [{"a": a, "b": b, "c": c, "d": d} for a in VALUES for b in VALUES for c in (0, 1) for d in (0, 1)]
Env = dict[str, int]


HEAD = "Capability Shader\nfunc @f(%a: u32, %b: u32, %c: bool, %d: bool) -> void {\n"


class Program:
    """A function of random instructions over two numbers and two bools."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        numbers, bools = ["%a", "%b", "0u", "1u", "3u", "4294967295u"], ["%c", "%d", "true", "false"]
        lines: list[str] = []
        for index in range(12):
            name = f"%v{index}"
            kind = chance.choice(["number", "compare", "compare", "bool", "bool", "not", "select", "copy"])
            if kind == "number":
                lines.append(f"{name} = {chance.choice(list(OF_NUMBERS))} {self.two(chance, numbers)} : u32")
            elif kind == "compare":
                lines.append(f"{name} = {chance.choice(list(COMPARED))} {self.two(chance, numbers)} : bool")
            elif kind == "bool":
                lines.append(f"{name} = {chance.choice(list(OF_BOOLS))} {self.two(chance, bools)} : bool")
            elif kind == "not":
                lines.append(f"{name} = LogicalNot {chance.choice(bools)} : bool")
            elif kind == "select":
                lines.append(f"{name} = Select {chance.choice(bools)}, {self.two(chance, numbers)} : u32")
            else:
                lines.append(f"{name} = CopyObject {chance.choice(numbers)} : u32")
            (bools if lines[-1].endswith("bool") else numbers).append(name)
        text = "\n".join(lines)
        module = parse(
            f"Capability Shader\nfunc @f(%a: u32, %b: u32, %c: bool, %d: bool) -> void {{\n{text}\nreturn\n}}\n"
        )
        function = module.functions[0]
        self.values = {each.name: each for each in instructions(function) if each.has_result}
        self.params = {param.name: param for param in function.params}
        self.numbers = Numbers(Context(function, (), 0), dict.fromkeys([*function.params, *self.values.values()]))

    def two(self, chance: random.Random, names: list[str]) -> str:
        return f"{chance.choice(names[-7:])}, {chance.choice(names)}"

    def real(self, value: object, env: Env) -> int:
        """What a value is where the parameters are those of `env`."""
        assert isinstance(value, Instr)
        if value.name in env:
            return env[value.name]
        number = literal(value)
        if isinstance(number, int):
            return number
        parts = [self.real(operand, env) for operand in value.operands]
        if value.op == op.LogicalNot:
            return 1 - parts[0]
        if value.op == op.CopyObject:
            return parts[0]
        if value.op == op.Select:
            return parts[1] if parts[0] else parts[2]
        return int(BY_CODE[value.op](*parts)) % WIDTH

    def meant(self, known: object, env: Env) -> int:
        """What an expression stands for."""
        if isinstance(known, int):
            return known
        if isinstance(known, Instr):
            return self.real(known, env)
        assert isinstance(known, tuple)
        parts = [self.meant(part, env) for part in known[PARTS:]]
        if known[0] == op.LogicalNot:
            return 1 - parts[0]
        if known[0] == op.Select:
            return parts[1] if parts[0] else parts[2]
        return int(BY_CODE[known[0]](*parts)) % WIDTH


def test_random_expressions_and_what_branches_say_of_them() -> None:
    known_numbers = impossible = 0
    for seed in range(60):
        program = Program(seed)
        chance = random.Random(seed)
        state: State = {}
        where = ALL
        bools = [value for value in program.values.values() if value.type is not None and value.type.op == op.TypeBool]
        for condition in chance.sample(bools, min(len(bools), chance.randrange(4))):
            truth = chance.randrange(2)
            where = [env for env in where if program.real(condition, env) == truth]
            if not program.numbers.narrow(program.numbers.of(condition, state), truth, state):
                assert not where, (seed, condition.name)
                impossible += 1
                break
        else:
            for value in program.values.values():
                known = program.numbers.of(value, state)
                for env in where if known is not None else []:
                    assert program.meant(known, env) == program.real(value, env), (seed, value.name, env)
                known_numbers += isinstance(known, int)
    assert known_numbers > 70 and impossible > 3, (known_numbers, impossible)


FORMS: list[tuple[str, str, bool]] = [
    ("LogicalNot %n", "%c", True), ("IEqual %a, %b", "IEqual %a, %b", True),
    ("UGreaterThan %b, %a", "ULessThan %a, %b", True),
    ("SGreaterThan %b, %a", "SLessThan %a, %b", True), ("ULessThan %a, %b", "SLessThan %a, %b", False),
    ("LogicalAnd %c, true", "%c", True), ("LogicalAnd true, %c", "%c", True), ("LogicalAnd %c, %c", "%c", True),
    ("LogicalOr %c, false", "%c", True), ("LogicalOr false, %c", "%c", True), ("LogicalOr %c, %d", "%c", False),
    ("LogicalAnd %c, false", "false", True), ("LogicalOr true, %c", "true", True),
    ("LogicalEqual %c, true", "%c", True), ("LogicalEqual true, %c", "%c", True),
    ("LogicalNotEqual %c, false", "%c", True), ("LogicalEqual %c, false", "LogicalNot %c", True),
    ("IEqual %a, %a", "true", True), ("ULessThan %a, %a", "false", True), ("UGreaterThanEqual %a, %a", "true", True),
    ("ULessThan 1u, 2u", "true", True), ("SLessThan 4294967295u, 0u", "true", True),
    ("ULessThan 4294967295u, 0u", "false", True),
    ("IEqual 3u, %a", "IEqual %a, 3u", True), ("LogicalNot %same", "INotEqual %a, %b", True),
]  # fmt: skip


@pytest.mark.parametrize("first, second, same", FORMS)
def test_of_what_means_the_same_one_form_is_left(first: str, second: str, same: bool) -> None:
    def line(name: str, text: str) -> str:
        return f"%{name} = {text if ' ' in text else 'CopyObject ' + text} : bool\n"

    text = "%n = LogicalNot %c : bool\n%same = IEqual %a, %b : bool\n" + line("x", first) + line("y", second)
    function = parse(f"{HEAD}{text}return\n}}\n").functions[0]
    numbers = Numbers(Context(function, (), 0), dict.fromkeys(function.params))
    x, y = [next(each for each in instructions(function) if each.name == name) for name in "xy"]
    assert (numbers.of(x, {}) == numbers.of(y, {})) is same
    assert numbers.of(x, {}) is not None


def test_a_selection_by_what_is_known_is_what_it_selects() -> None:
    text = "%s = Select %c, %a, %b : u32\n%t = IAdd %s, 1u : u32\n%u = IAdd %b, 1u : u32\n"
    module = parse(f"Capability Shader\nfunc @f(%a: u32, %b: u32, %c: bool) -> void {{\n{text}return\n}}\n")
    function = module.functions[0]
    a, b, c = function.params
    numbers = Numbers(Context(function, (), 0), dict.fromkeys(function.params))
    s, t, u = [each for each in instructions(function) if each.has_result]
    state: State = {}
    assert numbers.narrow(c, 0, state) and numbers.of(s, state) is b
    assert numbers.of(t, state) == numbers.of(u, {}) and numbers.of(t, {}) != numbers.of(u, {})
    assert numbers.of(s, {c: 1}) is a
    assert not numbers.narrow(c, 1, state)


def test_what_is_too_deep_or_too_large_is_not_known() -> None:
    """MAX_NESTED instructions are looked through; an expression has 16 parts at most, each value and operation one."""
    chain = "".join([f"%d{at} = IAdd %{f'd{at - 1}' if at else 'a'}, %b : u32\n" for at in range(MAX_NESTED + 1)])
    wide = "%w0 = IMul %a, %b : u32\n" + "".join([f"%w{at} = IMul %w{at - 1}, %w{at - 1} : u32\n" for at in (1, 2, 3)])
    module = parse(f"Capability Shader\nfunc @f(%a: u32, %b: u32) -> void {{\n{chain}{wide}return\n}}\n")
    function = module.functions[0]
    numbers = Numbers(Context(function, (), 0), dict.fromkeys(function.params))
    values = {each.name: each for each in instructions(function)}
    known = numbers.of(values[f"d{MAX_NESTED - 1}"], {})
    assert parts_of(known) == 2 * MAX_NESTED + 1 and set(atoms(known)) == set(function.params)
    assert numbers.of(values[f"d{MAX_NESTED}"], {}) is None
    assert parts_of(numbers.of(values["w2"], {})) == 15
    assert numbers.of(values["w3"], {}) is None


def test_what_was_said_of_a_value_is_gone_once_it_is_worked_out_anew() -> None:
    module = parse("Capability Shader\nfunc @f(%a: u32, %b: u32) -> void {\n%s = IAdd %a, %b : u32\nreturn\n}\n")
    function = module.functions[0]
    a, b = function.params
    root = Instr(op.Variable, None, [])
    numbers = Numbers(Context(function, (), 0), dict.fromkeys(function.params))
    total = numbers.of(next(iter(instructions(function))), {})
    state: State = {(root, (0,)): a, (root, (1,)): b, (root, (2,)): total, total: 4, b: 1, (a, ()): 7}
    renew(state, a)
    assert state == {(root, (1,)): b, b: 1, (a, ()): 7}, "a place in what a points to is no expression with it"


def test_opposites() -> None:
    value = Instr(op.Undef, None, [])
    assert (negated(0), negated(1), negated(None)) == (1, 0, None)
    assert negated(negated(value)) is value and negated(value) != value


def test_one_operand_may_settle_it() -> None:
    module = parse(
        "Capability Shader\nfunc @f(%a: u32) -> void {\n%z = IMul %a, 0u : u32\n%y = IAdd %a, 0u : u32\nreturn\n}\n"
    )
    z, y = [each for each in instructions(module.functions[0]) if each.has_result]
    assert fold(z, [VARIES, 0]) == 0 and fold(y, [VARIES, 0]) is VARIES and fold(y, [4294967295, 2]) == 1
