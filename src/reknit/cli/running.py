"""The options of the commands that run a shader, and what they mean to the simulator.

    --set kind=0,0,1,2   --set in=@data.bin   --set out=zeros:64   --spec 0=4   --groups 2,1,1   ->   Setting
    --set tex=8x4:rgba8:@texels.bin   --set s=linear:repeat         (images and samplers: `setting_images`)
"""

from argparse import Namespace
from typing import TYPE_CHECKING, Any, final

from reknit.analysis.tangles.rules import ASKED, DECLARED
from reknit.cli.drawing import drawing_of_options, vertices_of_options
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import DATA, OUTPUT, RULES, add
from reknit.files.streams import read_bytes
from reknit.source.diagnostic import InputError
from reknit.source.digits import integer, is_decimal, is_signed_decimal

if TYPE_CHECKING:
    from reknit.ir.module import Module
    from reknit.sim.buffers import Zeros
    from reknit.sim.outcomes import Outcomes
    from reknit.sim.policy import Policy
    from reknit.sim.result import Result

MAX_WORDS = 1 << 26
MAX_GROUP_LENGTH = 65_535
MAX_STEPS = 100_000_000
SUBGROUP_SIZE = 32
LIMIT = 512
"""Combinations of choices that outcomes are looked for in."""


@final
class Setting:
    """What to run with, checked as far as that is possible without the module. `asked_size` is 0 where no subgroup
    size was named."""

    __slots__ = (
        "entry", "subgroup_size", "asked_size", "groups", "buffers", "spec", "policy", "max_steps", "rules", "drawing",
        "vertices",
    )  # fmt: skip

    def __init__(self, options: Namespace) -> None:
        self.entry: str | None = options.entry
        self.asked_size = 0 if options.subgroup_size is None else _subgroup_size(options.subgroup_size)
        self.subgroup_size = self.asked_size or SUBGROUP_SIZE
        self.groups = groups_of(options.groups)
        self.buffers = buffers_of(options.set)
        self.spec = spec_of(options.spec)
        self.policy = policy_of(options)
        self.rules: str = options.rules
        self.drawing = drawing_of_options(options)
        self.vertices = vertices_of_options(options)
        self.max_steps: int = options.max_steps
        if self.max_steps < 1:
            raise misuse("RK0010", f"--max-steps {self.max_steps}: it is at least 1")

    def run(
        self, module: "Module", trace: bool = False, watch: bool = False, values: str = "", engine: str = "interpreter"
    ) -> "Result":
        """One run. `watch` finds data races and reads of what nothing has written."""
        from reknit.cli.waiting import patience
        from reknit.sim.engine import native_run, with_note
        from reknit.sim.packing import PackingError
        from reknit.sim.run import run

        try:
            with patience():
                result = run(
                    module,
                    self.entry,
                    groups=self.groups,
                    subgroup_size=self.subgroup_size,
                    buffers=self.buffers,
                    spec=self.spec,
                    policy=self.policy,
                    max_steps=self.max_steps,
                    trace=trace,
                    races=watch,
                    unwritten=watch,
                    rules=self.rules,
                    values=values,
                    native=native_run(engine),
                    drawing=self.drawing if self.vertices is None else self.vertices,
                )
        except PackingError as error:
            raise misuse(error) from None
        return with_note(result, engine)

    def outcomes(
        self,
        module: "Module",
        limit: int = LIMIT,
        keep_stopped: bool = False,
        packing: str = "index",
        full_subgroups: bool = False,
    ) -> "Outcomes":
        """All results that the rules allow; `keep_stopped`, `packing` and `full_subgroups` as in `sim.outcomes`."""
        from reknit.cli.waiting import patience
        from reknit.sim.outcomes import outcomes

        with patience():
            return outcomes(
                module,
                self.entry,
                groups=self.groups,
                subgroup_size=self.subgroup_size,
                buffers=self.buffers,
                spec=self.spec,
                max_steps=self.max_steps,
                limit=limit,
                rules=self.rules,
                keep_stopped=keep_stopped,
                drawing=self.drawing,
                packing=packing,
                full_subgroups=full_subgroups,
            )


def add_setting(parser: Parser, max_steps: int = MAX_STEPS) -> None:
    """The options that a Setting is made of, other than the policy. A run is given up after `max_steps` unless said
    otherwise."""
    data = parser.group(DATA)
    add(data, "--set", "--spec", "--entry")
    add(data, "--groups", default="1,1,1")
    add(data, "--subgroup-size")
    add(data, "--max-steps", default=max_steps, note=" (default %(default)s)")
    add_rules(parser)


def add_rules(parser: Parser) -> None:
    """By which promises it is judged which invocations are together."""
    add(parser.group(RULES), "--rules", choices=ASKED, default=DECLARED)


def add_base(parser: Parser) -> None:
    """How integers are printed."""
    add(parser.group(OUTPUT), "--hex")


def add_policy(parser: Parser) -> None:
    """How one run uses the freedoms that the rules leave."""
    group = parser.group(RULES)

    def choice(name: str, default: str | None, help: str) -> None:
        group.add_argument(name, default=default, metavar="HOW", help=help)

    choice(
        "--partition",
        "label",
        "which lanes at a switch form a tangle: those of a label (label, default), those of a value (value), or "
        "something in between (random:SEED)",
    )
    choice(
        "--fallthrough",
        "source",
        "whether lanes join at a label that is reached by fallthrough: as the source language says (source, default: "
        "always in Slang and HLSL, otherwise never), never, always or random:SEED",
    )
    choice("--schedule", "lifo", "which tangle runs next: the newest (lifo, default), the oldest (fifo) or random:SEED")
    choice("--kill", "terminate", "what OpKill does: terminate (default) or demote")
    choice(
        "--lanes",
        "lockstep",
        "how the lanes of a tangle advance: together (lockstep, default), or each by itself between tangled operations "
        "(random:SEED)",
    )
    choice(
        "--quads",
        "stay",
        "what happens to a quad that has only helper invocations: stay (default), end or random:SEED",
    )
    choice(
        "--helpers",
        "active",
        "whether helper invocations take part in group operations, where either is allowed: active (default), "
        "inactive or random:SEED",
    )
    choice(
        "--derivatives",
        "fine",
        "precision of derivatives, where either is allowed: fine (default), coarse or random:SEED",
    )
    choice(
        "--subgroups",
        None,
        "which invocations share a subgroup, by LocalInvocationIndex: '{0 1 2} {3-5}'; _ is an id without an "
        "invocation, | separates workgroups (default: full subgroups, in the order of LocalInvocationIndex)",
    )
    choice(
        "--grouping",
        "maximal",
        "with --rules base or sucf, which lanes run an operation together: those that would with maximal reconvergence "
        "(maximal, default), no more than must (never), all that may (always) or random:SEED",
    )
    add(group, "--assume", default="outside", metavar="HOW", note="; graph: lanes that diverged never meet again")


def policy_of(options: Namespace) -> "Policy":
    """Raises Misuse (RK1006). A command without these options has the default policy."""
    from reknit.sim.packing import parse_packing
    from reknit.sim.policy import Policy

    if not hasattr(options, "partition"):
        return Policy()
    try:
        subgroups = str(parse_packing(options.subgroups)) if options.subgroups is not None else ""
        return Policy(
            options.partition,
            options.fallthrough,
            options.schedule,
            options.kill,
            lanes=options.lanes,
            quads=options.quads,
            grouping=options.grouping,
            assume=options.assume,
            helpers=options.helpers,
            derivatives=options.derivatives,
            subgroups=subgroups,
        )
    except InputError as error:
        raise misuse(error) from None


def _subgroup_size(size: int) -> int:
    if not 1 <= size <= 128 or size & (size - 1):
        raise misuse("RK0010", f"--subgroup-size {size}: it is a power of two, from 1 to 128")
    return size


def groups_of(text: str) -> tuple[int, int, int]:
    parts = text.split(",")
    if 1 <= len(parts) <= 3 and all(is_decimal(part) for part in parts):
        sizes = [int(part) for part in parts] + [1, 1]
        if all(1 <= size <= MAX_GROUP_LENGTH for size in sizes[:3]):
            return sizes[0], sizes[1], sizes[2]
    raise misuse("RK0010", f"--groups {text}: it is X, X,Y or X,Y,Z, each from 1 to {MAX_GROUP_LENGTH}")


def buffers_of(given: list[str]) -> dict[str, Any]:
    """Words, bytes, an Image or a Sampler each."""
    from reknit.cli.setting_images import image_or_sampler

    buffers: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise misuse("RK0010", f"--set {text}: it is NAME=1,2,3 or NAME=@file or NAME=zeros:64")
        if name in buffers:
            raise misuse("RK0010", f"--set: buffer '{name}' is set twice")
        special = image_or_sampler(name, value)
        buffers[name] = _words(name, value) if special is None else special
    return buffers


def _words(name: str, value: str) -> "list[int] | bytes | Zeros":
    if value.startswith("@"):
        return read_bytes(value[1:])
    if value.startswith("zeros:"):
        count = value.removeprefix("zeros:")
        if not is_decimal(count) or int(count) > MAX_WORDS:
            raise misuse("RK0010", f"--set {name}={value}: zeros: takes a number of words up to {MAX_WORDS}")
        from reknit.sim.buffers import Zeros

        return Zeros(int(count))
    return [_word(name, part.strip()) for part in value.split(",")] if value.strip() else []


def _word(name: str, text: str) -> int:
    """An integer as its word, a number with a point, exponent, inf or nan as a 32-bit float's."""
    try:
        word = integer(text) if is_signed_decimal(text) else integer(text, 0)
    except ValueError:
        return _float_word(name, text)
    if not -(1 << 31) <= word < 1 << 32:
        raise misuse("RK0010", f"--set {name}: {text} does not fit into 32 bits")
    return word & 0xFFFFFFFF


def _float_word(name: str, text: str) -> int:
    from reknit.cli.numbers import float_of
    from reknit.ir.floats import nearest

    try:
        bits = nearest(float_of(text), 32)
    except ValueError:
        bits = None
    if bits is None:
        raise misuse("RK0010", f"--set {name}: '{text}' is not a 32-bit number")
    return bits


def spec_of(given: list[str]) -> dict[int | str, float]:
    """Keys are SpecIds, or names of constants."""
    numbers: dict[int | str, float] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            if is_signed_decimal(value) or value.startswith(("0x", "-0x")):
                number: float = integer(value, 0)
            else:
                from reknit.cli.numbers import float_of

                number = float_of(value) if value not in ("true", "false") else int(value == "true")
        except ValueError:
            raise misuse("RK0010", f"--spec {text}: it is ID=NUMBER, true or false") from None
        numbers[int(name) if is_decimal(name) else name] = number
    return numbers
