"""Steps that work on registers.

    Kernel      run(lanes)       one instruction for the lanes of a tangle, over columns of machine words
    Listed      a step over lists among kernels
    Taken       a step over lists whose result is a register: it is read from the list afterwards
    Moves       registers and lists given to others all at once: phis, arguments, results

A kernel is a step like any other: what runs instructions one by one calls it. Where nothing is compiled, lanes and
columns are lists, and a kernel's method is the step itself.
"""

from collections.abc import Callable
from typing import Any, cast, final

from reknit.sim.registers import COMPILED, Register, as_column, as_list
from reknit.source.columns import i64, vec

Step = Callable[[list[int]], None]
"""One instruction for the lanes of a tangle, given in ascending order."""


class Kernel:
    """`out` is what it writes, if anything; `following` the next of its block, in a run."""

    __slots__ = ("out", "following")

    def __init__(self, out: Register | None) -> None:
        self.out = out
        self.following: Kernel | None = None

    def run(self, lanes: vec[i64]) -> None:
        raise AssertionError("a kernel is one of the classes derived from this one")

    def publish(self, lanes: vec[i64]) -> None:
        """What it wrote, to the lists that others read."""
        if self.out is not None:
            self.out.publish(lanes)

    def is_published(self) -> bool:
        """Whether others read lists of what it writes."""
        return self.out is not None and self.out.is_listed()

    def __call__(self, lanes: list[int]) -> None:
        given = as_column(lanes)
        self.run(given)
        self.publish(given)


def as_step(kernel: Kernel) -> Step:
    return kernel if COMPILED else cast(Any, kernel.run)


@final
class Nothing(Kernel):
    """What has no effect of its own, and counts as an instruction."""

    __slots__ = ()

    def run(self, lanes: vec[i64]) -> None:
        pass


@final
class Listed(Kernel):
    __slots__ = ("step",)

    def __init__(self, step: Step) -> None:
        super().__init__(None)
        self.step = step

    def run(self, lanes: vec[i64]) -> None:
        self.step(as_list(lanes))

    def __call__(self, lanes: list[int]) -> None:
        self.step(lanes)


@final
class Taken(Kernel):
    __slots__ = ("step", "result")

    def __init__(self, step: Step, result: Register) -> None:
        super().__init__(None)
        self.step = step
        self.result = result

    def run(self, lanes: vec[i64]) -> None:
        self.step(as_list(lanes))
        self.result.take(lanes)


@final
class Published(Kernel):
    """A kernel of which lists are read."""

    __slots__ = ("kernel",)

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(None)
        self.kernel = kernel

    def run(self, lanes: vec[i64]) -> None:
        self.kernel.run(lanes)
        self.kernel.publish(lanes)


def kernel_of(step: Step) -> Kernel:
    """For a run: a kernel that also writes the lists that are read by now."""
    if not isinstance(step, Kernel):
        return Listed(step)
    kernel: Kernel = step
    return Published(kernel) if kernel.is_published() else kernel


def run_step(step: Step, lanes: vec[i64]) -> None:
    """Where a step is not run often."""
    if isinstance(step, Kernel):
        kernel: Kernel = step
        kernel.run(lanes)
        kernel.publish(lanes)
    else:
        step(as_list(lanes))


@final
class Moves(Kernel):
    """Columns copied all at once: no target is read after it was written. Where a word comes from or goes to what may
    be any value, as an associated type's, `lists` has the register's list, and the registers in `taken` follow it."""

    __slots__ = ("targets", "sources", "lists", "taken", "overlap", "held")

    def __init__(
        self,
        targets: list[Register],
        sources: list[Register],
        lists: list[tuple[list[Any], list[Any]]],
        taken: list[Register],
    ) -> None:
        super().__init__(None)
        self.targets = targets
        self.sources = sources
        self.lists = lists
        self.taken = taken
        written = {id(target) for target in targets}
        self.overlap = any(id(source) in written for source in sources)
        self.held: list[Register] = []
        if self.overlap:
            self.held = [Register([0] * len(source.flat)) for source in sources]

    def run(self, lanes: vec[i64]) -> None:
        if self.overlap:
            for at in range(len(self.sources)):
                copy(self.held[at], self.sources[at], lanes)
            for at in range(len(self.targets)):
                copy(self.targets[at], self.held[at], lanes)
        else:
            for at in range(len(self.targets)):
                copy(self.targets[at], self.sources[at], lanes)
        if self.lists:
            self.move_lists(as_list(lanes))
            for register in self.taken:
                register.take(lanes)

    def move_lists(self, lanes: list[int]) -> None:
        pairs = self.lists
        for lane in lanes:
            values = [source[lane] for _, source in pairs]
            for index in range(len(pairs)):
                pairs[index][0][lane] = values[index]

    def publish(self, lanes: vec[i64]) -> None:
        for target in self.targets:
            target.publish(lanes)

    def is_published(self) -> bool:
        return any(target.is_listed() for target in self.targets)


def copy(target: Register, source: Register, lanes: vec[i64]) -> None:
    out = target.flat
    a = source.flat
    if len(lanes) == len(out):
        at: i64 = 0
        for word in a:
            out[at] = word
            at += 1
        return
    for lane in lanes:
        out[lane] = a[lane]
