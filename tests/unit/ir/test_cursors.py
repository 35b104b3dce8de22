"""Places, and what stays what over a split and a join; the trees are small enough to see."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.build import Builder, new_function
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.cursor import (
    Cursor,
    after_instr,
    after_node,
    after_phis,
    at_end,
    at_head,
    before_instr,
    before_node,
    before_use,
    behind_jump,
    function_end,
    function_start,
    region_end,
    region_start,
    same_place,
)
from reknit.ir.edit import prepend
from reknit.ir.function import Function
from reknit.ir.insert import insert_instr, insert_node, remove_instr
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.jumps import insert_jump, split
from reknit.ir.module import Module
from reknit.ir.stitch import can_join, stitch
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.types import int_type
from reknit.ir.verify import verify
from reknit.passes.variables import local_variable
from reknit.source.diagnostic import EditRefused


class Small:
    """%v = Variable; %x = 1 + 1; if true { %y } else { }; %p = Phi %x %y ...; %z = %p + %p; return"""

    def __init__(self) -> None:
        self.module = Module()
        self.u32 = int_type(self.module, 32, False)
        self.one = int_constant(self.module, self.u32, 1)
        self.main: Function = new_function(self.module, "main")
        self.variable = local_variable(self.main, self.module, self.u32, "v")
        b = Builder(self.module, self.main.entry())
        self.x = b.emit(op.IAdd, self.u32, [self.one, self.one], "x")
        self.choice = b.open_if(bool_constant(self.module, True))
        b.at(self.choice.then.entry())
        self.y = b.emit(op.IAdd, self.u32, [self.x, self.one], "y")
        self.join: Block = self.choice.after()
        arms = [self.choice.then.entry(), self.choice.orelse.entry()]
        self.p = prepend(self.join, Instr(op.Phi, self.u32, [self.y, arms[0], self.x, arms[1]], "p"))
        b.at(self.join)
        self.z = b.emit(op.IAdd, self.u32, [self.p, self.p], "z")
        b.return_()

    def sound(self) -> bool:
        return [str(fault) for fault in verify(self.module)] == []

    @contextmanager
    def refuses(self, code: str) -> Iterator[None]:
        """The edit inside is refused with this code, and the module is well formed after."""
        with pytest.raises(EditRefused) as found:
            yield
        assert found.value.code == code
        assert self.sound()


def test_two_ways_to_say_one_place() -> None:
    s = Small()
    entry = s.main.entry()
    assert same_place(before_instr(s.x), after_instr(s.variable))
    assert same_place(at_end(entry), after_instr(s.x))
    assert same_place(at_end(entry), behind_jump(entry)), "there is no jump"
    assert same_place(before_node(s.choice), at_end(entry))
    assert same_place(after_node(s.choice), after_phis(s.join))
    assert same_place(function_start(s.main), before_instr(s.x))
    assert same_place(function_end(s.main), behind_jump(s.join))
    assert same_place(region_start(s.choice.orelse), region_end(s.choice.orelse)), "the block is empty"


def test_places_that_differ() -> None:
    s = Small()
    assert not same_place(at_head(s.join), after_phis(s.join))
    assert not same_place(at_end(s.join), behind_jump(s.join))
    assert not same_place(at_end(s.choice.then.entry()), at_end(s.choice.orelse.entry()))


def test_around_a_terminator() -> None:
    s = Small()
    jump = s.join.jump
    assert isinstance(jump, Exit)
    assert same_place(before_instr(jump.instr), at_end(s.join))
    assert same_place(after_instr(jump.instr), behind_jump(s.join))


def test_where_a_value_must_be_known() -> None:
    s = Small()
    assert same_place(before_use(s.z, 0), after_instr(s.p))
    assert same_place(before_use(s.p, 0), at_end(s.choice.then.entry()))
    assert same_place(before_use(s.p, 2), at_end(s.choice.orelse.entry()))
    assert same_place(before_use(s.choice, -1), at_end(s.main.entry()))


def test_the_first_half_is_the_block_itself() -> None:
    s = Small()
    for cursor in (before_instr(s.x), at_end(s.join), after_phis(s.join), behind_jump(s.join)):
        block = cursor.block
        first = block.first
        rest = split(s.module, cursor)
        assert block.next is rest and rest.padding and block.first is first
        if rest.jump is None and rest.next is None:
            insert_jump(s.module, at_end(rest), Exit(Instr(op.Return, None, [], "", False)))
        assert s.sound()


def test_a_split_is_undone_by_stitch() -> None:
    s = Small()
    before = list(s.join)
    jump = s.join.jump
    split(s.module, before_instr(s.z))
    assert stitch(s.join) is s.join
    assert list(s.join) == before and s.join.jump is jump and s.join.next is None


def test_a_real_block_outlives_padding() -> None:
    s = Small()
    rest = split(s.module, before_instr(s.z))
    s.join.padding = True
    rest.padding = False
    assert stitch(s.join) is rest
    assert list(rest) == [s.p, s.z] and s.choice.after() is rest
    assert s.sound()


def test_a_loop_keeps_its_first_block_from_a_merged_construct() -> None:
    s = Small()
    loop = Loop()
    insert_node(s.module, at_end(s.join), loop)
    first = loop.body.entry()
    insert_node(s.module, at_end(first), Scope())
    rest = split(s.module, at_end(first))
    assert not can_join(first)
    assert stitch(first) is first and first.next is rest
    assert stitch(first, halves=True) is first and first.next is not rest, "two halves may always be one again"


def test_phis_are_first() -> None:
    s = Small()
    with s.refuses("RK0480"):
        split(s.module, at_head(s.join))
    with s.refuses("RK0480"):
        insert_node(s.module, at_head(s.join), Scope())
    with s.refuses("RK0480"):
        insert_instr(s.module, at_head(s.join), Instr(op.Undef, s.u32, []))
    with s.refuses("RK0480"):
        insert_instr(s.module, at_end(s.join), Instr(op.Phi, s.u32, []))
    made = Instr(op.Phi, s.u32, [], "q")
    insert_instr(s.module, at_head(s.join), made)
    assert set(made.operands[1::2]) == {s.choice.then.entry(), s.choice.orelse.entry()}
    assert s.sound()


def test_a_phi_has_no_value_from_elsewhere() -> None:
    s = Small()
    with s.refuses("RK0488"):
        phi = Instr(op.Phi, s.u32, [s.one, s.main.entry()])
        try:
            insert_instr(s.module, at_head(s.join), phi)
        finally:
            phi.drop_operands()


def test_variables_are_first() -> None:
    s = Small()
    with s.refuses("RK0481"):
        insert_node(s.module, at_head(s.main.entry()), Scope())
    with s.refuses("RK0481"):
        insert_instr(s.module, at_head(s.main.entry()), Instr(op.Undef, s.u32, []))
    with s.refuses("RK0481"):
        insert_instr(s.module, at_end(s.join), Instr(op.Variable, s.variable.type, [7]))
    place = insert_instr(s.module, function_start(s.main), Instr(op.Variable, s.variable.type, [7], "w"))
    assert same_place(place, before_instr(s.x)) and s.sound()


def test_what_is_no_whole_thing_to_insert() -> None:
    s = Small()
    with s.refuses("RK0488"):
        insert_instr(s.module, at_end(s.join), Instr(op.Return, None, [], "", False))
    with s.refuses("RK0488"):
        insert_instr(s.module, behind_jump(s.join), Instr(op.Undef, s.u32, []))
    with s.refuses("RK0488"):
        insert_node(s.module, at_end(s.join), s.choice)
    with s.refuses("RK0488"):
        switch = Switch(s.one)
        try:
            insert_node(s.module, at_end(s.join), switch)
        finally:
            s.one.drop_user(switch)
    with s.refuses("RK0488"):
        jump = s.join.jump
        assert isinstance(jump, Exit)
        remove_instr(s.module, jump.instr)


def test_insertion_goes_on_behind_what_was_inserted() -> None:
    s = Small()
    place: Cursor = before_instr(s.z)
    made = [Instr(op.IAdd, s.u32, [s.one, s.p], f"m{index}") for index in range(3)]
    for instr in made:
        place = insert_instr(s.module, place, instr)
    assert list(s.join) == [s.p, *made, s.z] and s.sound()


def test_a_removed_value_leaves_one_undefined_value() -> None:
    s = Small()
    place = remove_instr(s.module, s.x)
    assert same_place(place, at_end(s.main.entry()))
    assert s.y.operands[0] is s.p.operands[2]
    undefined = s.y.instr(0)
    assert undefined.op == op.Undef and sum(instr.op == op.Undef for instr in s.module.globals) == 1
    remove_instr(s.module, s.y)
    assert s.p.operands[0] is undefined and s.sound()


def test_code_behind_an_inserted_jump_stays_and_is_dead() -> None:
    s = Small()
    insert_jump(s.module, before_instr(s.z), Exit(Instr(op.Return, None, [], "", False)))
    assert list(s.join) == [s.p] and isinstance(s.join.jump, Exit)
    assert s.z.block is s.join.next and s.sound()


def test_an_if_inserted_behind_a_jump_can_not_be_reached() -> None:
    s = Small()
    place = insert_node(s.module, behind_jump(s.join), If(bool_constant(s.module, True)))
    insert_jump(s.module, place, Exit(Instr(op.Return, None, [], "", False)))
    assert isinstance(s.join.jump, Exit) and s.sound()
