"""Every operand of a function, with the block that it is used in, is a use; and a value's uses are by its users."""

from collections import Counter

from kit.random.trees import program

from reknit.analysis.manager import Analyses
from reknit.analysis.uses import Uses
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Branch, Exit
from reknit.ir.text.parser import parse
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks, nodes
from reknit.passes.manager import run_passes

Place = tuple[int, int, int]  # the user, the operand, the block


def expected(function: Function) -> Counter[Place]:
    found: Counter[Place] = Counter()
    for block in blocks(function):
        ends = [block.jump.instr] if isinstance(block.jump, Exit | Branch) else []
        for instr in [*block, *ends]:
            for index, operand in enumerate(instr.operands):
                if not isinstance(operand, Value) or isinstance(operand, Block | Function):
                    continue
                source = instr.operands[index + 1] if instr.op == op.Phi else block
                found[id(instr), index, id(source)] += 1
    for node in nodes(function):
        if isinstance(node, If | Switch):
            found[id(node), 0, id(node.before())] += 1
    return found


def test_uses() -> None:
    for seed in range(25):
        module = program(seed)
        run_passes(module, "promote-variables")
        for function in module.functions:
            if function.is_declaration():
                continue
            uses = Analyses(module).ask(Uses, function)
            assert Counter((id(use.user), use.index, id(use.block)) for use in uses.all) == expected(function), seed
            for use in uses.all:
                value = use.value()
                assert use in uses.of(value) and use.user in value.users


def test_what_ends_a_function_uses_its_value() -> None:
    module = parse("func @f(%c: bool, %x: u32) -> u32 flat {\n%a:\n  BranchConditional %c %b %d\n%b:\n  return %x\n"
                   "%d:\n  return 7u\n}\n")  # fmt: skip
    function = module.functions[0]
    uses = Analyses(module).ask(Uses, function)
    condition, value = function.params
    assert [use.block for use in uses.of(condition)] == [function.blocks[0]]
    assert [use.block for use in uses.of(value)] == [function.blocks[1]]
    assert [use.index for use in uses.all] == [0, 0, 0]
    assert uses.same_as(Analyses(module).ask(Uses, function)) and not uses.same_as(Uses(uses.all[:-1]))
