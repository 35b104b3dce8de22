"""What is ordered before what: which accesses of other invocations have happened before those of this one.

    lane 3   shared[3] = x          barrier AcquireRelease WorkgroupMemory         y = shared[2]      ordered
    lane 3   buffer[3] = x          barrier AcquireRelease WorkgroupMemory         y = buffer[2]      a data race
    lane 3   shared[3] = x          barrier None                                   y = shared[2]      a data race
    lane 0   buffer[0] = x, flag = 1 (Release)     lane 5   flag == 1 (Acquire), y = buffer[0]        ordered

Execution alone orders no memory; a release that another invocation acquires does, for the storage classes that the
semantics of both name. Each invocation has, for each kind of memory, a clock, and what it knows of the others' clocks:
an access of lane i at time t is ordered before what lane j does once j knows a time of i that is t or later.

Under the Vulkan memory model a write has to be made available and visible too, by itself or by the semantics, and
accesses that are not NonPrivate are never ordered; under GLSL450 both are implied. Sources: SPIR-V 1.6, 2.18 "Memory
Model" and 3.2.26 "Memory Semantics"; Vulkan, "Memory Model": "Synchronizes-With", "Happens-Before", "Location-Ordered".
"""

from typing import Final, final

from reknit.ir import enums

BUFFERS: Final = 0
SHARED: Final = 1
IMAGES: Final = 2
KINDS: Final = 3

HAPPENS: Final = 0  # families of clocks: what happened before,
AVAILABLE: Final = 1  # what was released with MakeAvailable,
VISIBLE: Final = 2  # what was acquired with MakeVisible
FAMILIES: Final = 3

CLASSES: Final = (
    enums.MemorySemanticsUniformMemory | enums.MemorySemanticsCrossWorkgroupMemory,
    enums.MemorySemanticsWorkgroupMemory,
    enums.MemorySemanticsImageMemory,
)
"""By kind of memory: the bits of memory semantics that mean it."""

_BOTH: Final = enums.MemorySemanticsAcquireRelease | enums.MemorySemanticsSequentiallyConsistent
WIDE: Final = (enums.ScopeCrossDevice, enums.ScopeDevice, enums.ScopeQueueFamily)

Snapshot = dict[int, list[int]]
"""By clock (kind and family): a time for each lane."""


@final
class Release:
    """What lane `lane` had done and knew when it released; the scope within which others may acquire it."""

    __slots__ = ("lane", "scope", "clocks")

    def __init__(self, lane: int, scope: int, clocks: Snapshot) -> None:
        self.lane = lane
        self.scope = scope
        self.clocks = clocks


@final
class Semantics:
    """Memory semantics, taken apart once. `kinds` are the kinds of memory it is about."""

    __slots__ = ("kinds", "acquires", "releases", "available", "visible")

    def __init__(self, bits: int) -> None:
        self.kinds = [kind for kind in range(KINDS) if bits & CLASSES[kind]]
        self.acquires = bool(bits & (_BOTH | enums.MemorySemanticsAcquire))
        self.releases = bool(bits & (_BOTH | enums.MemorySemanticsRelease))
        self.available = bool(bits & enums.MemorySemanticsMakeAvailable)
        self.visible = bool(bits & enums.MemorySemanticsMakeVisible)

    def orders(self) -> bool:
        """Whether there is anything to do for a fence."""
        return bool(self.kinds) and (self.acquires or self.releases)


EVERYTHING: Final = Semantics(_BOTH | CLASSES[BUFFERS] | CLASSES[SHARED] | CLASSES[IMAGES])


@final
class Order:
    """The clocks of all invocations of a dispatch; `lanes` to a workgroup. A lane is numbered through all workgroups.

    `known[clock][lane]` is a list that lanes share until one of them learns more: what is in it is never changed."""

    __slots__ = ("vulkan", "subgroup", "lanes", "now", "known", "fences", "seen", "released")

    def __init__(self, vulkan: bool, subgroup: int) -> None:
        self.vulkan = vulkan
        self.subgroup = subgroup
        self.lanes = 1
        self.now: list[list[int]] = []
        self.known: list[list[list[int]]] = []
        self.fences: dict[int, list[Release]] = {}  # by lane: what its later atomics release
        self.seen: dict[int, dict[Release, None]] = {}  # by lane: what its atomics have read, for a fence to acquire
        # by place: what an invocation that reads it there may acquire
        self.released: dict[object, dict[Release, None]] = {}

    def reset(self, lanes: int, groups: int) -> None:
        count = lanes * groups
        self.lanes = lanes
        nothing = [0] * count
        self.now = [[1] * count for _ in range(KINDS)]
        self.known = [[nothing] * count for _ in range(KINDS * FAMILIES)]
        self.fences.clear()
        self.seen.clear()
        self.released.clear()

    def knows(self, kind: int, family: int, lane: int, other: int, time: int) -> bool:
        return self.known[kind + KINDS * family][lane][other] >= time

    # --- barriers -----------------------------------------------------------------------------------------------------

    def barrier(self, lanes: list[int], scope: int, semantics: Semantics) -> None:
        """Lanes of one workgroup, numbered through all, execute a control barrier together: each acquires what all
        released that are in its memory scope, here or by a fence before."""
        if scope == enums.ScopeInvocation:
            return
        parts = [lanes]
        if scope == enums.ScopeSubgroup:
            by_subgroup: dict[int, list[int]] = {}
            for lane in lanes:
                by_subgroup.setdefault(lane % self.lanes // self.subgroup, []).append(lane)
            parts = list(by_subgroup.values())
        if self.fences:
            for part in parts:
                self.pass_on(part, scope)
        if not semantics.acquires or not semantics.releases:
            return
        for kind in semantics.kinds:
            for part in parts:
                for family in self.families(semantics):
                    self.meet(self.known[kind + KINDS * family], self.now[kind], part)
                for lane in part:
                    self.now[kind][lane] += 1

    def pass_on(self, part: list[int], scope: int) -> None:
        """What fences released before a barrier reaches those whose fence after it acquires. Under GLSL450 one fence
        before the barrier is enough, as in `memoryBarrierBuffer(); barrier();`: OpMemoryBarrier makes what was before
        it observed before what is after it."""
        clocks: Snapshot = {}
        for lane in part:
            for fence in self.fences.get(lane, [])[-1:]:
                for clock, times in fence.clocks.items():
                    held = clocks.get(clock, times)
                    clocks[clock] = [max(time, other) for time, other in zip(held, times, strict=True)]
        gathered = Release(part[0], scope, clocks)
        for lane in part:
            self.seen.setdefault(lane, {})[gathered] = None
            if not self.vulkan:
                self.acquire(lane, scope, gathered, EVERYTHING)

    def meet(self, known: list[list[int]], now: list[int], part: list[int]) -> None:
        """All that any of them knew or did, all know."""
        joined = list(known[part[0]])
        gone = {id(known[part[0]]): None}
        for lane in part:
            mine = known[lane]
            if id(mine) not in gone:
                gone[id(mine)] = None
                joined = [max(time, other) for time, other in zip(joined, mine, strict=True)]
        for lane in part:
            joined[lane] = now[lane]
        for lane in part:
            known[lane] = joined

    def families(self, semantics: Semantics) -> list[int]:
        effects = [HAPPENS]
        if self.vulkan and semantics.available:
            effects.append(AVAILABLE)
        if self.vulkan and semantics.visible:
            effects.append(VISIBLE)
        return effects

    # --- fences and atomics -------------------------------------------------------------------------------------------

    def fence(self, lanes: list[int], scope: int, semantics: Semantics) -> None:
        """OpMemoryBarrier: what was read by atomics before is acquired, what atomics write after it is released."""
        for lane in lanes:
            if semantics.acquires:
                for release in self.seen.get(lane, {}):
                    self.acquire(lane, scope, release, semantics)
            if semantics.releases:
                self.fences.setdefault(lane, []).append(self.release(lane, scope, semantics))

    def atomic(self, key: object, lane: int, scope: int, semantics: Semantics, reads: bool, writes: bool) -> None:
        """An atomic of a lane on a place. One that only writes ends what was released there before."""
        if reads:
            for release in self.released.get(key, {}):
                self.seen.setdefault(lane, {})[release] = None
                if semantics.acquires:
                    self.acquire(lane, scope, release, semantics)
        if not writes:
            return
        if not reads:
            self.released.pop(key, None)
        releases = [
            Release(lane, narrower(fence.scope, scope), fence.clocks) for fence in self.fences.get(lane, [])[-1:]
        ]
        if semantics.releases and semantics.kinds:
            releases.append(self.release(lane, scope, semantics))
        if releases:
            self.released.setdefault(key, {}).update(dict.fromkeys(releases))

    def release(self, lane: int, scope: int, semantics: Semantics) -> Release:
        clocks: Snapshot = {}
        families = [HAPPENS]
        if self.vulkan:
            families.append(VISIBLE)  # the acquiring operation says whether it becomes visible
            if semantics.available:
                families.append(AVAILABLE)
        for kind in semantics.kinds:
            for family in families:
                clock = kind + KINDS * family
                taken = list(self.known[clock][lane])
                taken[lane] = self.now[kind][lane]
                clocks[clock] = taken
            self.now[kind][lane] += 1
        return Release(lane, scope, clocks)

    def acquire(self, lane: int, scope: int, release: Release, semantics: Semantics) -> None:
        if not self.within(release.scope, release.lane, lane) or not self.within(scope, lane, release.lane):
            return
        for clock, times in release.clocks.items():
            if clock % KINDS not in semantics.kinds:
                continue
            if clock // KINDS == VISIBLE and not semantics.visible:
                continue
            self.known[clock][lane] = [
                max(time, other) for time, other in zip(self.known[clock][lane], times, strict=True)
            ]

    def within(self, scope: int, lane: int, other: int) -> bool:
        """Whether `other` is in `lane`'s instance of a scope."""
        if scope in WIDE or lane == other:
            return True
        if lane // self.lanes != other // self.lanes or scope == enums.ScopeInvocation:
            return False
        if scope == enums.ScopeSubgroup:
            return lane % self.lanes // self.subgroup == other % self.lanes // self.subgroup
        return True


def narrower(scope: int, other: int) -> int:
    """Of two scopes: Device is 1, Workgroup 2, Subgroup 3, Invocation 4."""
    if scope in WIDE:
        return other
    return scope if other in WIDE else max(scope, other)
