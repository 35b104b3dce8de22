"""What a search for outcomes may use. All of it follows from one number, `limit` (`--limit N`, `limit=`).

    combinations of choices that are tried   limit; of each packing a share of what is left, MIN_SHARE at least
    runs, where the order of tangles shows   RUNS_EACH times the limit: what is found is a sample in any case
    choices that are counted up              HOPELESS times the limit: where there seem to be more, a sample is drawn
    runs that follow floats as sets          limit, MAX_FOLLOWED at most

Outcomes of parts that don't meet are put together up to MAX_TOGETHER, whatever the limit: they take no runs. Where they
would be more, runs are gone through.

Within a run, what floats may be is followed as far as it is little, whatever the limit: MAX_WAYS and MAX_COUNTED of
values that are gone through one by one, MAX_RESULTS and MAX_SETS of sets. Beyond, the ledger leaves the row of
floats open.

Where it ends before the choices do, `spent` is the one diagnostic that says so.
"""

from typing import Final, final

from reknit.source.diagnostic import NOTE, Diagnostic

LIMIT: Final = 512
RUNS_EACH: Final = 4
HOPELESS: Final = 16
MAX_SHARES: Final = 16
"""A packing has at least this part of the combinations that are left."""
MIN_SHARE: Final = 8
MAX_FOLLOWED: Final = 64
MAX_TOGETHER: Final = 4096
MAX_WAYS: Final = 8
"""Ways of one run, of all its float operations together, that are gone through."""
MAX_COUNTED: Final = 20_000
"""Results of float operations that are looked at to count those ways."""
MAX_RESULTS: Final = 200_000
"""Results of float operations that are made sets of, in all runs together."""
MAX_SETS: Final = 100_000
"""Different sets, of one program."""


@final
class Budget:
    """`combinations` of choices and `runs` that were made; `estimate` is about how many combinations there are: the
    product of the ways that one run had at each of its choices. `ended`: choices were left."""

    __slots__ = ("limit", "combinations", "estimate", "runs", "ended")

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.combinations = 0
        self.estimate = 0
        self.runs = 0
        self.ended = False

    def share(self, packings: int) -> int:
        """Combinations for the next of so many packings; 0 where nothing is left."""
        left = self.limit - self.combinations
        if left <= 0:
            self.ended = True
            return 0
        return max(left // min(packings, MAX_SHARES), MIN_SHARE)

    def is_hopeless(self, estimate: int, most: int) -> bool:
        """Whether counting up `estimate` choices would come to no end within `most`."""
        return estimate > HOPELESS * most

    def has_run_out(self) -> bool:
        """Whether there were so many runs that more, each in all orders, would tell little."""
        if self.runs < RUNS_EACH * self.limit:
            return False
        self.ended = True
        return True

    def followed(self) -> int:
        """Runs that follow floats as sets."""
        return min(self.limit, MAX_FOLLOWED)

    def spent(self) -> Diagnostic | None:
        """That it ended, and how more is tried."""
        if not self.ended:
            return None
        about = f" of about {shortly(self.estimate)}" if self.estimate > self.combinations else ""
        message = f"the budget of outcomes ended: {self.combinations}{about} combinations of choices, {self.runs} runs"
        help = f"--limit N (limit=) tries more combinations than {self.limit}"
        return Diagnostic("RK1023", message, severity=NOTE, help=help)


def shortly(number: int) -> str:
    """A number, or its power of ten where it has many digits."""
    return str(number) if number < 1_000_000_000 else f"10^{len(str(number)) - 1}"
