"""Random small control-flow graphs as SPIR-V modules: structured ones, and structured ones with something changed.

    graph(seed)  ──▶  {block: (merge, terminator)} in an order  ──▶  words(graph, ...)  ──▶  a binary
    tiny(seed)        two to four blocks, each with any merge instruction and any terminator
    B: (("sel", M), ("brc", C, M))      ("loop", M, C)     ("br", T)  ("switch", D, [(literal, T), ...])  ("ret",)

About a third of what comes out is valid, the rest mostly nearly so. Blocks are numbers; the first of `order` is the
entry.
"""

import random
from array import array

from reknit.ir import enums, op

Merge = tuple[object, ...] | None
Terminator = tuple[object, ...]
MAIN, VOID, BOOL, INT, FN, YES, ONE = range(1, 8)
FIRST_LABEL = 8


class Graph:
    """Blocks by number with their merge instruction and terminator, and the order in which they stand."""

    def __init__(self) -> None:
        self.blocks: dict[int, tuple[Merge, Terminator]] = {}
        self.order: list[int] = []
        self.count = 0
        self.maximal = False
        self.version = 0x00010300

    def new(self) -> int:
        """A number for a block, which stands after those that have one."""
        self.count += 1
        self.order.append(self.count - 1)
        return self.count - 1


def graph(seed: int, blocks: int = 14) -> Graph:
    """The graph of this seed."""
    rng = random.Random(seed)
    made = Graph()
    made.maximal = rng.random() < 0.4
    made.version = rng.choice([0x00010300, 0x00010300, 0x00010600])
    entry, end = made.new(), made.new()
    made.blocks[end] = (None, ("ret",))
    first = _region(made, rng, end, [], rng.randint(3, blocks))
    made.blocks[entry] = (None, ("br", first))
    made.order.remove(end)
    made.order.append(end)
    _reorder(made)
    for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 4])):
        rng.choice(CHANGES)(made, rng)
        if rng.random() < 0.6:
            _reorder(made)
    return made


def tiny(seed: int) -> Graph:
    """Two to four blocks in which anything may be: what larger graphs rarely have at their first and last block."""
    rng = random.Random(seed)
    made = Graph()
    made.maximal = rng.random() < 0.4
    made.version = rng.choice([0x00010300, 0x00010600])
    for _ in range(rng.randint(2, 4)):
        made.new()

    def goal() -> int:
        return rng.randrange(1 if rng.random() < 0.9 else 0, made.count)

    for block in made.order:
        kind = rng.choice(["ret", "ret", "unreachable", "br", "br", "brc", "brc", "switch"])
        count = {"ret": 0, "unreachable": 0, "br": 1, "brc": 2, "switch": rng.randint(1, 3)}[kind]
        ways = [goal() for _ in range(count)]
        terminator: Terminator = (kind, *ways)
        if kind == "switch":
            terminator = ("switch", ways[0], list(enumerate(ways[1:])))
        merge: Merge = None
        if kind in ("brc", "switch") and rng.random() < 0.8:
            merge = ("sel", goal())
        elif kind in ("br", "brc") and rng.random() < 0.4:
            merge = ("loop", goal(), goal())
        made.blocks[block] = (merge, terminator)
    _reorder(made)
    return made


def bent(seed: int) -> Graph:
    """A structured graph in which one or two branches lead to another merge block, continue target, case or header, or
    the cases of a switch are listed otherwise: what breaks the rules that rely on all the others."""
    rng = random.Random(seed)
    made = Graph()
    made.maximal = rng.random() < 0.2
    end = made.new()
    made.blocks[end] = (None, ("ret",))
    first = _region(made, rng, end, [], 8)
    while len(made.blocks) < 6:
        first = _region(made, rng, first, [], 24)
    entry = made.new()
    made.blocks[entry] = (None, ("br", first))
    made.order = [entry, *[block for block in made.order if block not in (entry, end)], end]
    _reorder(made)
    for _ in range(rng.choice([1, 1, 2])):
        rng.choice([bend, bend, bend, add_case, swap_cases])(made, rng)
    _reorder(made)
    return made


def cases(seed: int) -> Graph:
    """A switch, maybe in a loop, whose cases lead to each other, to its merge block or out of the loop."""
    rng = random.Random(seed)
    made = Graph()
    entry = made.new()
    header = made.new()
    labels = [made.new() for _ in range(rng.randint(2, 5))]
    merge, follow, after = made.new(), made.new(), made.new()
    in_loop = rng.random() < 0.5
    out = [merge, follow, after] if in_loop else [merge]

    def goal(own: int) -> int:
        others = later if rng.random() < 0.9 else labels
        return rng.choice([*others, own, own, *out]) if rng.random() < 0.6 else merge

    for place, label in enumerate(labels):
        later = labels[place + 1 :]
        if rng.random() < 0.6:
            made.blocks[label] = (None, ("br", goal(merge)))
        else:
            join, arm = made.new(), made.new()
            made.blocks[label] = (("sel", join), ("brc", *rng.sample([arm, join], 2)))
            made.blocks[arm] = (None, ("br", goal(join)))
            made.blocks[join] = (None, ("br", goal(merge)))
    default = rng.choice([merge, *labels])
    listed = [label for label in labels if label != default or rng.random() < 0.3]
    if rng.random() < 0.4:
        rng.shuffle(listed)
    made.blocks[header] = (("sel", merge), ("switch", default, list(enumerate(listed))))
    made.blocks[merge] = (None, ("br", follow if in_loop else after))
    made.blocks[after] = (None, ("ret",))
    made.blocks[entry] = (None, ("br", header))
    if in_loop:
        loop = made.new()
        made.blocks[entry] = (None, ("br", loop))
        made.blocks[loop] = (("loop", after, follow), ("br", header))
        made.blocks[follow] = (None, ("brc", loop, after))
    _reorder(made)
    return made


def bend(made: Graph, rng: random.Random) -> None:
    """A branch leads elsewhere, or there too."""
    labels: set[int] = set()
    for merge, terminator in made.blocks.values():
        labels.update(int(str(part)) for part in (merge or ("",))[1:])
        labels.update(ways_of(terminator) if terminator[0] == "switch" else [])
    selections = [block for block, (merge, _) in made.blocks.items() if merge is not None and merge[0] == "sel"]
    plain = [block for block in sorted(made.blocks) if block not in selections and ways_of(made.blocks[block][1])]
    if labels and plain:
        block = rng.choice([one for one in plain if one != made.order[0]] or plain)
        merge, terminator = made.blocks[block]
        later = made.order[made.order.index(block) + 1 :]
        goal = rng.choice([label for label in later if label in labels] or later or sorted(labels))
        if rng.random() < 0.5 and terminator[0] == "br" and merge is None:
            made.blocks[block] = (None, ("brc", *rng.sample([goal, ways_of(terminator)[0]], 2)))
        else:
            ways = ways_of(terminator)
            ways[rng.randrange(len(ways))] = goal
            made.blocks[block] = (merge, _with_ways(terminator, ways))


def _region(made: Graph, rng: random.Random, out: int, around: list[tuple[str, int, int]], budget: int) -> int:
    """Blocks that go on to `out`; gives the first. `around` are the constructs: kind, merge block, continue target."""
    kind = rng.choice(["plain", "if", "ifelse", "loop", "while", "dowhile", "switch", "exit", "two"])
    if budget <= 2 or len(around) > 3:
        kind = rng.choice(["plain", "plain", "exit", "condexit"])
    block = made.new()
    if kind == "plain":
        made.blocks[block] = (None, ("br", out))
    elif kind == "two":
        second = _region(made, rng, out, around, budget // 2)
        made.order.remove(block)
        made.blocks.pop(block, None)
        return _region(made, rng, second, around, budget // 2) if second >= 0 else second
    elif kind in ("exit", "condexit"):
        ways = _exits(around) or [out]
        way = rng.choice([*ways, -1]) if rng.random() < 0.9 else -1
        if kind == "exit" and way >= 0:
            made.blocks[block] = (None, ("br", way))
        elif way >= 0:
            made.blocks[block] = (None, ("brc", way, out) if rng.random() < 0.5 else ("brc", out, way))
        else:
            made.blocks[block] = (None, (rng.choice(["ret", "unreachable"]),))
    elif kind in ("if", "ifelse"):
        merge = made.new()
        inner = [*around, ("sel", merge, -1)]
        made.blocks[merge] = (None, ("br", out))
        one = _region(made, rng, merge, inner, budget // 2)
        other = _region(made, rng, merge, inner, budget // 2) if kind == "ifelse" else merge
        ways = [one, other]
        rng.shuffle(ways)
        made.blocks[block] = (("sel", merge), ("brc", *ways))
    elif kind == "switch":
        merge = made.new()
        inner = [*around, ("switch", merge, -1)]
        made.blocks[merge] = (None, ("br", out))
        cases: list[int] = []
        follow = merge
        for _ in range(rng.randint(1, 3)):
            cases.insert(0, _region(made, rng, follow, inner, budget // 3))
            follow = rng.choice([merge, merge, cases[0]])
        default = rng.choice([merge, cases[0], cases[-1], rng.choice(cases)])
        pairs = [(literal, case) for literal, case in enumerate(cases)]
        if rng.random() < 0.3:
            at = rng.randrange(len(pairs))
            pairs.insert(at, (9, pairs[at][1]))
        made.blocks[block] = (("sel", merge), ("switch", default, pairs))
    else:
        merge, follow = made.new(), made.new()
        made.blocks[merge] = (None, ("br", out))
        inner = [*around, ("loop", merge, follow)]
        if kind == "loop":
            body = _region(made, rng, follow, inner, budget // 2)
            made.blocks[block] = (("loop", merge, follow), ("br", body))
            made.blocks[follow] = (None, ("br", block))
        elif kind == "while":
            body = _region(made, rng, follow, inner, budget // 2)
            made.blocks[block] = (("loop", merge, follow), ("brc", body, merge))
            made.blocks[follow] = (None, ("br", block))
        elif rng.random() < 0.3:
            made.blocks[block] = (("loop", merge, block), ("brc", block, merge))
            made.order.remove(follow)
        else:
            body = _region(made, rng, follow, inner, budget // 2)
            made.blocks[block] = (("loop", merge, follow), ("br", body))
            if rng.random() < 0.4:
                latch = made.new()
                inside = _region(made, rng, latch, around, budget // 3)
                made.blocks[follow] = (None, ("br", inside))
                made.blocks[latch] = (None, ("brc", block, merge))
            else:
                made.blocks[follow] = (None, ("brc", block, merge))
    return block


def _exits(around: list[tuple[str, int, int]]) -> list[int]:
    """Where a block in these constructs may leave them to."""
    ways: list[int] = []
    seen_switch = False
    for place, (kind, merge, follow) in enumerate(reversed(around)):
        if kind == "loop":
            return [*ways, merge, follow]
        if place == 0 or (kind == "switch" and not seen_switch):
            ways.append(merge)
        seen_switch = seen_switch or kind == "switch"
    return ways


def _reorder(made: Graph) -> None:
    """Blocks in reverse postorder over all edges, so that dominators come first; then what is not reached."""
    seen: set[int] = set()
    done: list[int] = []
    work: list[tuple[int, bool]] = [(made.order[0], False)]
    while work:
        block, left = work.pop()
        if left:
            done.append(block)
        elif block not in seen and block in made.blocks:
            seen.add(block)
            work.append((block, True))
            work.extend((target, False) for target in _targets(made, block))
    rest = [block for block in made.order if block not in seen and block in made.blocks]
    made.order = [*reversed(done), *rest]


def _targets(made: Graph, block: int) -> list[int]:
    merge, terminator = made.blocks[block]
    found = [int(str(part)) for part in (merge or ("",))[1:]]
    return [*ways_of(terminator), *reversed(found)]


def ways_of(terminator: Terminator) -> list[int]:
    if terminator[0] == "switch":
        assert isinstance(terminator[2], list)
        return [int(str(terminator[1])), *(target for _, target in terminator[2])]
    return [int(str(part)) for part in terminator[1:]]


def _with_ways(terminator: Terminator, ways: list[int]) -> Terminator:
    if terminator[0] == "switch":
        assert isinstance(terminator[2], list)
        literals = [literal for literal, _ in terminator[2]]
        return ("switch", ways[0], list(zip(literals, ways[1:], strict=False)))
    return (terminator[0], *ways)


def _any(made: Graph, rng: random.Random) -> int:
    return rng.choice(sorted(made.blocks))


def retarget(made: Graph, rng: random.Random) -> None:
    block = _any(made, rng)
    merge, terminator = made.blocks[block]
    ways = ways_of(terminator)
    if ways:
        ways[rng.randrange(len(ways))] = _any(made, rng)
        made.blocks[block] = (merge, _with_ways(terminator, ways))


def drop_merge(made: Graph, rng: random.Random) -> None:
    headers = [block for block in sorted(made.blocks) if made.blocks[block][0]]
    if headers:
        block = rng.choice(headers)
        made.blocks[block] = (None, made.blocks[block][1])


def change_merge(made: Graph, rng: random.Random) -> None:
    headers = [block for block in sorted(made.blocks) if made.blocks[block][0]]
    if headers:
        block = rng.choice(headers)
        merge, terminator = made.blocks[block]
        assert merge is not None
        parts = list(merge)
        parts[rng.randrange(1, len(parts))] = _any(made, rng)
        made.blocks[block] = (tuple(parts), terminator)


def add_merge(made: Graph, rng: random.Random) -> None:
    block = _any(made, rng)
    _, terminator = made.blocks[block]
    if terminator[0] in ("brc", "switch") and (terminator[0] == "switch" or rng.random() < 0.6):
        made.blocks[block] = (("sel", _any(made, rng)), terminator)
    elif terminator[0] in ("br", "brc"):
        made.blocks[block] = (("loop", _any(made, rng), _any(made, rng)), terminator)


def split_way(made: Graph, rng: random.Random) -> None:
    block = _any(made, rng)
    merge, terminator = made.blocks[block]
    if terminator[0] == "br":
        ways = [int(str(terminator[1])), _any(made, rng)]
        rng.shuffle(ways)
        made.blocks[block] = (merge, ("brc", *ways))
    elif terminator[0] in ("ret", "unreachable"):
        made.blocks[block] = (merge, ("br", _any(made, rng)))


def end_here(made: Graph, rng: random.Random) -> None:
    block = _any(made, rng)
    merge, terminator = made.blocks[block]
    if merge is None:
        made.blocks[block] = (None, (rng.choice(["ret", "unreachable"]),))


def insert(made: Graph, rng: random.Random) -> None:
    """A new block on an edge."""
    block = _any(made, rng)
    merge, terminator = made.blocks[block]
    ways = ways_of(terminator)
    if ways:
        place = rng.randrange(len(ways))
        between = made.new()
        made.blocks[between] = (None, ("br", ways[place]))
        ways[place] = between
        made.blocks[block] = (merge, _with_ways(terminator, ways))


def dead_block(made: Graph, rng: random.Random) -> None:
    block = made.new()
    made.blocks[block] = (
        None,
        rng.choice([("ret",), ("br", _any(made, rng)), ("brc", _any(made, rng), _any(made, rng))]),
    )


def add_case(made: Graph, rng: random.Random) -> None:
    switches = [block for block in sorted(made.blocks) if made.blocks[block][1][0] == "switch"]
    if switches:
        block = rng.choice(switches)
        merge, terminator = made.blocks[block]
        pairs = terminator[2]
        assert isinstance(pairs, list)
        known = [target for _, target in pairs]
        more = [*pairs]
        more.insert(rng.randint(0, len(more)), (20 + len(more), rng.choice([*known, _any(made, rng)])))
        made.blocks[block] = (merge, ("switch", terminator[1], more))


def swap_cases(made: Graph, rng: random.Random) -> None:
    switches = [block for block in sorted(made.blocks) if made.blocks[block][1][0] == "switch"]
    if switches:
        block = rng.choice(switches)
        merge, terminator = made.blocks[block]
        assert isinstance(terminator[2], list)
        pairs = [*terminator[2]]
        rng.shuffle(pairs)
        made.blocks[block] = (merge, ("switch", terminator[1], pairs))


def swap_order(made: Graph, rng: random.Random) -> None:
    if len(made.order) > 2:
        one, other = rng.sample(range(1, len(made.order)), 2)
        made.order[one], made.order[other] = made.order[other], made.order[one]


CHANGES = [
    retarget, retarget, retarget, drop_merge, change_merge, change_merge, add_merge, split_way, split_way, end_here,
    insert, insert, dead_block, add_case, swap_cases, swap_order,
]  # fmt: skip


def words(made: Graph, *others: Graph) -> bytes:
    """The graph as the main function of a compute shader, the others as functions behind it that nothing calls."""
    blocks = made.count + sum(1 + other.count for other in others)
    out = array("I", [0x07230203, made.version, 0, FIRST_LABEL + blocks, 0])

    def text(name: str) -> list[int]:
        raw = name.encode() + b"\0" * (4 - len(name) % 4)
        return [int.from_bytes(raw[at : at + 4], "little") for at in range(0, len(raw), 4)]

    _add(out, op.Capability, enums.CapabilityShader)
    if made.maximal:
        _add(out, op.Extension, *text("SPV_KHR_maximal_reconvergence"))
    _add(out, op.MemoryModel, enums.AddressingModelLogical, enums.MemoryModelGLSL450)
    _add(out, op.EntryPoint, enums.ExecutionModelGLCompute, MAIN, *text("main"))
    _add(out, op.ExecutionMode, MAIN, enums.ExecutionModeLocalSize, 1, 1, 1)
    if made.maximal:
        _add(out, op.ExecutionMode, MAIN, enums.ExecutionModeMaximallyReconvergesKHR)
    _add(out, op.TypeVoid, VOID)
    _add(out, op.TypeBool, BOOL)
    _add(out, op.TypeInt, INT, 32, 0)
    _add(out, op.TypeFunction, FN, VOID)
    _add(out, op.Undef, BOOL, YES)
    _add(out, op.Undef, INT, ONE)
    _add_function(out, made, MAIN, FIRST_LABEL)
    first = FIRST_LABEL + made.count
    for other in others:
        _add_function(out, other, first, first + 1)
        first += 1 + other.count
    return out.tobytes()


def _add_function(out: "array[int]", made: Graph, number: int, first: int) -> None:
    """The function `number`, whose block b has the id `first` + b."""
    _add(out, op.Function, VOID, number, 0, FN)
    for block in made.order:
        merge, terminator = made.blocks[block]
        _add(out, op.Label, first + block)
        if merge is not None:
            declared = [first + int(str(part)) for part in merge[1:]]
            _add(out, op.SelectionMerge if merge[0] == "sel" else op.LoopMerge, *declared, 0)
        ways = [first + way for way in ways_of(terminator)]
        if terminator[0] == "br":
            _add(out, op.Branch, *ways)
        elif terminator[0] == "brc":
            _add(out, op.BranchConditional, YES, *ways)
        elif terminator[0] == "switch":
            assert isinstance(terminator[2], list)
            pairs: list[int] = []
            for (literal, _), way in zip(terminator[2], ways[1:], strict=True):
                pairs += [literal, way]
            _add(out, op.Switch, ONE, ways[0], *pairs)
        else:
            _add(out, op.Return if terminator[0] == "ret" else op.Unreachable)
    _add(out, op.FunctionEnd)


def _add(out: "array[int]", code: int, *operands: int) -> None:
    out.append((len(operands) + 1) << 16 | code)
    out.extend(operands)
