"""Whether two terms are equal where a condition holds, asked of z3 within a limit of work; where not, an input that
tells them apart.

The limit is one of z3's steps, so that a verdict doesn't depend on the machine; the one of time is for what goes wrong.
"""

import importlib.util
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, Final, final

from reknit.ir import enums
from reknit.proof.normal_form.iterations import Iterations
from reknit.proof.normal_form.table import Key
from reknit.sim.pointers import IN_BUFFERS
from reknit.source.interrupt import look, seconds_left

STEPS: Final = 2_000_000
MILLISECONDS: Final = 20_000
INTERRUPTED: Final = "interrupted from keyboard"
LANES: Final = 32
MAX_HINTS: Final = 8

Word = tuple[Key, tuple[int, ...], int]
"""What names a variable, the way to a scalar in it, and the bits that it has."""


def solver() -> "Solver | None":
    """What asks z3, None where it isn't installed."""
    return Solver() if importlib.util.find_spec("z3") is not None else None


@contextmanager
def _ended_at_once() -> Iterator[None]:
    """SIGTERM does what it does to any process: z3 lets no handler of Python run, and there is nothing to tidy up."""
    handler = signal.getsignal(signal.SIGTERM)
    if handler in (signal.SIG_DFL, signal.SIG_IGN, None) or current_thread() is not main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)


@final
class Solver:
    """`hints` are inputs for which terms differ that were asked about: whether a program shows it, a run tells."""

    __slots__ = ("hints",)

    def __init__(self) -> None:
        self.hints: list[list[Word]] = []

    def __call__(self, terms: Iterations, reach: int, first: int, other: int) -> bool:
        """Whether z3 shows that two terms are equal wherever `reach` holds, whatever the opaque terms in them are."""
        import z3

        from reknit.proof.solver.words import Unencoded, Words

        words = Words(terms)
        try:
            kind = words.kind_of(first)
            if kind != words.kind_of(other):
                return False
            left, right, where = words.of(first, kind), words.of(other, kind), words.of(reach, -1)
        except Unencoded:
            return False
        asked = z3.Solver()
        asked.set("rlimit", STEPS)
        asked.set("timeout", max(1, int(1000 * seconds_left(MILLISECONDS / 1000))))
        asked.add(where, left != right)
        with _ended_at_once():
            answer = asked.check()
        if answer == z3.unknown and asked.reason_unknown() == INTERRUPTED:
            raise KeyboardInterrupt  # z3 has taken the signal for itself
        look()
        if answer == z3.sat and len(self.hints) < MAX_HINTS:
            self._note(words, asked.model())
        return bool(answer == z3.unsat)

    def _note(self, words: Any, model: Any) -> None:
        """What buffers hold in an answer: for the first invocation, and for others where that leaves words free."""
        loads: list[tuple[Key, list[int], int]] = []
        for term, variable in words.variables.items():
            address = _address(words.terms, term)
            value = model.eval(variable, model_completion=True)
            if address is not None and hasattr(value, "as_long"):
                loads.append((*address, value.as_long()))
        hint: dict[tuple[Key, tuple[int, ...]], int] = {}
        for lane in range(LANES):
            for root, steps, bits in loads:
                place = _place(words, steps, lane)
                if place is not None:
                    hint.setdefault((root, place), bits)
        if hint:
            self.hints.append([(root, place, bits) for (root, place), bits in hint.items()])


def _address(terms: Iterations, term: int) -> tuple[Key, list[int]] | None:
    """The variable and the steps that a term was loaded by, if that is from a buffer."""
    key = terms.keys[term]
    last: list[int] = []
    while key[0] == "part":
        whole, index = key[1], key[2]
        assert isinstance(whole, int) and isinstance(index, int)
        last.insert(0, terms.index(index))
        key = terms.keys[whole]
    if key[0] not in ("load", "read"):
        return None
    root = key[1]
    assert isinstance(root, tuple)
    if root[0] != "global" or root[1] not in (*IN_BUFFERS, enums.StorageClassUniformConstant):
        return None
    steps = key[4:]
    if key[0] == "read":
        count = key[4]
        assert isinstance(count, int)
        steps = key[5 : 5 + count]
    return root, [each for each in steps if isinstance(each, int)] + last


def _place(words: Any, steps: list[int], lane: int) -> tuple[int, ...] | None:
    """The steps as numbers in an invocation, the number of which is what a built-in variable holds; None where they
    depend on more."""
    import z3

    from reknit.proof.solver.words import Unencoded

    terms = words.terms
    place: list[int] = []
    for step in steps:
        if terms.is_constant(step):
            place.append(terms.bits(step))
            continue
        try:
            index = words.of(step, words.kind_of(step))
        except Unencoded:
            return None
        known = [
            (variable, z3.BitVecVal(lane, variable.size()))
            for term, variable in words.variables.items()
            if z3.is_bv(variable) and _is_builtin(terms, term)
        ]
        value = z3.simplify(z3.substitute(index, *known))
        if not z3.is_bv_value(value):
            return None
        place.append(value.as_long())
    return tuple(place)


def _is_builtin(terms: Iterations, term: int) -> bool:
    """Whether a term is what a built-in variable holds, or the first component of it."""
    key = terms.keys[term]
    if key[0] == "part" and key[2] == 0:
        whole = key[1]
        assert isinstance(whole, int)
        key = terms.keys[whole]
    root = key[1] if key[0] == "load" else None
    return isinstance(root, tuple) and root[:2] == ("global", enums.StorageClassInput)
