"""Two modules compared thing by thing, without looking at their text: which value stands for which is found on the way.

    one.globals[3] <-> other.globals[3]     then wherever the one is an operand, the other must be
"""

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.module import Module
from reknit.ir.tree import Construct, If, Region, Switch
from reknit.ir.value import Value


class Difference(AssertionError):
    pass


class _Pairs:
    def __init__(self) -> None:
        self.other: dict[Value, Value] = {}

    def pair(self, one: Value, two: Value) -> None:
        if type(one) is not type(two) or (one.name, one.id) != (two.name, two.id):
            raise Difference(f"{one.name or one.id} and {two.name or two.id}: name, id or kind")
        self.other[one] = two

    def same(self, one: object, two: object, what: str) -> None:
        if isinstance(one, Value) and isinstance(two, Value):
            if self.other.get(one) is not two:
                raise Difference(f"{what}: {one.name or one.id} and {two.name or two.id}")
        elif one != two:
            raise Difference(f"{what}: {one} and {two}")

    def lists(self, one: list[Instr], two: list[Instr], what: str) -> None:
        self.same(len(one), len(two), f"length of {what}")
        for first, second in zip(one, two, strict=True):
            self.pair(first, second)

    def operands(self, one: Instr, two: Instr) -> None:
        what = f"opcode {one.op} (id {one.id} {one.name})"
        self.same(one.op, two.op, what)
        self.same(one.has_result, two.has_result, what)
        self.same(one.type, two.type, what)
        self.same(len(one.operands), len(two.operands), what)
        for first, second in zip(one.operands, two.operands, strict=True):
            self.same(first, second, what)

    def all_operands(self, one: list[Instr], two: list[Instr]) -> None:
        for first, second in zip(one, two, strict=True):
            self.operands(first, second)


def assert_same(one: Module, two: Module) -> None:
    """Raises Difference at the first thing that is not the same."""
    pairs = _Pairs()
    for name in ("version", "generator", "schema", "bound"):
        pairs.same(getattr(one, name), getattr(two, name), name)
    sections = list(zip([*one.sections(), one.closing], [*two.sections(), two.closing], strict=True))
    for first, second in sections:
        pairs.lists(first, second, "section")
    pairs.same(len(one.functions), len(two.functions), "functions")
    functions = list(zip(one.functions, two.functions, strict=True))
    for first_function, second_function in functions:
        _pair_function(pairs, first_function, second_function)
    for first, second in sections:
        pairs.all_operands(first, second)
    for first_function, second_function in functions:
        _compare_function(pairs, first_function, second_function)


def _blocks(region: Region) -> list[Block]:
    found: list[Block] = []
    work: list[object] = [region]
    while work:
        item = work.pop()
        if isinstance(item, Region):
            work.extend(reversed(list(item)))
        elif isinstance(item, Block):
            found.append(item)
        elif isinstance(item, Construct):
            work.extend(reversed(item.regions()))
    return found


def _pair_function(pairs: _Pairs, one: Function, two: Function) -> None:
    pairs.pair(one, two)
    pairs.lists(one.params, two.params, "parameters")
    pairs.lists(one.leading, two.leading, "lines before a function")
    pairs.lists(one.closing, two.closing, "lines after the blocks")
    work = [(one.body, two.body)]
    while work:
        first, second = work.pop()
        nodes, others = list(first), list(second)
        pairs.same(len(nodes), len(others), "nodes of a region")
        for node, other in zip(nodes, others, strict=True):
            pairs.pair(node, other)
            if isinstance(node, Construct) and isinstance(other, Construct):
                if isinstance(node, Switch) and isinstance(other, Switch):
                    pairs.same(len(node.cases), len(other.cases), "cases")
                    for case, another in zip(node.cases, other.cases, strict=True):
                        pairs.pair(case, another)
                work.extend(zip(node.regions(), other.regions(), strict=True))
    pairs.same(len(one.blocks), len(two.blocks), "blocks outside of the tree")
    for block, other_block in zip(one.blocks, two.blocks, strict=True):
        pairs.pair(block, other_block)
    for first_block, second_block in _both(one, two):
        pairs.lists(list(first_block), list(second_block), "instructions of a block")
        pairs.lists(list(first_block.leading), list(second_block.leading), "lines before a block")


def _both(one: Function, two: Function) -> list[tuple[Block, Block]]:
    return list(zip(_blocks(one.body) + one.blocks, _blocks(two.body) + two.blocks, strict=True))


def _compare_function(pairs: _Pairs, one: Function, two: Function) -> None:
    for name in ("type", "result", "control", "structured"):
        pairs.same(getattr(one, name), getattr(two, name), name)
    for name in ("params", "leading", "closing"):
        pairs.all_operands(getattr(one, name), getattr(two, name))
    for first, second in _both(one, two):
        pairs.same((first.padding, first.order), (second.padding, second.order), "padding and order of a block")
        pairs.all_operands(list(first), list(second))
        pairs.all_operands(list(first.leading), list(second.leading))
        _compare_jump(pairs, first.jump, second.jump)
    work = [(one.body, two.body)]
    while work:
        region, other_region = work.pop()
        for node, other in zip(region, other_region, strict=True):
            if isinstance(node, Construct) and isinstance(other, Construct):
                pairs.same((node.merged, node.control), (other.merged, other.control), "merge of a construct")
                if isinstance(node, If) and isinstance(other, If):
                    pairs.same(node.condition, other.condition, "condition")
                    pairs.same(node.weights, other.weights, "weights")
                elif isinstance(node, Switch) and isinstance(other, Switch):
                    pairs.same(node.selector, other.selector, "selector")
                    pairs.same(node.default, other.default, "default")
                    targets = [(literal, pairs.other[case]) for literal, case in node.targets]
                    pairs.same(targets, list(other.targets), "targets")
                work.extend(zip(node.regions(), other.regions(), strict=True))


def _compare_jump(pairs: _Pairs, one: Jump | None, two: Jump | None) -> None:
    pairs.same(type(one), type(two), "kind of a jump")
    if isinstance(one, (Break, Continue, Fallthrough)) and isinstance(two, (Break, Continue, Fallthrough)):
        pairs.same(one.target, two.target, "target of a jump")
    elif isinstance(one, (Exit, Branch)) and isinstance(two, (Exit, Branch)):
        pairs.operands(one.instr, two.instr)
        if isinstance(one, Branch) and isinstance(two, Branch) and one.merge is not None:
            assert two.merge is not None
            pairs.operands(one.merge, two.merge)


