"""The families of shapes that have broken structurizers (specification of the structurizer, section 6), one graph each:
every lane keeps its way, also where levels are made of all that would nest, and the output is valid.

The numbers in the names are those of the list. What is about values and phis is in `test_structurize`.
"""

import pytest
from kit.oracles import need
from kit.oracles.graph_runs import always_ends, check_ways

from reknit.front.cfg import parse_cfg

FAMILIES = {
    "1 crossing breaks between two merge scopes": """
        e -> a b
        a -> c m1
        b -> c m2
        c -> m1 m2
        m1 -> m2 out
        m2 -> out
        out ret""",
    "2 unrolled loop with distinct break blocks": """
        e -> i0
        i0 -> b0 i1
        i1 -> b1 i2
        i2 -> b2 i3
        i3 -> b0 end
        b0 -> k0 k1
        b1 -> k0 k1
        b2 -> k1 end
        k0 -> end
        k1 -> end
        end ret""",
    "3 early returns interleaved with merges": """
        e -> a r1
        a -> b m
        b -> r2 c
        c -> m d
        d -> r1 m
        m -> r2 f
        f ret
        r1 ret
        r2 ret""",
    "4 a loop's exit leads further than its break": """
        e -> outer
        outer -> inner out
        inner -> far body
        body -> near inner
        near -> latch
        latch -> outer
        far -> out
        out ret""",
    "5 a break to a block that the merge reaches too": """
        e -> head m
        head -> a b
        a -> x m
        b -> head x
        m -> x
        x ret""",
    "6 endless loops left by a return, one in the other and in an if": """
        e -> skip outer
        outer -> inner
        inner -> r work
        work -> inner outer
        r ret
        skip ret""",
    "6 a loop that nothing leaves": """
        e -> a out
        a -> b
        b -> a
        out ret""",
    "7 a loop left from inside inner loops only": """
        e -> outer
        outer -> in1
        in1 -> x1 in1b
        in1b -> in1 in2
        in2 -> x2 in2b
        in2b -> in2 outer
        x1 -> end
        x2 -> end
        end ret""",
    "8 continue of an outer loop from an inner one": """
        e -> outer
        outer -> inner out
        inner -> latch work
        work -> inner latch
        latch -> outer
        out ret""",
    "9 a header that is a switch, and one that is a selection": """
        e -> h
        h -> out a b s
        a -> h
        b -> h out
        s -> t h
        t -> h
        out ret""",
    "10 switches that fall through to each other, share labels and leave early": """
        e -> d a b c
        a -> c
        b -> c d
        c -> m s2
        d -> m
        s2 -> m d2 a2 m
        a2 -> d2
        d2 -> m r
        m -> end
        r ret
        end ret""",
    "10 a switch of which every case leaves": """
        e -> l
        l -> a b c
        a -> l
        b ret
        c -> x
        x ret""",
    "11 a selection straight to the latch": """
        e -> h
        h -> a out
        a -> b latch
        b -> c latch
        c -> latch out
        latch -> h
        out ret""",
    "12 a merge in the part behind the continue": """
        e -> h
        h -> body out
        body -> k1
        k1 -> k2 k3
        k2 -> k4
        k3 -> k4
        k4 -> h out
        out ret""",
    "13 a breaking block that several breaks share": """
        e -> h
        h -> a b
        a -> shared c
        b -> shared c
        c -> h d
        d -> shared out
        shared -> out
        out ret""",
    "14 one return for several": """
        e -> a b
        a -> r c
        b -> r c
        c -> r d
        d -> r
        r ret""",
    "15 three that reach each other's frontiers": """
        e -> a b
        a -> c x
        b -> d x
        x -> c d
        c -> d y
        d -> y
        y ret""",
    "15 an anchor of three, entered everywhere": """
        e -> a b
        a -> c d
        b -> d f
        c -> d f
        d -> f c
        f -> c d out
        out ret""",
    "16 nested loops with one merge": """
        e -> outer
        outer -> inner m
        inner -> b m
        b -> inner l
        l -> outer m
        m ret""",
    "17 a loop that runs once, with a way back of another": """
        e -> outer
        outer -> once
        once -> a b
        a -> outer c
        b -> c outer
        c -> out outer
        out ret""",
    "20 many joins in a row": """
        e -> a0 b0
        a0 -> a1 b1
        b0 -> a1 b1
        a1 -> a2 b2
        b1 -> a2 b2
        a2 -> a3 b3
        b2 -> a3 b3
        a3 -> out
        b3 -> out
        out ret""",
    "two entrances": """
        e -> a b
        a -> b c
        b -> a d
        c -> d
        d ret""",
    "the entry is a header, and branches to itself": """
        e -> e a
        a -> e b
        b ret""",
    "both ways to one place, and blocks that nothing reaches": """
        e -> a a
        a -> b b b
        b ret
        dead -> a dead2
        dead2 -> dead""",
}


def targets_of(text: str) -> list[list[int]]:
    blocks = parse_cfg(text, "shape.cfg")
    number = {block.name: index for index, block in enumerate(blocks)}
    return [[number[name] for name in block.targets] for block in blocks]


@pytest.mark.parametrize("name", FAMILIES)
def test_lanes_keep_their_ways(name: str) -> None:
    need("slang-glslang")
    targets = targets_of(FAMILIES[name])
    for seed in range(3):
        check_ways(targets, seed, verify=seed == 0)
        check_ways(targets, seed, nesting=1)


def test_both_kinds_of_graphs_are_there() -> None:
    ends = [always_ends(targets_of(text)) for text in FAMILIES.values()]
    assert ends.count(False) == 1
