"""Random faults in programs with dynamic dispatch, at each of its levels: none that a run shows is ever proved.

    another table or tag, another entry of a table, another part of a payload, another function that is called
    labels, cases and calls as in `faults`

`python -m kit.random.dispatch_faults FROM TO` plants them by seed and says what became of them.
"""

import random
import sys
from collections import Counter
from typing import Final

from kit.proving import proved_by_terms
from kit.random.dispatch import random_program
from kit.random.edits import EDITS, Edit
from kit.random.faults import ENDS_IN

from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.ir.walk import instructions
from reknit.passes.manager import run_passes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.source.diagnostic import ERROR, InputError

LEVELS: Final = ("", "specialize-dispatch", "specialize-dispatch,lower-dispatch", "reconverge")
MEANING: Final = Policy("label", "always", "lifo")


def table_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """Another table where one is named."""
    uses = [
        (instr, at, operand)
        for instr in instructions(function)
        for at, operand in enumerate(instr.operands)
        if isinstance(operand, Instr) and operand.op == op.WitnessTable
    ]
    if not uses:
        return False
    instr, at, table = rng.choice(uses)
    others = [each for each in module.globals if each.op == op.WitnessTable and each is not table]
    others = [each for each in others if each.type is table.type]
    if not others:
        return False
    instr.set_operand(at, rng.choice(others))
    return True


def entry_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """A table has another table's function."""
    tables = [each for each in module.globals if each.op == op.WitnessTable and len(each.operands) > 3]
    if len(tables) < 2:
        return False
    table, other = rng.sample(tables, 2)
    at = rng.randrange(3, len(table.operands), 2)
    if at >= len(other.operands) or other.operands[at] is table.operands[at]:
        return False
    table.set_operand(at, other.operands[at])
    return True


def part_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """Another part of what is made of parts."""
    extracts = [each for each in instructions(function) if each.op in (op.CompositeExtract, op.CompositeInsert)]
    if not extracts:
        return False
    instr = rng.choice(extracts)
    last = len(instr.operands) - 1
    old = instr.word(last)
    instr.operands[last] = old + 1 if old == 0 or rng.random() < 0.5 else old - 1
    function.touch()
    return True


def callee_changed(module: Module, function: Function, rng: random.Random) -> bool:
    """Another function of the same type is called."""
    calls = [each for each in instructions(function) if each.op == op.FunctionCall]
    if not calls:
        return False
    call = rng.choice(calls)
    callee = call.operands[0]
    assert isinstance(callee, Function)
    others = [each for each in module.functions if each.type is callee.type and each is not callee]
    if not others:
        return False
    call.set_operand(0, rng.choice(others))
    return True


OWN: Final[list[Edit]] = [table_changed, entry_changed, part_changed, callee_changed]


def planted(text: str, rng: random.Random) -> tuple[str, str] | None:
    """The text of a module with a fault, and which; None where it fits nowhere, or the module is not well formed."""
    module = parse(text)
    edit = rng.choice(OWN if rng.random() < 0.6 else EDITS)
    try:
        if not edit(module, rng.choice(module.functions), rng):
            return None
    except ENDS_IN:
        return None
    new = print_module(module)
    try:
        again = parse(new)
    except InputError:
        return None
    if new == text or any(fault.severity == ERROR for fault in verify(again)):
        return None
    return new, edit.__name__


def behaviour(text: str) -> list[object]:
    """All buffers after each run, or that it was refused."""
    module = parse(text)
    outcomes: list[object] = []
    for size in (4, 16):
        try:
            result = prepare(module, subgroup_size=size).run(MEANING, max_steps=60_000)
        except InputError as error:
            outcomes.append(error.diagnostics[0].code)
            continue
        codes = sorted({each.code for each in result.diagnostics})
        outcomes.append((codes, [list(buffer.words) for buffer in result.buffers.values()]))
    return outcomes


def tried(seed: int, count: int) -> Counter[str]:
    """Programs at one level, faults at the same one or a later one."""
    totals: Counter[str] = Counter()
    rng = random.Random(seed)
    texts: list[str] = []
    for passes in LEVELS:
        module = parse(random_program(seed))
        if passes:
            run_passes(module, passes)
        texts.append(print_module(module))
    plain = [behaviour(text) for text in texts]
    for _ in range(count):
        level = rng.randrange(len(texts))
        fault = planted(texts[level], rng)
        if fault is None:
            continue
        new, name = fault
        outcome = behaviour(new)
        earlier = rng.randrange(level + 1)
        before = texts[earlier]
        differs = outcome != plain[earlier]
        try:
            proved = proved_by_terms(parse(before), parse(new))
        except InputError:
            continue  # no program at all: it calls itself
        word = "told apart" if differs else "not told apart"
        totals[word] += 1
        totals[f"{word}, proved"] += proved
        if proved and differs:
            totals[f"FALSE: seed {seed}, {name}, level {level}"] += 1
    return totals


def main(first: int, last: int) -> None:
    totals: Counter[str] = Counter()
    for seed in range(first, last):
        totals.update(tried(seed, 8))
    print(dict(totals))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
