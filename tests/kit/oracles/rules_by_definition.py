"""The rules of control flow a second time, as their sentences say them: sets of blocks, no trees, no intervals.

    broken(graph)  ──▶  every finding as (rule, block, header, edges, rules broken with it)

Blocks are numbers in the order in which they stand. What SPIR-V 1.6, 2.11 leaves to a search (back edges, and which
branch of OpBranchConditional comes first) is searched over the structural edges in the order of the operands; the
stages, in which a function with a fault is left alone by what relies on it, are those of docs/validator.md.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from kit.random.flow_graphs import Graph, ways_of

Edge = tuple[int, int]
Found = tuple[str, int, int, tuple[Edge, ...], tuple[str, ...]]
NONE = -1


def found(rule: str, block: int, header: int = NONE, edges: Iterable[Edge] = (), also: tuple[str, ...] = ()) -> Found:
    return (rule, block, header, tuple(edges), also)


class Judged:
    """One function. `merge`, `follow` (the continue target), `ways` are by block; `paths` are the structural edges."""

    def __init__(self, made: Graph, nesting: int, pairs: int, version: int, maximal: bool) -> None:
        place = {block: index for index, block in enumerate(made.order)}
        self.made = made
        self.version = version
        self.maximal = maximal
        self.nesting = nesting
        self.most_pairs = pairs
        self.blocks = range(len(made.order))
        self.merge: dict[int, int] = {}
        self.follow: dict[int, int] = {}
        self.ways: list[list[int]] = []
        self.kind: list[str] = []
        for index, block in enumerate(made.order):
            merge, terminator = made.blocks[block]
            self.kind.append(str(terminator[0]))
            self.ways.append([place[way] for way in ways_of(terminator)])
            if merge is not None:
                self.merge[index] = place[int(str(merge[1]))]
                if merge[0] == "loop":
                    self.follow[index] = place[int(str(merge[2]))]
        self.paths = [
            [*([self.merge[at]] if at in self.merge else []), *([self.follow[at]] if at in self.follow else []), *ways]
            for at, ways in enumerate(self.ways)
        ]
        self.reached = reach(self.paths, [0])
        self.really = reach(self.ways, [0])
        self.below = [{at} | (self.reached - reach(self.paths, [0], at)) for at in self.blocks]
        self.really_below = [{at} | (self.really - reach(self.ways, [0], at)) for at in self.blocks]
        self.back = self._back_edges()
        self.latches = {at: dict.fromkeys(source for source, goal in self.back if goal == at) for at in self.blocks}

    # --- graph --------------------------------------------------------------------------------------------------------

    def _back_edges(self) -> list[Edge]:
        sources = {goal for row in self.paths for goal in row}
        seen: set[int] = set()
        back: list[Edge] = []
        for root in [*(at for at in self.blocks if at not in sources), *self.blocks]:
            search(self.paths, root, seen, back)
        return [(source, goal) for source, goal in dict.fromkeys(back) if goal in self.ways[source]]

    def ends(self) -> list[int]:
        """What all ways lead to: blocks without successors; of what has no way out, the last block."""
        found = [at for at in self.blocks if not self.paths[at]]
        for at in reversed(self.blocks):
            if not reach(self.paths, [at]) & set(found):
                found.append(at)
        return found

    def always_comes_by(self, block: int, late: int, ends: list[int]) -> bool:
        """Structural post dominance."""
        return block == late or not reach(self.paths, [block], late) & set(ends)

    # --- stages -------------------------------------------------------------------------------------------------------

    def stages(self) -> Iterator[tuple[list[Found], list[Found]]]:
        """For each stage what ends the function's judgement, and what does not."""
        yield list(self.labels()), [*self.pairs(), *self.same_ways()]
        yield [*self.merges_are_unique(), *self.order(), *self.depth()], list(self.many_pairs())
        yield list(self.loops()), []
        yield [*self.merge_dominance(), *self.continue_dominance()], []
        yield [*self.exits(), *self.entries(), *self.cases()], []
        yield list(self.selections()), list(self.meetings())

    def labels(self) -> Iterator[Found]:
        for at in self.blocks:
            if 0 in self.ways[at]:
                yield found("B01", at, edges=[(at, 0)])
            if at in self.follow and self.merge[at] == self.follow[at]:
                yield found("B09", at, at)
            if at in self.follow and self.merge[at] == at:
                yield found("B10", at, at)

    def pairs(self) -> Iterator[Found]:
        for at in self.blocks:
            goals = self.ways[at][1:] if self.kind[at] == "switch" else []
            apart = [goal for place, goal in enumerate(goals) if goal in goals[:place] and goals[place - 1] != goal]
            if apart:
                yield found("B26", at, at, [(at, apart[0])])
            terminator = self.made.blocks[self.made.order[at]][1]
            if self.kind[at] == "switch":
                assert isinstance(terminator[2], list)
                literals = [literal for literal, _ in terminator[2]]
                if len(set(literals)) < len(literals):
                    yield found("B30", at, at)

    def same_ways(self) -> Iterator[Found]:
        rule = "B29" if self.version >= 0x00010600 else "M03" if self.maximal else ""
        for at in self.blocks:
            if rule and self.kind[at] == "brc" and len(set(self.ways[at])) == 1:
                yield found(rule, at, edges=[(at, self.ways[at][0])])

    def many_pairs(self) -> Iterator[Found]:
        for at in self.blocks:
            if self.kind[at] == "switch" and len(self.ways[at]) - 1 > self.most_pairs:
                yield found("B35", at, at)

    def merges_are_unique(self) -> Iterator[Found]:
        header_of: dict[int, int] = {}
        for header, merge in self.merge.items():
            first = header_of.setdefault(merge, header)
            if first != header:
                yield found("B05", header, header, [(first, merge), (header, merge)])

    def order(self) -> Iterator[Found]:
        for at in self.blocks:
            above = closest(self.really_below, at)
            if above > at:
                yield found("B03", at, edges=[(above, at)])

    def depth(self) -> Iterator[Found]:
        """Once a function. SPIRV-Tools counts so: one more than the header's inside of a construct, as the header's at
        its merge block, one more than the loop header's at a continue target; by real dominance."""
        header_of = {merge: header for header, merge in self.merge.items()}
        loop_of = {follow: header for header, follow in self.follow.items()}
        depth: dict[int, int] = {}

        def measure(at: int) -> int:
            if at in depth:
                return depth[at]
            depth[at] = 0  # ends a circle
            above = closest(self.really_below, at)
            if above >= 0:
                if at in loop_of:
                    depth[at] = 1 + measure(above if loop_of[at] == at else loop_of[at])
                elif at in header_of:
                    depth[at] = measure(header_of[at])
                else:
                    depth[at] = measure(above) + (above in self.merge)
            return depth[at]

        for at in self.blocks:
            measure(at)
        deep = [at for at in self.blocks if depth[at] > self.nesting]
        if deep:
            yield found("B35", deep[0])

    def loops(self) -> Iterator[Found]:
        for source, goal in self.back:
            if goal not in self.follow:
                yield found("B07", source, edges=[(source, goal)])
        for header, follow in self.follow.items():
            latches = list(self.latches[header])
            if header not in self.reached:
                continue
            if not latches and follow not in self.really:
                yield found("B37", header, header, also=("B08",))
            elif not latches:
                yield found("B08", header, header)
            elif len(latches) > 1:
                last = [source for source, goal in self.back if goal == header and source != latches[0]][-1]
                yield found("B08", header, header, [(latches[0], header), (last, header)])

    def past(self, header: int, block: int) -> list[Edge]:
        """The first edge to a block from what the header does not dominate."""
        return [
            (source, block)
            for source in self.blocks
            if block in self.paths[source] and source in self.reached and source not in self.below[header]
        ][:1]

    def merge_dominance(self) -> Iterator[Found]:
        for header, merge in self.merge.items():
            if header not in self.reached:
                continue
            if merge == header and header not in self.follow:
                yield found("B06", header, header)
            elif merge not in self.below[header]:
                around = [
                    one
                    for one in self.merge
                    if one != header and header in self.construct(one) and merge not in self.construct(one)
                ]
                if around:
                    inner = min(around, key=lambda one: len(self.below[one]))
                    yield found("B18", header, inner, [(header, merge)], ("B06",))
                else:
                    yield found("B06", header, header, self.past(header, merge))

    def continue_dominance(self) -> Iterator[Found]:
        ends = self.ends()
        for header, follow in self.follow.items():
            if follow in self.reached and follow not in self.below[header]:
                past = self.past(header, follow)
                yield found("B11", header, header, past, ("B17",) if past else ())
        for latch, header in self.back:
            follow = self.follow[header]
            if header not in self.reached:
                continue
            if latch not in self.below[follow]:
                yield found("B12", latch, header, [(latch, header)])
            elif not self.always_comes_by(follow, latch, ends):
                away = [(follow, goal) for goal in self.paths[follow] if not self.always_comes_by(goal, latch, ends)]
                yield found("B13", follow, header, away)

    # --- constructs: loops and selections by their headers, continue constructs as ~ their continue targets -----------

    def construct(self, header: int) -> set[int]:
        """Selection: what its header dominates and its merge block does not; loop: nor its continue target."""
        inside = self.below[header] - self.below[self.merge[header]] if self.merge[header] != header else set()
        return inside - self.below[self.follow[header]] if header in self.follow else inside

    def constructs(self) -> dict[int, set[int]]:
        """Innermost first."""
        made = {header: self.construct(header) for header in self.merge if header in self.reached}
        for header, follow in self.follow.items():
            if header in self.reached and self.latches[header]:
                (latch,) = self.latches[header]
                own = self.below[follow]
                made[~follow] = own - self.below[self.merge[header]] if header == follow == latch else own
        return dict(sorted(made.items(), key=lambda item: (len(item[1]), item[0] < 0)))

    def loop_of(self, follow: int) -> int:
        return next(header for header, target in self.follow.items() if target == follow and header in self.reached)

    def is_switch(self, construct: int) -> bool:
        return construct >= 0 and self.kind[construct] == "switch"

    def allowed(self, construct: int) -> set[int]:
        """Where a construct may be left for (2.11, "structured exit")."""
        if construct < 0:
            header = self.loop_of(~construct)
            return {header, self.merge[header]}
        if construct in self.follow:
            return {self.merge[construct], self.follow[construct]}
        whole = {one: self.below[one] - self.below[self.merge[one]] for one in self.follow if one in self.reached}
        around = [one for one, inside in whole.items() if construct in inside]
        loop = min(around, key=lambda one: len(whole[one]), default=NONE)
        exits = {self.merge[construct]}
        if loop >= 0:
            exits |= {self.merge[loop], self.follow[loop]}
        switches = [
            one
            for one in self.merge
            if one != construct and self.is_switch(one) and one in self.reached and construct in self.construct(one)
        ]
        switches = [one for one in switches if loop < 0 or one in whole[loop]]
        if switches and not self.is_switch(construct):
            exits.add(self.merge[min(switches, key=lambda one: len(self.construct(one)))])
        return exits

    def rule_of(self, construct: int, source: int) -> str:
        if construct < 0:
            return "B16"
        if construct in self.follow:
            return "B15"
        return "B21" if self.is_switch(construct) and source != construct else "B14"

    def exits(self) -> Iterator[Found]:
        constructs = self.constructs()
        for source in sorted(self.reached):
            for goal in self.ways[source]:
                left = [
                    one
                    for one, inside in constructs.items()
                    if source in inside and goal not in inside and goal not in self.allowed(one)
                ]
                for one in left[:1]:
                    header = one if one >= 0 else self.loop_of(~one)
                    yield found(self.rule_of(one, source), source, header, [(source, goal)])
        for one, inside in constructs.items():
            if one < 0:
                header = self.loop_of(~one)
                (latch,) = self.latches[header]
                for goal in self.ways[latch]:
                    if goal in inside and goal not in (header, self.merge[header]):
                        yield found("B16", latch, header, [(latch, goal)])

    def entries(self) -> Iterator[Found]:
        constructs = self.constructs()
        for source in sorted(self.reached):
            for goal in self.ways[source]:
                entered = [
                    max(one, ~one)
                    for one, inside in constructs.items()
                    if goal in inside and source not in inside and goal != max(one, ~one)
                ]
                for one in entered[:1]:
                    yield found("B19", source, one, [(source, goal)])
        for header, follow in self.follow.items():
            if header == follow or header not in self.reached:
                continue
            for source in sorted(self.reached):
                inner = follow in self.follow and source in self.latches[follow]
                if source not in constructs[header] and not inner:
                    for _ in range(self.ways[source].count(follow)):
                        yield found("B17", source, header, [(source, follow)])

    def cases(self) -> Iterator[Found]:
        into: dict[int, int] = {}
        by: dict[int, int] = {}
        headers = [one for one in self.merge if self.is_switch(one) and one in self.reached]
        above = [closest(self.below, at) for at in self.blocks]
        case_of = {
            goal: header for header in headers for goal in self.ways[header]
            if goal != self.merge[header] and above[goal] == header
        }  # fmt: skip
        for header in headers:
            for goal in self.ways[header]:
                if goal != self.merge[header] and goal not in self.below[header]:
                    yield found("B20", header, header, [(header, goal)])
                    break
        for source in self.blocks:
            arms = [
                at for at in self.blocks
                if above[at] in headers and at != self.merge[above[at]] and source in self.below[at]
            ]  # fmt: skip
            start = min(arms, key=lambda at: len(self.below[at]), default=NONE)
            if start not in case_of or source not in reach(self.ways, [start]):
                continue
            header = case_of[start]
            for goal in self.ways[source]:
                if above[goal] != header or goal in (start, self.merge[header]):
                    continue
                if case_of.get(goal) != header:
                    yield found("B21", source, header, [(source, goal)])
                elif start not in into:
                    into[start], by[start] = goal, source
                elif into[start] != goal:
                    yield found("B22", source, header, [(by[start], into[start]), (source, goal)])
        first: dict[int, int] = {}
        for start in sorted(into):
            goal = into[start]
            if first.setdefault(goal, start) != start:
                yield found("B23", goal, case_of[goal], [(by[first[goal]], goal), (by[start], goal)])
        for header in headers:
            default, *goals = self.ways[header]
            for start, following in pairwise([*goals, NONE]):
                if start in (following, self.merge[header]) or start not in into:
                    continue
                through = into[start] == default and default not in goals
                goal = into[start] if not through else into.get(default, NONE)
                if goal not in (NONE, following):
                    yield found("B25" if through else "B24", header, header, [(by[start], into[start])])

    def selections(self) -> Iterator[Found]:
        seen: set[int] = set()
        known: set[int] = set()
        done: list[int] = []
        search(self.paths, 0, seen, [], done)
        for at in reversed(done):
            known |= {target[at] for target in (self.merge, self.follow) if at in target}
            fresh = [goal for goal in dict.fromkeys(self.ways[at]) if goal not in known]
            if self.kind[at] == "switch" and at not in self.merge:
                yield found("B27", at, at)
            if self.kind[at] == "brc" and len(fresh) > 1 and (at not in self.merge or at in self.follow):
                yield found("B28", at, at, [(at, goal) for goal in self.ways[at]])
            if self.kind[at] != "br":
                known.update(self.ways[at])

    def meetings(self) -> Iterator[Found]:
        if not self.maximal:
            return
        declared = {*self.merge.values(), *self.follow, *self.follow.values()}
        declared.update(goal for at in self.blocks if self.kind[at] == "switch" for goal in self.ways[at])
        for at in self.blocks:
            sources = [source for source in self.blocks if at in self.ways[source]]
            if len(sources) > 1 and at not in declared:
                live = [source for source in sources if source in self.really]
                yield found("M02" if len(live) != 1 else "M04", at, edges=[(source, at) for source in sources])


def closest(below: list[set[int]], block: int) -> int:
    """The immediate dominator, by what each block dominates; itself is no answer."""
    over = [at for at in range(len(below)) if at != block and block in below[at]]
    return min(over, key=lambda at: len(below[at]), default=NONE)


def reach(rows: list[list[int]], starts: list[int], without: int = NONE) -> set[int]:
    """What is reached from `starts`, them included, past no block `without`."""
    seen = {start for start in starts if start != without}
    work = list(seen)
    while work:
        for goal in rows[work.pop()]:
            if goal not in seen and goal != without:
                seen.add(goal)
                work.append(goal)
    return seen


def search(
    rows: list[list[int]], at: int, seen: set[int], back: list[Edge], done: list[int] | None = None,
    path: tuple[int, ...] = (),
) -> None:  # fmt: skip
    """Depth first; edges to what is on the way are back edges."""
    if at in seen:
        return
    seen.add(at)
    for goal in rows[at]:
        if goal in (*path, at):
            back.append((at, goal))
        search(rows, goal, seen, back, done, (*path, at))
    if done is not None:
        done.append(at)


def broken(functions: list[Graph], nesting: int, pairs: int) -> list[Found]:
    """What is wrong with the functions of a module; only the first is an entry point. Sorted."""
    out: list[Found] = []
    offset = 0
    for made in functions:
        under_the_mode = made is functions[0] and made.maximal
        for faults, notes in Judged(made, nesting, pairs, functions[0].version, under_the_mode).stages():
            out.extend(shifted(one, offset) for one in [*faults, *notes])
            if faults:
                break
        offset += len(made.order)
    return sorted(out)


def shifted(one: Found, by: int) -> Found:
    rule, block, header, edges, also = one
    moved = tuple((source + by, goal + by) for source, goal in edges)
    return (rule, block + by, header + by if header >= 0 else header, moved, also)
