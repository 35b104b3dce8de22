"""Random modules with random links broken: `verify` gives a list, `faulty_text` a text that has each fault, in bounded
time.

    program(seed) or a flat function -> 1 to 5 links set to anything of any function -> verify, faulty_text

Anything that refers to something is damaged: neighbours, regions, owners, blocks, functions, jumps and their targets,
registers, operands and users, conditions and selectors, cases, parameters, types, what is in the module's lists.
"""

import random
from collections.abc import Callable

import pytest
from kit.oracles.work import Work
from kit.random.trees import program

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.tree import Case, Construct, If, Loop, Region, Switch
from reknit.ir.value import Value
from reknit.ir.verify import verify
from reknit.ir.verify.dump import faulty_text
from reknit.ir.walk import blocks, constructs, instructions

BATCH = 100
CALLS = 500_000  # for one module: work that multiplies is seen; healthy ones take 30,000 at most
FLAT = """func @flat(%c: bool, %a: u32) -> u32 flat {
b1:
  SelectionMerge b4 None
  BranchConditional %c b2 b3
b2:
  %x = IAdd %a, 1u : u32
  Branch b4
b3:
  Switch %a b4 7 b5
b4:
  %p = Phi %x b2, %a b3 : u32
  return %p
b5:
  Unreachable
}
"""


class Parts:
    """What a module consists of, in order, before it is damaged."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.blocks: list[Block] = []
        self.constructs: list[Construct] = []
        self.instrs: list[Instr] = []
        for function in module.functions:
            self.blocks.extend(blocks(function))
            self.constructs.extend(constructs(function))
            self.instrs.extend(instructions(function))
        self.regions: list[Region] = [function.body for function in module.functions]
        self.cases: list[Case] = []
        for construct in self.constructs:
            self.regions.extend(construct.regions())
            if isinstance(construct, Switch):
                self.cases.extend(construct.cases)
        self.loops = [one for one in self.constructs if isinstance(one, Loop)]
        self.nodes: list[Block | Construct] = [*self.blocks, *self.constructs]
        params = [param for function in module.functions for param in function.params]
        self.values: list[Value] = [
            *self.instrs, *self.nodes, *self.cases, *params, *module.globals, *module.functions,
        ]  # fmt: skip


def neighbours(chance: random.Random, parts: Parts) -> None:
    node = chance.choice(parts.nodes)
    if chance.random() < 0.5:
        node.next = chance.choice([None, *parts.nodes])
    else:
        node.prev = chance.choice([None, *parts.nodes])


def ends(chance: random.Random, parts: Parts) -> None:
    region = chance.choice(parts.regions)
    if chance.random() < 0.5:
        region.first = chance.choice([None, *parts.nodes])
    else:
        region.last = chance.choice([None, *parts.nodes])


def places(chance: random.Random, parts: Parts) -> None:
    node = chance.choice(parts.nodes)
    if chance.random() < 0.7:
        node.region = chance.choice([None, *parts.regions])
    else:
        node.function = chance.choice([None, *parts.module.functions])


def owners(chance: random.Random, parts: Parts) -> None:
    chance.choice(parts.regions).owner = chance.choice(parts.values)


def code(chance: random.Random, parts: Parts) -> None:
    instr, other = chance.choice(parts.instrs), chance.choice([None, *parts.instrs])
    match chance.randrange(5):
        case 0:
            instr.next = other
        case 1:
            instr.prev = other
        case 2:
            instr.block = chance.choice([None, *parts.blocks])
        case 3:
            chance.choice(parts.blocks).first = other
        case _:
            chance.choice(parts.blocks).last = other


def jumps(chance: random.Random, parts: Parts) -> None:
    found: list[Jump | None] = [None, Jump(), Exit(chance.choice(parts.instrs))]
    found.append(Branch(chance.choice(parts.instrs), chance.choice([None, *parts.instrs])))
    found.append(Exit(Instr(chance.choice((op.Return, op.Kill, op.Nop, op.Branch)), None, [], "", False)))
    if parts.constructs:
        found.append(Break(chance.choice(parts.constructs)))
    if parts.loops:
        found.append(Continue(chance.choice(parts.loops)))
    if parts.cases:
        found.append(Fallthrough(chance.choice(parts.cases)))
    found.append(chance.choice(parts.blocks).jump)
    found.append(Break(Loop("with nothing in it")))
    chance.choice(parts.blocks).jump = chance.choice(found)


def registers(chance: random.Random, parts: Parts) -> None:
    found = [construct.breaks for construct in parts.constructs]
    found.extend(loop.continues for loop in parts.loops)
    found.extend(case.fallthroughs for case in parts.cases)
    if found:
        register = chance.choice(found)
        if register and chance.random() < 0.5:
            register.clear()
        else:
            register[chance.choice(parts.blocks)] = None


def operands(chance: random.Random, parts: Parts) -> None:
    instr = chance.choice([*parts.instrs, *parts.module.globals])
    found = list(instr.operands)
    at = chance.randrange(len(found) + 1)
    match chance.randrange(4):
        case 0:
            found[at : at + 1] = [chance.choice(parts.values)]
        case 1:
            found[at : at + 1] = [chance.choice((0, 1, -1, 1 << 40, "text"))]
        case 2:
            found[at : at + 1] = []
        case _:
            found.insert(at, chance.choice(parts.values))
    instr.operands = found
    if chance.random() < 0.5:  # the users are told
        for operand in found:
            if isinstance(operand, Value) and instr not in operand.users:
                for _ in range(sum(one is operand for one in found)):
                    operand.add_user(instr)


def users(chance: random.Random, parts: Parts) -> None:
    value = chance.choice(parts.values)
    if value.is_used() and chance.random() < 0.5:
        value.drop_user(chance.choice(list(value.users)))
    else:
        for _ in range(chance.choice((1, 2, 9))):
            value.add_user(chance.choice(parts.values))


def heads(chance: random.Random, parts: Parts) -> None:
    """What a construct asks, its regions, its cases."""
    if not parts.constructs:
        return
    construct = chance.choice(parts.constructs)
    region = chance.choice(parts.regions)
    if isinstance(construct, If):
        if chance.random() < 0.5:
            construct.condition = chance.choice(parts.values)
        else:
            construct.orelse = region
    elif isinstance(construct, Loop):
        construct.merged = chance.random() < 0.5
        construct.continuing = region
    elif isinstance(construct, Switch):
        match chance.randrange(4):
            case 0:
                construct.selector = chance.choice(parts.values)
            case 1:
                construct.default = chance.choice([None, *parts.cases])
            case 2:
                construct.cases.append(chance.choice(parts.cases))
            case _:
                construct.targets.append((chance.choice((0, -1, 1 << 70)), chance.choice(parts.cases)))


def kinds(chance: random.Random, parts: Parts) -> None:
    instr = chance.choice([*parts.instrs, *parts.module.globals])
    match chance.randrange(3):
        case 0:
            instr.type = chance.choice([None, *parts.instrs, *parts.module.globals])
        case 1:
            instr.op = chance.choice((op.Phi, op.Load, op.Switch, op.FunctionCall, op.ExtInst, op.TypeVector, 65535))
        case _:
            instr.has_result = not instr.has_result


def lists(chance: random.Random, parts: Parts) -> None:
    """The module's and a function's."""
    module = parts.module
    function = chance.choice(module.functions)
    match chance.randrange(7):
        case 0:
            module.functions.append(function)
        case 1:
            module.globals.insert(0, chance.choice([*parts.instrs, *module.globals]))
        case 2:
            module.globals.remove(chance.choice(module.globals))
        case 3:
            function.params.append(chance.choice(parts.instrs))
        case 4:
            function.structured = not function.structured
        case 5:
            function.blocks.append(chance.choice(parts.blocks))
        case _:
            function.type = chance.choice(module.globals)


DAMAGES: list[Callable[[random.Random, Parts], None]] = [
    neighbours, ends, places, owners, code, jumps, registers, operands, users, heads, kinds, lists,
]  # fmt: skip


@pytest.mark.full(when=lambda batch: batch >= 20)
@pytest.mark.parametrize("batch", range(200))
def test_damaged_modules_get_a_report(batch: int) -> None:
    faulty = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        chance = random.Random(seed)
        module = parse(FLAT) if seed % 8 == 0 else program(seed % 61, 8)
        parts = Parts(module)
        for _ in range(chance.choice((1, 1, 2, 5))):
            chance.choice(DAMAGES)(chance, parts)
        with Work() as work:
            faults = verify(module)
            text = faulty_text(module)
        assert work.calls < CALLS, seed
        assert isinstance(faults, list) and text.count("// RK") == len(faults), seed
        assert all(fault.code.startswith("RK04") for fault in faults)
        faulty += bool(faults)
    assert faulty > BATCH * 2 // 3
