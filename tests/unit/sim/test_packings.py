"""Which invocations share a subgroup, as a choice of `outcomes`.

What is expected comes from `placements`, a model of Vulkan's sentences that knows no packing: each invocation has a
SubgroupId and a SubgroupLocalInvocationId below SubgroupSize, no two have the same pair ("There is no direct
relationship between SubgroupLocalInvocationId and LocalInvocationId or LocalInvocationIndex"), and SubgroupIds are
[0, NumSubgroups-1], each with an invocation. With full subgroups "there is an active invocation with
SubgroupLocalInvocationId for each value in range [0,SubgroupSize-1]". Results are those of "Group Operations".
"""

import random
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from kit.fragments import pixels, shader
from kit.programs.compute import Compute

import reknit
from reknit import Drawing, Module, Quad
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import enums, op
from reknit.ir.types import vector_type
from reknit.sim.outcomes import Outcomes, Search, outcomes
from reknit.sim.packing import ABSENT, IDS, MEMBERS, ORDER, Packing, Space, packings_of, parse_packing
from reknit.sim.packing_shown import space_of
from reknit.sim.policy import Policy
from reknit.sim.run import Program, prepare, run
from reknit.source.diagnostic import InputError
from reknit.view.outcomes import show_outcomes

Place = tuple[int, int]
"""SubgroupId and SubgroupLocalInvocationId."""

Model = Callable[[list[Place], int], int]
"""What the invocation of a number leaves."""


def placements(count: int, size: int, full: bool = False) -> Iterator[list[Place]]:
    """All that the sentences above allow."""
    places = list(product(range(count), range(size)))
    for placed in product(places, repeat=count):
        if len(set(placed)) < count:
            continue
        subgroups = {subgroup for subgroup, _ in placed}
        if subgroups != set(range(len(subgroups))):
            continue
        if full and len(placed) != size * len(subgroups):
            continue
        yield list(placed)


def groupings(count: int, size: int, full: bool = False) -> Iterator[list[Place]]:
    """As `placements`, of results that only depend on which invocations share a subgroup: ids in index order."""
    for subgroups in product(range(count // size if full else count), repeat=count):
        members = [subgroups.count(each) for each in range(count)]
        if max(members) > size or (full and any(each not in (0, size) for each in members)):
            continue
        yield [(own, subgroups[:at].count(own)) for at, own in enumerate(subgroups)]


def those(placed: list[Place], own: int) -> list[int]:
    """The invocations of a subgroup, in the order of their ids."""
    return sorted([at for at, place in enumerate(placed) if place[0] == placed[own][0]], key=lambda at: placed[at][1])


def total(placed: list[Place], own: int) -> int:
    return sum([at + 1 for at in those(placed, own)])


def below(placed: list[Place], own: int) -> int:
    """An exclusive scan: "all values in invocations with a lower index in the group"."""
    return sum([at + 1 for at in those(placed, own) if placed[at][1] < placed[own][1]])


def lowest(placed: list[Place], own: int) -> int:
    """ "Only the invocation with the lowest id in the group will return true.\""""
    return int(those(placed, own)[0] == own)


def mask(placed: list[Place], own: int) -> int:
    """The first word of a ballot."""
    return sum([1 << placed[at][1] for at in those(placed, own)]) & 0xFFFFFFFF


def numbers(placed: list[Place], own: int) -> int:
    return 100 * placed[own][0] + placed[own][1]


def program(which: str, count: int, local: tuple[int, int, int] | None = None, version: int = 0x00010600) -> Compute:
    p = Compute(count, local)
    p.module.version = version
    scope = p.const(enums.ScopeSubgroup)
    value = p.op2(op.IAdd, p.index, p.const(1))
    if which == "total":
        result = p.b.emit(op.GroupNonUniformIAdd, p.u32, [scope, enums.GroupOperationReduce, value])
    elif which == "below":
        result = p.b.emit(op.GroupNonUniformIAdd, p.u32, [scope, enums.GroupOperationExclusiveScan, value])
    elif which == "lowest":
        first = p.b.emit(op.GroupNonUniformElect, p.bool, [scope])
        result = p.b.emit(op.Select, p.u32, [first, p.const(1), p.const(0)])
    elif which == "mask":
        result = p.ballot()
    elif which == "numbers":
        subgroup = p.b.load(p.u32, p.builtin(enums.BuiltInSubgroupId, p.u32))
        own = p.b.load(p.u32, p.builtin(enums.BuiltInSubgroupLocalInvocationId, p.u32))
        result = p.op2(op.IAdd, p.op2(op.IMul, subgroup, p.const(100)), own)
    else:
        result = p.index
    p.out(result)
    p.b.return_()
    return p


MODELS: dict[str, Model] = {"total": total, "below": below, "lowest": lowest, "mask": mask, "numbers": numbers}


def expected(which: str, ways: Iterator[list[Place]], count: int) -> set[tuple[int, ...]]:
    return {tuple([MODELS[which](placed, own) for own in range(count)]) for placed in ways}


def found(p: Compute, size: int, limit: int = 512, full: bool = False, groups: int = 1) -> Outcomes:
    every = outcomes(
        p.module,
        subgroup_size=size,
        groups=(groups, 1, 1),
        limit=limit,
        packing="any",
        full_subgroups=full,
        buffers={"out": [0] * (p.lanes * groups)},
    )
    for outcome in every.outcomes[:: max(len(every.outcomes) // 8, 1)]:
        again = run(p.module, subgroup_size=size, groups=(groups, 1, 1), policy=outcome.policy,
                    buffers={"out": [0] * (p.lanes * groups)})  # fmt: skip
        assert again.buffers["out"].words == outcome.words("out")
    return every


def words(every: Outcomes) -> set[tuple[int, ...]]:
    return {tuple(outcome.words("out")) for outcome in every.outcomes}


@pytest.mark.parametrize("which", ["total", "below", "lowest", "mask", "numbers"])
@pytest.mark.parametrize("count, size", [(2, 4), (3, 4), (2, 8)])
def test_all_placements_are_gone_through(which: str, count: int, size: int) -> None:
    every = found(program(which, count), size, limit=2048)
    assert words(every) == expected(which, placements(count, size), count)
    assert every.exhaustive and every.given == [f"subgroup size {size}"]


@pytest.mark.parametrize("size", [32, 64])
def test_larger_subgroups_that_are_not_full(size: int) -> None:
    """The ids of two invocations are any two, so the model of a size of 4 gives all that a sum and a scan may be."""
    for which in ("total", "below", "lowest"):
        every = found(program(which, 3), size)
        assert words(every) == expected(which, placements(3, 4), 3) and every.exhaustive
    every = found(program("total", 6), size)
    assert words(every) == expected("total", groupings(6, size), 6) and every.exhaustive


@pytest.mark.full
def test_each_pair_of_ids_of_32() -> None:
    every = found(program("mask", 2), 32, limit=4096)
    assert words(every) == expected("mask", placements(2, 32), 2) and every.exhaustive
    assert len(every.outcomes) == 32 * 32 + 32 * 31 // 2  # two masks of one bit; one mask of two bits


@pytest.mark.parametrize("count, size, full, packings", [(6, 4, False, 196), (8, 4, True, 35), (6, 8, False, 203)])
def test_members_are_enough_for_a_sum(count: int, size: int, full: bool, packings: int) -> None:
    """196: Bell's number 203 less the partitions with a part of 5 or 6; 35: halves of 8, which are 70 / 2."""
    p = program("total", count, version=0x00010500)
    every = found(p, size, full=full)
    assert every.packings == (packings, packings) and every.exhaustive
    assert words(every) == expected("total", groupings(count, size, full), count)


def test_full_subgroups_by_the_version() -> None:
    """ "The shader was created from SPIR-V with version number of 1.6 or higher", and X is a multiple: not where the
    product of the sizes alone is one."""
    assert found(program("total", 8), 4).packings == (35, 35)
    others = 4140 - (56 * 5 + 28 * 2 + 8 + 1)  # Bell's number, less those with a part of 5, 6, 7 or 8
    assert found(program("total", 8, (2, 4, 1)), 4, limit=8).packings == (8, others)
    assert found(program("total", 8, version=0x00010500), 4, limit=8).packings == (8, others)


def test_full_subgroups_need_a_multiple() -> None:
    """VUID-VkPipelineShaderStageCreateInfo-pNext-02757."""
    with pytest.raises(InputError, match="full subgroups of 4, but the workgroup's X dimension is 6"):
        found(program("total", 6), 4, full=True)


@pytest.mark.parametrize(
    "which, count, size", [("total", 32, 32), ("total", 4, 4), ("lane", 64, 4), ("total", 6, 1), ("below", 1, 1)]
)
def test_one_packing_is_no_choice(which: str, count: int, size: int) -> None:
    """One full subgroup; no operation of a group; subgroups of one. Then "index order" is no condition either."""
    p = program(which, count)
    for every in (found(p, size), outcomes(p.module, subgroup_size=size, buffers={"out": [0] * count})):
        assert every.exhaustive and len(every.outcomes) == 1 and every.packings == (0, 0)
        assert "invocations in index order" not in every.given
        assert "packing" not in every.coverage


def test_many_packings_are_a_sample() -> None:
    """64 invocations in two subgroups of 32: as many as there are halves of 64, which is C(64, 32) / 2. Each result
    that is found is one that the model allows: two sums, of 32 each, that together are 1 + ... + 64."""
    p = program("total", 64)
    every = found(p, 32, limit=24)
    assert not every.exhaustive and every.packings == (24, 916312070471295267)
    assert [each.freedom for each in every.sampled] == ["subgroup-mapping"]
    headline = show_outcomes(p.module, every, 32).split("\n")[0]
    assert "there may be more, since not all was tried of: which invocations share a subgroup" in headline
    for each in words(every):
        sums = sorted(set(each))
        assert each.count(sums[0]) in (32, 64) and sum(sums) * (3 - len(sums)) == 65 * 32
    assert every.outcomes[0].policy.subgroups == "{0-31} {32-63}"


def test_index_order_is_the_question_unless_asked() -> None:
    p = program("total", 6)
    every = outcomes(p.module, subgroup_size=4, buffers={"out": [0] * 6})
    assert every.given == ["subgroup size 4", "invocations in index order"] and every.runs == 1
    assert words(every) == {(10, 10, 10, 10, 11, 11)}


def test_workgroups_are_packed_for_themselves() -> None:
    """Two workgroups of 2 at size 2: each in one subgroup or two, so 2 x 2."""
    p = Compute(2)
    p.module.version = 0x00010500
    vector = vector_type(p.module, p.u32, 3)
    own = p.b.emit(
        op.CompositeExtract, p.u32, [p.b.load(vector, p.builtin(enums.BuiltInGlobalInvocationId, vector)), 0]
    )
    scope = p.const(enums.ScopeSubgroup)
    p.out(p.b.emit(op.GroupNonUniformIAdd, p.u32, [scope, enums.GroupOperationReduce, p.const(1)]), own)
    p.b.return_()
    every = found(p, 2, groups=2)
    assert every.exhaustive and every.packings == (4, 4)
    assert words(every) == {(2, 2, 2, 2), (2, 2, 1, 1), (1, 1, 2, 2), (1, 1, 1, 1)}
    assert "{0} {1} | {0 1}" in {outcome.policy.subgroups for outcome in every.outcomes}


@pytest.mark.parametrize(
    "level, numbered", [(MEMBERS, False), (ORDER, False), (IDS, False), (MEMBERS, True), (IDS, True)]
)
@pytest.mark.parametrize("count, size, full", [(3, 2, False), (4, 2, True), (2, 4, False), (4, 4, True)])
def test_packings_are_counted(level: int, numbered: bool, count: int, size: int, full: bool) -> None:
    """The formula, the list and the model agree on what is told apart."""
    space = Space(list(range(count)), size, 1, level, numbered, full)
    packings, whole, total = packings_of(space, 1, 10_000)
    classes = set()
    for placed in placements(count, size, full):
        subgroups: list[tuple[int, ...]] = []
        for subgroup in range(1 + max([place[0] for place in placed])):
            inside = sorted([(place[1], at) for at, place in enumerate(placed) if place[0] == subgroup])
            if level == IDS:
                subgroups.append(tuple([each for pair in inside for each in pair]))
            else:
                members = [at for _, at in inside]
                subgroups.append(tuple(members if level == ORDER else sorted(members)))
        classes.add(tuple(subgroups if numbered else sorted(subgroups)))
    assert whole and total == len(packings) == len({str(each) for each in packings}) == len(classes)


@pytest.mark.parametrize("text", ["{0-2} {3 4 5}", "{0 _ 1} {5-2}", "{0 1} {2 3} | {0 2} {1 3}", "{7-3 0-2}"])
def test_what_is_printed_is_read(text: str) -> None:
    packing = parse_packing(text)
    assert parse_packing(str(packing)).groups == packing.groups
    assert packing.groups[0][0][:1] == [int(text[1])]


@pytest.mark.parametrize(
    "text, why",
    [
        ("0 1 2 3 4 5", r"each subgroup is written in braces, such as \{0 1 2\} \{3-5\}"),
        ("{0 1 2}", "each of the invocations 0 to 5 must be in it once"),
        ("{0 1 2 3 4} {5}", "at most 4"),
        ("{0 1 2} {2 3 4 5}", "each of the invocations 0 to 5 must be in it once"),
        ("{} {0-5}", "at least one"),
        ("{0 x}", "'x' is no invocation"),
        ("{0-3} {4 5} | {0-3} {4 5}", "it is of 2 workgroups"),
    ],
)
def test_what_is_no_packing_is_refused(text: str, why: str) -> None:
    p = program("total", 6)
    with pytest.raises(InputError, match=why):
        run(p.module, subgroup_size=4, policy=Policy(subgroups=text), buffers={"out": [0] * 6})


def test_full_subgroups_are_asked_of_a_run() -> None:
    with pytest.raises(InputError, match="subgroups are full here"):
        run(program("total", 8).module, subgroup_size=4, policy=Policy(subgroups="{0-2} {3-6} {7}"))


# --- quads ------------------------------------------------------------------------------------------------------------


def quads_of(count: int) -> Drawing:
    return Drawing(
        [2 * count, 2], quads=[Quad([2 * at, 0], [1, 1, 1, 1], {"0": [[at, at]] * 4}) for at in range(count)]
    )


SIZE_OF_SUBGROUP = """\
%found = OpGroupNonUniformIAdd %u32 %u3 Reduce %u1
%f = OpConvertUToF %f32 %found
%all = OpCompositeConstruct %v4f %f %f %f %f
OpStore %color %all"""
SIZE_AND_INPUT = """\
%found = OpGroupNonUniformIAdd %u32 %u3 Reduce %u1
%f = OpConvertUToF %f32 %found
%at = OpLoad %v2f %uv
%x = OpCompositeExtract %f32 %at 0
%all = OpCompositeConstruct %v4f %f %x %x %f
OpStore %color %all"""
DIFFERENCE = """\
%at = OpLoad %v2f %uv
%x = OpCompositeExtract %f32 %at 0
%f = OpDPdxFine %f32 %x
%all = OpCompositeConstruct %v4f %f %f %f %f
OpStore %color %all"""


def fragment(body: str) -> Module:
    return shader(
        body,
        modes=("MaximallyReconvergesKHR", "RequireFullQuadsKHR"),
        extensions=["SPV_KHR_maximal_reconvergence", "SPV_KHR_quad_control"],
        capabilities=["DerivativeControl", "QuadControlKHR"],
    )


@pytest.mark.parametrize("size, parts", [(4, {(1, 1, 1)}), (8, {(1, 1, 1), (2, 2, 1), (2, 1, 2), (1, 2, 2)})])
def test_quads_are_packed_whole(size: int, parts: set[tuple[int, ...]]) -> None:
    """ "Each invocation in a quad scope instance must: be in the same subgroup": of three quads any two may share a
    subgroup of 8, so that an invocation counts 4 or 8."""
    every = reknit.outcomes(fragment(SIZE_OF_SUBGROUP), subgroup_size=size, drawing=quads_of(3), packing="any")
    counted = set()
    for outcome in every.outcomes:
        row = pixels(outcome.result)[0]
        assert row == pixels(outcome.result)[1]
        counted.add(tuple([int(row[2 * at] or 0) // 4 for at in range(3)]))
        again = reknit.run(fragment(SIZE_OF_SUBGROUP), subgroup_size=size, drawing=quads_of(3), policy=outcome.policy)
        assert pixels(again) == pixels(outcome.result)
    assert counted == parts and every.exhaustive
    draws = [] if size == 4 else ["no invocations of other draws in its subgroups"]
    assert every.given == [f"subgroup size {size}", *draws]


def test_derivatives_go_by_quads_alone() -> None:
    every = reknit.outcomes(fragment(DIFFERENCE), subgroup_size=8, drawing=quads_of(3), packing="any")
    assert every.packings == (0, 0) and len(every.outcomes) == 1


@pytest.mark.parametrize("text, why", [("{0 1} {2-11}", "stays whole"), ("{1 0 2 3} {4-11}", "stays whole")])
def test_quads_stay_whole(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        reknit.run(fragment(SIZE_OF_SUBGROUP), subgroup_size=16, drawing=quads_of(3), policy=Policy(subgroups=text))


# --- random programs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_packings_that_show_alike_give_the_same(seed: int) -> None:
    """Of a random program: another order of subgroups, ids that none has, and another order of invocations, as far as
    `packing_shown` takes them not to show."""
    coin = random.Random(seed)
    drawn = generate(seed, 3 + seed % 5)
    drawn.declare_by_seed()
    drawn.lanes, drawn.subgroup_size = coin.choice([5, 6, 7]), 4
    module = module_of(drawn)
    module.version = 0x00010500
    space = space_of(prepare(module, subgroup_size=4), False)
    one = space.drawn(coin)
    other = [list(block) for block in one]
    if space.level < IDS:
        other = [[unit for unit in block if unit != ABSENT] for block in other]
        for block in other:
            if space.level < ORDER:
                coin.shuffle(block)
            while len(block) < 4 and coin.random() < 0.5:
                block.insert(coin.randrange(len(block)), ABSENT)
    if not space.numbered:
        coin.shuffle(other)
    texts = [str(Packing([[space.spelled(block) for block in blocks]])) for blocks in (one, other)]
    found_by = []
    for text in texts:
        search = Search((1, 1, 1), {}, None, 20_000, 48)
        search.packings, search.allowed = [text], 1
        search.each_packing(
            lambda subgroups, kill, assume: prepare(
                module, subgroup_size=4, kill=kill, assume=assume, races=True, subgroups=subgroups
            ),
            ["terminate"],
        )
        found_by.append((search.is_whole(), {str(each.result.summary()) for each in search.outcomes.values()}))
    assert not all(whole for whole, _ in found_by) or found_by[0][1] == found_by[1][1], texts


@pytest.mark.parametrize(("which", "level"), [("mask", IDS), ("numbers", IDS), ("total", MEMBERS)])
def test_a_program_that_is_packed_again_is_as_one_prepared_anew(which: str, level: int) -> None:
    """What a run leaves doesn't depend on how the program had been packed before."""
    module = program(which, 6).module
    ways = [Packing([each]) for each in Space(list(range(6)), 4, 1, level, True, False).some(24)]
    packed: dict[int, Program] = {}
    for way in ways:
        anew = prepare(module, subgroup_size=4, races=True, subgroups=str(way))
        again = packed.setdefault(way.lanes(4), anew)
        if again is not anew:
            again.pack_again(way)
        results = [each.run(Policy(), (1, 1, 1), {}) for each in (anew, again)]
        assert results[0].buffers["out"].words == results[1].buffers["out"].words
    assert len(packed) < len(ways)


def test_a_drawing_that_is_packed_again_is_as_one_prepared_anew() -> None:
    """Inputs, quads and outputs go with the invocations."""
    module, drawing = fragment(SIZE_AND_INPUT), quads_of(3)
    ways = ["{0-3 4-7} {8-11}", "{4-7 0-3} {8-11}", "{8-11 4-7} {0-3}"]
    again = prepare(module, subgroup_size=8, drawing=drawing, subgroups=ways[0])
    for way in ways:
        anew = prepare(module, subgroup_size=8, drawing=drawing, subgroups=way)
        again.pack_again(parse_packing(way))
        left = [each.run(Policy(), (1, 1, 1), {}).framebuffer for each in (anew, again)]
        assert left[0] is not None and left[1] is not None and left[0].contents() == left[1].contents()
    with pytest.raises(InputError, match="a quad is four adjacent ids"):
        again.pack_again(parse_packing("{0-2 4-8} {3 9-11}"))
