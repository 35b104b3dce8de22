"""Random edits of random trees: after each one `verify` has nothing to say, and one that is refused changed nothing.

    tree ──▶ edit ──▶ repair ──▶ verify        10,000 times; the edits: insert, jump, split, delete, move, clone,
                                               remove, extract and put back

Some edits promise more than a well-formed tree: what is taken out and put back is as it was, a clone says the same as
what it is a clone of and is independent of it, and what only makes room for code, or encloses it in what everyone
enters, leaves the meaning, which the simulator judges.
"""

import random
import re
from collections.abc import Callable

from kit.random.trees import Writer
from kit.text.pass_texts import apply

from reknit.analysis.manager import Analyses
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.clone import clone_and_reinsert, clone_function
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.cursor import Cursor, after_instr, after_phis, at_end, at_head, before_node, behind_jump
from reknit.ir.extract import delete, extract, list_extract, move, reinsert, remove_node
from reknit.ir.function import Function
from reknit.ir.insert import insert_instr, insert_node, remove_instr
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.jumps import end_block, insert_jump, split
from reknit.ir.module import Module
from reknit.ir.stitch import stitch
from reknit.ir.text.printer import print_function
from reknit.ir.tree import Case, If, Loop, Scope, Switch
from reknit.ir.types import int_type
from reknit.ir.value import Node
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, constructs, nodes
from reknit.passes.contract import Context
from reknit.passes.promote_variables import PROMOTE_VARIABLES
from reknit.passes.repair import repair
from reknit.sim.policy import Policy
from reknit.sim.run import run
from reknit.source.diagnostic import EditRefused

MAX_BLOCKS = 40  # blocks: what grows beyond is not edited further


class Editor:
    """One tree and a die. `phis`: its variables became values first."""

    def __init__(self, seed: int, statements: int, phis: bool) -> None:
        self.random = random.Random(seed)
        self.module = Writer(seed, statements).module
        if phis:
            apply(self.module, PROMOTE_VARIABLES)
        self.main = self.module.functions[0]
        self.made = 0
        self.refused = 0

    # --- places -------------------------------------------------------------------------------------------------------

    def block(self) -> Block:
        return self.random.choice(blocks(self.main))

    def cursor(self) -> Cursor:
        return self.cursor_in(self.block())

    def cursor_in(self, block: Block) -> Cursor:
        places = [at_head(block), after_phis(block), at_end(block), behind_jump(block)]
        instrs = list(block)
        if instrs:
            places.append(after_instr(self.random.choice(instrs)))
        return self.random.choice(places)

    def range(self) -> tuple[Cursor, Cursor]:
        """Two cursors of one region, mostly in order."""
        first = self.block()
        if self.random.random() < 0.4:
            return self.cursor_in(first), self.cursor_in(first)
        later: list[Block] = []
        node: Node | None = first
        while node is not None:
            if isinstance(node, Block):
                later.append(node)
            node = node.next
        last = self.random.choice(later)
        begin = before_node(first) if self.random.random() < 0.3 else self.cursor_in(first)
        end = after_phis(last) if self.random.random() < 0.3 else self.cursor_in(last)
        return begin, end

    def jump(self, block: Block) -> Jump:
        around = constructs(self.main)
        kind = self.random.randrange(6)
        if kind == 0 or not around:
            code = self.random.choice((op.Return, op.Unreachable))
            return Exit(Instr(code, None, [], "", False))
        target = self.random.choice(around)
        owner = block.region.owner if block.region is not None else None
        if kind < 4:  # most often one that the block stands in
            node: object = owner
            standing = []
            while isinstance(node, (If, Loop, Switch, Scope, Case)):
                construct = node.switch if isinstance(node, Case) else node
                standing.append(construct)
                node = construct.region.owner if construct.region is not None else None
            if standing:
                target = self.random.choice(standing)
        if isinstance(target, Loop) and self.random.random() < 0.5:
            return Continue(target)
        if isinstance(target, Switch) and len(target.cases) > 1 and self.random.random() < 0.5:
            return Fallthrough(self.random.choice(target.cases))
        return Break(target)

    # --- edits --------------------------------------------------------------------------------------------------------

    def insert_an_instruction(self) -> None:
        u32 = int_type(self.module, 32, False)
        number = int_constant(self.module, u32, self.random.randrange(4))
        code = self.random.choice((op.IAdd, op.Phi, op.Variable))
        if code == op.IAdd:
            made = Instr(code, u32, [number, number])
        elif code == op.Phi:
            made = Instr(code, u32, [])
        else:
            made = Instr(code, self.module.functions[0].type, [])  # never put in: only the first block has variables
        cursor = self.cursor()
        if code == op.Variable and cursor.block is self.main.entry():
            return
        try:
            insert_instr(self.module, cursor, made)
        except EditRefused:
            made.drop_operands()
            raise

    def remove_an_instruction(self) -> None:
        instrs = [instr for instr in self.block() if instr.op != op.Variable]
        if instrs:
            remove_instr(self.module, self.random.choice(instrs))

    def insert_a_construct(self) -> None:
        self.insert_node_at(self.cursor())

    def insert_node_at(self, cursor: Cursor) -> None:
        kind = self.random.randrange(4)
        made: If | Loop | Switch | Scope
        if kind == 0:
            made = If(bool_constant(self.module, True))
            made.merged = self.random.random() < 0.5
        elif kind == 1:
            made = Loop()
        elif kind == 2:
            made = Switch(int_constant(self.module, int_type(self.module, 32, False), 1))
            for literal in range(self.random.randrange(1, 4)):
                made.cases.append(Case(made))
                made.targets.append((literal, made.cases[-1]))
            made.default = made.cases[-1]
        else:
            made = Scope()
        before = cursor.block
        try:
            insert_node(self.module, cursor, made)
        except EditRefused:
            if isinstance(made, If):
                made.condition.drop_user(made)
            elif isinstance(made, Switch):
                made.selector.drop_user(made)
            raise
        assert made.prev is before, "the original block is the first half"

    def insert_a_jump(self) -> None:
        cursor = self.cursor()
        insert_jump(self.module, cursor, self.jump(cursor.block))

    def change_an_end(self) -> None:
        block = self.block()
        end_block(self.module, block, self.jump(block) if self.random.random() < 0.6 else None)

    def split_and_stitch(self) -> None:
        cursor = self.cursor()
        split(self.module, cursor)
        if self.random.random() < 0.5:
            stitch(cursor.block)

    def take_out_and_put_back(self) -> None:
        begin, end = self.range()
        before = picture(self.main)
        edges = graph(self.main)
        floating = extract(self.module, begin, end)
        if floating.nodes.first is not None:
            assert [fault.code for fault in verify(self.module)].count("RK0486") == 1
        reinsert(self.module, floating, floating.seam)
        assert picture(self.main) == before
        assert graph(self.main) == edges

    def delete_a_range(self) -> None:
        delete(self.module, extract(self.module, *self.range()))

    def empty_a_region(self) -> None:
        made = constructs(self.main)
        if made:
            region = self.random.choice(self.random.choice(made).regions())
            delete(self.module, list_extract(self.module, region))
            assert region.first is region.last

    def remove_a_node(self) -> None:
        remove_node(self.module, self.random.choice(list(nodes(self.main))))

    def move_a_range(self) -> None:
        begin, end = self.range()
        move(self.module, begin, end, self.cursor())

    def clone_a_range(self) -> None:
        begin, end = self.range()
        clone_and_reinsert(self.module, begin, end, self.cursor())

    def step(self) -> None:
        edits: list[Callable[[], None]] = [
            self.insert_an_instruction, self.insert_a_construct, self.insert_a_jump, self.change_an_end,
            self.split_and_stitch, self.take_out_and_put_back, self.move_a_range, self.clone_a_range,
            self.move_a_range, self.take_out_and_put_back, self.remove_an_instruction,
        ]  # fmt: skip
        if len(blocks(self.main)) > 10:
            edits += [self.delete_a_range, self.remove_a_node, self.empty_a_region]
        edit = self.random.choice(edits)
        before = picture(self.main)
        try:
            edit()
            self.made += 1
        except EditRefused:
            self.refused += 1
            assert picture(self.main) == before, f"{edit.__name__} was refused and changed something"
        assert self.main.floating == {}
        end = self.main.body.end()
        if end.jump is None:  # where a function ends is no edit's business
            end_block(self.module, end, Exit(Instr(op.Return, None, [], "", False)))
        phis_fit(self.main)
        repair(self.main, Context(self.module, Analyses(self.module), {}))
        faults = [str(fault) for fault in verify(self.module)]
        assert faults == [], f"{edit.__name__}: {faults[0]}\n{print_function(self.main)}"


def picture(function: Function) -> list[object]:
    """All that a function is made of, by identity: nodes, instructions, operands, types and where jumps go."""
    found: list[object] = []
    for node in nodes(function):
        found += [node, node.region]
        if isinstance(node, Block):
            for instr in node:
                found += [instr, instr.op, *instr.operands]
            found.append(type(node.jump))
            if isinstance(node.jump, (Break, Continue, Fallthrough)):
                found.append(node.jump.target)
            elif isinstance(node.jump, Exit):
                found += [node.jump.instr, *node.jump.instr.operands]
    return found


def graph(function: Function) -> list[tuple[Block, list[Block], frozenset[Block]]]:
    return [(block, successors(block), frozenset(predecessors(block))) for block in blocks(function)]


def phis_fit(function: Function) -> None:
    """One pair for each predecessor, and no other; the sources in any order."""
    for block in blocks(function):
        sources = predecessors(block)
        for phi in block.phis():
            named = phi.operands[1::2]
            assert len(named) == len(sources) and all(source in named for source in sources)


def test_any_edit_leaves_a_well_formed_tree(full: bool) -> None:
    made = refused = seed = 0
    while made < (100_000 if full else 10_000):
        editor = Editor(seed, 3 + seed % 6, seed % 3 != 0)
        for _ in range(60):
            editor.step()
            if len(blocks(editor.main)) > MAX_BLOCKS:
                break
        made += editor.made
        refused += editor.refused
        seed += 1
    assert refused > made // 20, "refusals are tested too"


def recorded(module: Module) -> list[list[int]]:
    found = []
    for size, policy in ((4, Policy("label", "never")), (32, Policy("value", "always"))):
        result = run(module, subgroup_size=size, policy=policy, max_steps=200_000)
        assert [str(diagnostic) for diagnostic in result.diagnostics] == []
        found.append(list(result.buffers["out"].words))
    return found


class Keeper(Editor):
    """Edits that make room, or put code where it is run by the same invocations in the same tangles."""

    def make_room(self) -> None:
        cursor = self.cursor()
        kind = self.random.randrange(4)
        if kind == 0:
            split(self.module, cursor)
        elif kind == 1:
            loop = Loop()
            insert_node(self.module, cursor, loop)
            end_block(self.module, loop.body.entry(), Break(loop))
        else:
            scope = Scope()
            scope.merged = kind == 2
            insert_node(self.module, cursor, scope)

    def enclose(self) -> None:
        """Put a stretch of code in an arm that everyone takes, or in a scope; nobody waits at either's end."""
        begin, end = self.range()
        if begin.is_before_phi():
            return
        floating = extract(self.module, begin, end)
        made: If | Scope = Scope()
        if self.random.random() < 0.7:
            made = If(bool_constant(self.module, True))
        made.merged = False
        try:
            insert_node(self.module, floating.seam, made)
        except EditRefused:
            if isinstance(made, If):
                made.condition.drop_user(made)
            reinsert(self.module, floating, floating.seam)
            raise
        try:
            reinsert(self.module, floating, after_phis(made.regions()[0].entry()))
        except EditRefused:
            remove_node(self.module, made)
            reinsert(self.module, floating, floating.seam)
            raise

    def split_a_jump_off(self) -> None:
        """What ends in a jump may be followed by anything."""
        block = self.block()
        if block.jump is not None:
            self.insert_node_at(behind_jump(block))

    def keep(self) -> None:
        edit = self.random.choice((self.make_room, self.enclose, self.split_a_jump_off, self.take_out_and_put_back))
        try:
            edit()
            self.made += 1
        except EditRefused:
            self.refused += 1
        end = self.main.body.end()
        if end.jump is None:
            end_block(self.module, end, Exit(Instr(op.Return, None, [], "", False)))
        repair(self.main, Context(self.module, Analyses(self.module), {}))
        assert [str(fault) for fault in verify(self.module)] == []


def test_edits_that_keep_the_meaning(full: bool) -> None:
    made = 0
    for seed in range(300 if full else 12):
        editor = Keeper(1000 + seed, 24, seed % 3 != 0)
        expected = recorded(editor.module)
        for _ in range(12):
            editor.keep()
        made += editor.made
        assert recorded(editor.module) == expected, f"seed {seed}"
    assert made > 60


def without_names(text: str) -> str:
    """Values, blocks and constructs by the order in which they are first mentioned."""
    seen: dict[str, str] = {}
    return re.sub(r"[%@]\w+|\bb\d+\b", lambda match: seen.setdefault(match[0], f"n{len(seen)}"), text)


def test_a_clone_says_the_same_and_is_independent() -> None:
    for seed in range(12):
        editor = Editor(2000 + seed, 30, seed % 2 == 0)
        copy = clone_function(editor.module, editor.main, "copy")
        assert [str(fault) for fault in verify(editor.module)] == []
        text = print_function(copy)
        assert without_names(text) == without_names(print_function(editor.main))
        for _ in range(20):
            editor.step()
        assert print_function(copy) == text
        mine = print_function(editor.main)
        remove_node(editor.module, next(node for node in copy.body if not isinstance(node, Block)))
        assert print_function(copy) != text
        assert print_function(editor.main) == mine
