"""The checker of guarantees: classes part and meet as its rules say, and who is watched gives the same results."""

from kit.oracles.guarantees import Classes, Frame, Guarantees, parts

from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.sim.frames import CASE, ITER, LOOP, SEL
from reknit.sim.policy import Policy
from reknit.sim.run import prepare


def classes(group: int) -> Classes:
    made = Classes(8, group)
    made.start()
    return made


def groups(made: Classes) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for lane, number in enumerate(made.of):
        found.setdefault(number, []).append(lane)
    return sorted(found.values())


def test_a_whole_group_meets_after_a_selection() -> None:
    base = classes(8)
    frame = Frame(0, SEL, -1, 1, 0)
    base.pushed(frame, list(range(8)))
    base.part([0, 1], None)
    base.part([2, 3, 4, 5, 6, 7], None)
    assert groups(base) == [[0, 1], [2, 3, 4, 5, 6, 7]]
    base.joined(frame, list(range(8)))
    assert groups(base) == [list(range(8))]


def test_no_lane_meets_if_one_is_missing() -> None:
    base = classes(8)
    frame = Frame(0, LOOP, -1, 1, 0)
    base.pushed(frame, list(range(8)))
    base.part([0, 1], None)
    base.part([2, 3, 4, 5, 6, 7], None)
    base.joined(frame, [0, 1, 2, 3, 4, 5, 6])
    assert base.several([0, 2]) and not base.several([2, 3, 4])


def test_each_subgroup_has_a_promise_of_its_own() -> None:
    subgroups = classes(4)
    frame = Frame(0, SEL, -1, 1, 0)
    subgroups.part([4, 5, 6, 7], None)
    subgroups.pushed(frame, [4, 5, 6, 7])
    subgroups.part([4], None)
    subgroups.joined(frame, [4, 5, 6, 7])
    assert groups(subgroups) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    workgroup = classes(8)
    workgroup.part([4, 5, 6, 7], None)
    workgroup.pushed(frame, [4, 5, 6, 7])
    workgroup.part([4], None)
    workgroup.joined(frame, [4, 5, 6, 7])
    assert workgroup.several([4, 5])


def test_an_iteration_has_no_promise_but_the_modes() -> None:
    for group, meet in ((8, False), (4, False), (0, True)):
        made = classes(group)
        frame = Frame(0, ITER, -1, 1, 0)
        made.pushed(frame, list(range(8)))
        made.part([0, 1], None)
        made.joined(frame, list(range(8)))
        assert made.several([0, 2]) != meet


def test_the_mode_joins_only_lanes_of_one_class() -> None:
    made = classes(0)
    made.part([0, 1, 2, 3], [7, 7, 8, 8])  # a switch, by value
    frame = Frame(0, SEL, -1, 1, 0)
    made.pushed(frame, [0, 1, 2, 3])
    made.part([0, 2], None)
    made.joined(frame, [0, 1, 2, 3])
    assert not made.several([0, 1]) and not made.several([2, 3]) and made.several([0, 2])


def test_a_label_that_is_reached_by_fallthrough_joins_none() -> None:
    made = classes(0)
    frame = Frame(0, CASE, -1, 1, 0)
    made.pushed(frame, list(range(8)))
    made.part([0, 1], None)
    made.joined(frame, list(range(8)))
    assert made.several([0, 2])


def test_parts() -> None:
    assert parts([0, 1, 4, 9], 4) == [[0, 1], [4], [9]]


def test_noting_who_is_there_changes_no_result() -> None:
    for seed in range(12):
        plain = prepare(module_of(generate(seed)), subgroup_size=4)
        noted = prepare(module_of(generate(seed)), subgroup_size=4)
        guarantees = Guarantees(noted)
        for policy in (Policy(), Policy("value", "always", "fifo")):
            one = plain.run(policy)
            guarantees.run(policy)
            assert one.buffers["out"].words == noted.run(policy, trace=True).buffers["out"].words
        assert guarantees.seen
