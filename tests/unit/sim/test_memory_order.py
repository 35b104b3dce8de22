"""Which accesses scopes and semantics order, and which they leave to chance: a data race, whatever order a run has.

Expected from SPIR-V 1.6, 2.18 and 3.2.26, and from Vulkan, "Memory Model": a release synchronizes with an acquire in
its scope, for the storage classes of both; a barrier's are acquire and release of all that execute it.
"""

import pytest
from kit.programs.pair_frame import module_text

from reknit.ir.text.parser import parse
from reknit.sim.happens_before import Order, Semantics, narrower
from reknit.sim.policy import Policy
from reknit.sim.run import prepare

ACQUIRE, RELEASE, BOTH, SEQUENTIAL = 0x2, 0x4, 0x8, 0x10
BUFFERS, SHARED, IMAGES = 0x40, 0x100, 0x800
AVAILABLE, VISIBLE = 0x2000, 0x4000
DEVICE, WORKGROUP, SUBGROUP = 1, 2, 3

NEXT = "%n = IAdd %local, 1u : u32\n%near = BitwiseAnd %n, 3u : u32\n"
OWN_SHARED = "%mine = AccessChain %shared, %local : ptr<Workgroup, u32>\nStore %mine, %local{0}\n"
NEAR_SHARED = "%other = AccessChain %shared, %near : ptr<Workgroup, u32>\n%r = Load %other{1} : u32"
OWN_BUFFER = "%mine = AccessChain %buf_o, 0u, %local : ptr<StorageBuffer, u32>\nStore %mine, %local{0}\n"
NEAR_BUFFER = "%other = AccessChain %buf_o, 0u, %near : ptr<StorageBuffer, u32>\n%r = Load %other{1} : u32"
OWN_TEXEL = (
    "%zeros = CompositeConstruct 0.0f, 0.0f, 0.0f, 0.0f : vec4<f32>\n%there = Load %image : %Image\n"
    "%mine = CompositeConstruct %local, 0u : vec2<u32>\nImageWrite %there, %mine, %zeros\n"
)
NEAR_TEXEL = (
    "%other = CompositeConstruct %near, 0u : vec2<u32>\n%again = Load %image : %Image\n"
    "%r = ImageRead %again, %other : vec4<f32>"
)
MEMORY = {"shared": (OWN_SHARED, NEAR_SHARED), "buffer": (OWN_BUFFER, NEAR_BUFFER), "texel": (OWN_TEXEL, NEAR_TEXEL)}


def races(body: str, groups: int = 1, size: int = 4, vulkan: bool = False) -> list[str]:
    text = module_text(body)
    if vulkan:
        text = text.replace("Logical GLSL450", "Logical Vulkan")
    result = prepare(parse(text), subgroup_size=size, races=True).run(Policy(), (groups, 1, 1))
    return [found.message for found in result.diagnostics if found.code == "RK1017"]


def exchange(memory: str, between: str, store: str = "", load: str = "") -> str:
    """Each lane stores its own element, then reads its neighbour's."""
    own, near = MEMORY[memory]
    return f"{NEXT}{own.format(store)}{between}\n{near.format(store, load)}"


def barrier(execution: int, memory: int, semantics: int) -> str:
    return f"ControlBarrier {execution}u, {memory}u, {semantics}u"


@pytest.mark.parametrize(
    "memory, semantics, ordered",
    [
        ("shared", BOTH | SHARED, True),
        ("shared", SEQUENTIAL | SHARED, True),
        ("shared", ACQUIRE | RELEASE | SHARED, True),
        ("shared", 0, False),
        ("shared", SHARED, False),  # a storage class, and no order
        ("shared", BOTH, False),  # an order, and no storage class
        ("shared", BOTH | BUFFERS, False),
        ("shared", RELEASE | SHARED, False),  # nobody acquires
        ("shared", ACQUIRE | SHARED, False),
        ("buffer", BOTH | BUFFERS, True),
        ("buffer", BOTH | BUFFERS | SHARED, True),
        ("buffer", BOTH | SHARED, False),  # what GLSL's barrier() is
        ("texel", BOTH | IMAGES, True),
        ("texel", BOTH | BUFFERS, False),
    ],
)
def test_a_barrier_orders_what_its_semantics_name(memory: str, semantics: int, ordered: bool) -> None:
    assert bool(races(exchange(memory, barrier(WORKGROUP, WORKGROUP, semantics)))) != ordered


def test_without_a_barrier_nothing_is_ordered() -> None:
    assert races(exchange("shared", ""))
    assert races(exchange("buffer", "%all = GroupNonUniformBallot Subgroup true : vec4<u32>"))


@pytest.mark.parametrize(
    "execution, memory, size, ordered",
    [
        (SUBGROUP, SUBGROUP, 4, True),  # the neighbours are in one subgroup
        (SUBGROUP, WORKGROUP, 4, True),
        (SUBGROUP, WORKGROUP, 2, False),  # lanes 1 and 2 are in two
        (WORKGROUP, SUBGROUP, 2, False),
        (WORKGROUP, SUBGROUP, 4, True),
        (WORKGROUP, DEVICE, 2, True),
        (WORKGROUP, 4, 4, False),  # the scope of the invocation itself
    ],
)
def test_a_barrier_orders_within_its_scopes(execution: int, memory: int, size: int, ordered: bool) -> None:
    assert bool(races(exchange("shared", barrier(execution, memory, BOTH | SHARED)), size=size)) != ordered


def test_what_was_ordered_once_stays_ordered() -> None:
    """The second barrier is about buffers only; the first ordered shared memory, and nothing has touched it since."""
    both = f"{barrier(WORKGROUP, WORKGROUP, BOTH | SHARED)}\n{barrier(WORKGROUP, WORKGROUP, BOTH | BUFFERS)}"
    assert not races(exchange("shared", both))
    again = exchange("shared", barrier(WORKGROUP, WORKGROUP, BOTH | SHARED)) + "\nStore %mine, 7u"
    assert races(again)  # the element is stored again while a neighbour may read it


PUBLISH = """
%flag = AccessChain %buf_v, 0u, 0u : ptr<StorageBuffer, u32>
%data = AccessChain %buf_o, 0u, 0u : ptr<StorageBuffer, u32>
%writer = IEqual %lane, 0u : bool
if %writer {{
  Store %data, 42u
  {fence}
  AtomicStore %flag {scope}u {release}u 1u
}} else {{
  %set = AtomicLoad %flag {scope}u {acquire}u : u32
  {after}
  %seen = IEqual %set, 1u : bool
  if %seen {{
    %got = Load %data : u32
  }}
}}
"""


def published(scope: int, release: int, acquire: int, fence: str = "", after: str = "", groups: int = 1) -> bool:
    """Lane 0 writes and sets a flag; whoever finds it set reads. The arm of lane 0 may run first."""
    body = PUBLISH.format(scope=scope, release=release, acquire=acquire, fence=fence, after=after)
    text = module_text(body.strip())
    program = prepare(parse(text), subgroup_size=2, races=True)
    found = [program.run(Policy(schedule=order), (groups, 1, 1)) for order in ("lifo", "fifo")]
    return any(one.code == "RK1017" for result in found for one in result.diagnostics)


@pytest.mark.parametrize(
    "scope, release, acquire, groups, raced",
    [
        (DEVICE, RELEASE | BUFFERS, ACQUIRE | BUFFERS, 1, False),
        (DEVICE, RELEASE | BUFFERS, ACQUIRE | BUFFERS, 2, False),
        (WORKGROUP, RELEASE | BUFFERS, ACQUIRE | BUFFERS, 1, False),
        (WORKGROUP, RELEASE | BUFFERS, ACQUIRE | BUFFERS, 2, True),
        (SUBGROUP, RELEASE | BUFFERS, ACQUIRE | BUFFERS, 1, True),
        (DEVICE, 0, ACQUIRE | BUFFERS, 1, True),
        (DEVICE, RELEASE | BUFFERS, 0, 1, True),
        (DEVICE, RELEASE | SHARED, ACQUIRE | BUFFERS, 1, True),
        (DEVICE, 0, 0, 1, True),
    ],
)
def test_a_flag_publishes_what_its_semantics_release(
    scope: int, release: int, acquire: int, groups: int, raced: bool
) -> None:
    assert published(scope, release, acquire, groups=groups) == raced


@pytest.mark.parametrize("releases", [RELEASE | BUFFERS, BOTH | BUFFERS, 0])
@pytest.mark.parametrize("acquires", [ACQUIRE | BUFFERS, BOTH | BUFFERS, 0])
def test_fences_make_relaxed_atomics_publish(releases: int, acquires: int) -> None:
    raced = published(DEVICE, 0, 0, f"MemoryBarrier 1u, {releases}u", f"MemoryBarrier 1u, {acquires}u")
    assert raced == (not releases or not acquires)


@pytest.mark.parametrize(
    "scope, groups, raced", [(1, 2, False), (2, 2, True), (2, 1, False), (3, 1, True), (4, 1, True)]
)
def test_atomics_outside_each_others_scope_are_a_race(scope: int, groups: int, raced: bool) -> None:
    """Four lanes in subgroups of two add to one word."""
    add = f"%at = AccessChain %buf_o, 0u, 0u : ptr<StorageBuffer, u32>\n%was = AtomicIAdd %at {scope}u 0u 1u : u32"
    found = races(add, groups, size=2)
    assert bool(found) == raced


FENCE = f"MemoryBarrier 1u, {BOTH | BUFFERS}u\n"
GLSL = barrier(WORKGROUP, WORKGROUP, BOTH | SHARED)


@pytest.mark.parametrize(
    "between, vulkan, ordered",
    [
        (FENCE + GLSL, False, True),  # memoryBarrierBuffer(); barrier();
        (GLSL + "\n" + FENCE, False, False),
        (FENCE + barrier(WORKGROUP, WORKGROUP, 0), False, True),
        (FENCE + GLSL, True, False),
        (FENCE + GLSL + "\n" + FENCE, True, True),
        (FENCE, False, False),
    ],
)
def test_fences_around_a_barrier(between: str, vulkan: bool, ordered: bool) -> None:
    """Vulkan, "Synchronizes-With": a release fence before a control barrier, an acquire fence behind it."""
    if vulkan:
        between = between.replace("72u", f"{BOTH | BUFFERS | AVAILABLE | VISIBLE}u")
    body = exchange("buffer", between, " NonPrivatePointer" * vulkan, " NonPrivatePointer" * vulkan)
    assert bool(races(body, vulkan=vulkan)) != ordered


STORE = " MakePointerAvailable|NonPrivatePointer 2u"
LOAD = " MakePointerVisible|NonPrivatePointer 2u"


@pytest.mark.parametrize(
    "semantics, store, load, ordered",
    [
        (BOTH | SHARED | AVAILABLE | VISIBLE, " NonPrivatePointer", " NonPrivatePointer", True),
        (BOTH | SHARED, STORE, LOAD, True),
        (BOTH | SHARED | VISIBLE, STORE, " NonPrivatePointer", True),
        (BOTH | SHARED | AVAILABLE, " NonPrivatePointer", LOAD, True),
        (BOTH | SHARED | AVAILABLE, " NonPrivatePointer", " NonPrivatePointer", False),
        (BOTH | SHARED | VISIBLE, " NonPrivatePointer", " NonPrivatePointer", False),
        (BOTH | SHARED | AVAILABLE | VISIBLE, "", "", False),
        (BOTH | SHARED | AVAILABLE | VISIBLE, " NonPrivatePointer", "", False),
    ],
)
def test_the_vulkan_memory_model_wants_it_available_and_visible(
    semantics: int, store: str, load: str, ordered: bool
) -> None:
    body = exchange("shared", barrier(WORKGROUP, WORKGROUP, semantics), store, load)
    assert bool(races(body, vulkan=True)) != ordered


HALVES = """\
Capability Shader
Capability Int16
Capability StorageBuffer16BitAccess
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out, %lane_id
ExecutionMode @main LocalSize 4 1 1
names @main, %out
Decorate %halves ArrayStride 2
MemberDecorate %Halves 0 Offset 0
Decorate %Halves Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %lane_id BuiltIn LocalInvocationIndex
%halves = TypeRuntimeArray u16
%Halves = TypeStruct %halves
%out = Variable StorageBuffer : ptr<StorageBuffer, %Halves>
%lane_id = Variable Input : ptr<Input, u32>
func @main() -> void {{
  %lane = Load %lane_id : u32
  %h = UConvert %lane : u16
  %i = ShiftRightLogical %lane, {shift}u : u32
  %q = AccessChain %out, 0u, %i : ptr<StorageBuffer, u16>
  Store %q, %h
  return
}}
"""


@pytest.mark.parametrize("shift, raced", [(0, False), (1, True)])
def test_half_words_are_places_of_their_own(shift: int, raced: bool) -> None:
    """Vulkan, Memory Model: "A memory location identifies unique storage for 8 bits of data." Four lanes store 16 bits
    each, to the four halves of two words or in pairs to the same half."""
    program = prepare(parse(HALVES.format(shift=shift)), subgroup_size=4, races=True)
    result = program.run(Policy(), buffers={"out": [0, 0]})
    assert [found.code for found in result.diagnostics] == (["RK1017"] if raced else [])
    if not raced:
        assert result.buffers["out"].words == [0x10000, 0x30002]


@pytest.mark.parametrize(
    ("scope", "lane", "other", "inside"),
    [
        (DEVICE, 0, 15, True), (0, 0, 15, True), (5, 3, 12, True), (WORKGROUP, 0, 7, True), (WORKGROUP, 0, 8, False),
        (WORKGROUP, 15, 8, True), (SUBGROUP, 0, 3, True), (SUBGROUP, 0, 4, False), (SUBGROUP, 9, 10, True),
        (SUBGROUP, 11, 12, False), (SUBGROUP, 1, 9, False), (4, 1, 2, False), (4, 1, 1, True), (SUBGROUP, 13, 14, True),
    ],
)  # fmt: skip
def test_who_is_in_an_invocations_scope(scope: int, lane: int, other: int, inside: bool) -> None:
    """Two workgroups of eight invocations in subgroups of four. Scope 0 is CrossDevice, 4 Invocation, 5 QueueFamily."""
    order = Order(False, 4)
    order.reset(8, 2)
    assert order.within(scope, lane, other) == inside


@pytest.mark.parametrize(
    ("scope", "other", "less"),
    [
        (DEVICE, WORKGROUP, WORKGROUP), (WORKGROUP, DEVICE, WORKGROUP), (SUBGROUP, WORKGROUP, SUBGROUP),
        (WORKGROUP, SUBGROUP, SUBGROUP), (4, DEVICE, 4), (0, SUBGROUP, SUBGROUP), (SUBGROUP, 5, SUBGROUP),
        (4, SUBGROUP, 4),
    ],
)  # fmt: skip
def test_the_narrower_scope(scope: int, other: int, less: int) -> None:
    assert narrower(scope, other) == less


def test_what_a_lane_knows_of_others() -> None:
    """Lane 0 writes at time 1 and releases; lane 1 acquires it in its scope, and lane 5 is in another subgroup."""
    order = Order(False, 4)
    order.reset(8, 1)
    semantics = Semantics(BOTH | SHARED)
    release = order.release(0, SUBGROUP, semantics)
    assert not order.knows(1, 0, 1, 0, 1)
    order.acquire(1, SUBGROUP, release, semantics)
    order.acquire(5, SUBGROUP, release, semantics)
    order.acquire(2, SUBGROUP, release, Semantics(BOTH | BUFFERS))
    assert order.knows(1, 0, 1, 0, 1) and not order.knows(1, 0, 1, 0, 2)  # what lane 0 did after is later
    assert not order.knows(1, 0, 5, 0, 1) and not order.knows(1, 0, 2, 0, 1) and not order.knows(0, 0, 1, 0, 1)
