"""Uses that their definitions don't dominate: mended by phis, or by variables, they read what a variable would hold.

    random program, some of its values used somewhere else ──▶ `repair`            ──▶ verifies, and stores the same
                         │                                └──▶ `repair_dominance` ──▶ verifies, and stores the same
                         └ by hand: each value stored to a variable where it is defined, loaded where it is used ┘

A use that is reached without the definition reads zero in each of them, as the simulator fills what is undefined.
"""

import random
from collections.abc import Callable

import pytest
from kit.random.trees import program

from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.edit import append, insert_after, insert_after_phis, insert_before, set_condition, set_selector
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import If, Switch
from reknit.ir.types import int_type
from reknit.ir.value import Value
from reknit.ir.verify import verify
from reknit.ir.walk import constructs
from reknit.passes.contract import Context
from reknit.passes.demote import repair_dominance
from reknit.passes.manager import run_passes
from reknit.passes.repair import repair
from reknit.passes.variables import local_variable
from reknit.sim.run import run

Edit = tuple[str, int, int, int]
"""How a value is used: kind, its place among the values of the type, the place of the use, the operand."""


def promoted(seed: int) -> Module:
    module = program(seed, 24)
    run_passes(module, "promote-variables")
    return module


class Places:
    """Values and uses of a program, in the order in which a copy of it has them, too."""

    def __init__(self, module: Module) -> None:
        function = module.functions[0]
        order = Order.compute(function, Analyses(module))
        reached = [block for block in order.blocks if order.reached[order.number[block]]]
        every = [instr for block in reached for instr in block if instr.type is not None]
        self.words = [instr for instr in every if instr.type is int_type(module, 32, False)]
        self.bools = [instr for instr in every if instr.type is not None and instr.type.op == op.TypeBool]
        self.sums = [instr for instr in self.words if instr.op in (op.IAdd, op.IMul)]
        self.phis = [instr for instr in self.words if instr.op == op.Phi]
        alive = [each for each in constructs(function) if each.before() in reached]
        self.ifs = [each for each in alive if isinstance(each, If)]
        self.switches = [each for each in alive if isinstance(each, Switch)]

    def users(self, kind: str) -> list[Value]:
        found: dict[str, list[Value]] = {
            "sum": [*self.sums], "phi": [*self.phis], "if": [*self.ifs], "switch": [*self.switches]
        }  # fmt: skip
        return found[kind]


def drawn(places: Places, chance: random.Random) -> list[Edit]:
    found: list[Edit] = []
    for _ in range(chance.randint(1, 4)):
        kinds = ["sum"] * 3 + ["phi"] * bool(places.phis) + ["if"] * bool(places.ifs and places.bools)
        kind = chance.choice(kinds + ["switch"] * bool(places.switches))
        users = places.users(kind)
        values = places.bools if kind == "if" else places.words
        user = chance.randrange(len(users))
        number = chance.randrange(len(values))
        if values[number] is users[user]:
            continue
        operands = len(places.phis[user].operands) // 2 if kind == "phi" else 2
        found.append((kind, number, user, chance.randrange(operands)))
    return found


def edited(module: Module, edits: list[Edit], by_hand: bool) -> None:
    places = Places(module)
    function = module.functions[0]
    slots: dict[Instr, Instr] = {}

    def given(value: Instr, place: Value) -> Instr:
        """The value, or a load of its variable in front of `place`, or at the end of that block."""
        if not by_hand:
            return value
        assert value.type is not None
        load = Instr(op.Load, value.type, [slots[value]])
        return append(place, load) if isinstance(place, Block) else insert_before(place, load)  # type: ignore[arg-type]

    for kind, number, _, _ in edits if by_hand else []:
        value = (places.bools if kind == "if" else places.words)[number]
        if value not in slots:
            assert value.type is not None and value.block is not None
            slots[value] = local_variable(function, module, value.type, "kept")
            store = Instr(op.Store, None, [slots[value], value], "", False)
            if value.op == op.Phi:
                insert_after_phis(value.block, store)
            else:
                insert_after(value, store)
    for kind, number, user, operand in edits:
        value = (places.bools if kind == "if" else places.words)[number]
        if kind == "sum":
            places.sums[user].set_operand(operand, given(value, places.sums[user]))
        elif kind == "phi":
            phi = places.phis[user]
            source = phi.operands[2 * operand + 1]
            assert isinstance(source, Block)
            phi.set_operand(2 * operand, given(value, source))
        elif kind == "if":
            set_condition(places.ifs[user], given(value, places.ifs[user].before()))
        else:
            set_selector(places.switches[user], given(value, places.switches[user].before()))


def stored(module: Module) -> list[list[int]] | None:
    """What lanes store at two subgroup sizes; None for a program that doesn't end."""
    found: list[list[int]] = []
    for size in (4, 32):
        result = run(module, subgroup_size=size, max_steps=10_000)
        if result.failed():
            return None
        found.append(list(result.buffers["out"].words))
    return found


@pytest.mark.parametrize("mend", [repair, repair_dominance])
def test_uses_elsewhere_read_what_a_variable_would_hold(mend: Callable[[Function, Context], bool], full: bool) -> None:
    mended = 0
    for seed in range(400 if full else 25):
        chance = random.Random(seed)
        module = promoted(seed)
        edits = drawn(Places(module), chance)
        wanted = promoted(seed)
        edited(wanted, edits, True)
        expected = stored(wanted)
        if expected is None:  # an edit made a loop endless
            continue
        edited(module, edits, False)
        context = Context(module, Analyses(module), {})
        changed = mend(module.functions[0], context)
        assert [str(fault) for fault in verify(module)] == [], (seed, edits)
        assert stored(module) == expected, (seed, edits)
        mended += changed
    assert mended > 12, mended
