"""The verbs of the API have the garbage collector look rarely or never while they run, and leave it as it was."""

import gc
import inspect
from collections.abc import Callable

import pytest

import reknit
from reknit.source.collecting import RARELY, collecting_rarely
from reknit.source.diagnostic import InputError


@collecting_rarely
def threshold(deeper: int = 0) -> tuple[int, int, int]:
    """A verb, which may ask another."""
    return threshold(deeper - 1) if deeper else gc.get_threshold()


def test_a_verb_runs_with_few_collections() -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        assert threshold() == RARELY
        assert threshold(2) == RARELY
        assert gc.get_threshold() == (700, 10, 10)
        gc.set_threshold(0)  # whoever turned it off wants it off
        assert threshold()[0] == 0
        assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


ROW = "%s:\n  if %c {{\n    Store %o {n}u\n  }}\n".replace("%s", "%b{n}")
SHADER = (
    "Capability Shader\nMemoryModel Logical GLSL450\nEntryPoint GLCompute @main \"main\" %o %in\n"
    "ExecutionMode @main LocalSize 1 1 1\n%o = Variable Private : ptr<Private, u32>\n"
    "%in = Variable Private : ptr<Private, u32>\nfunc @main() -> void {\n%first:\n  %x = Load %in : u32\n"
    "  %c = ULessThan %x, 1u : bool\n" + "".join([ROW.format(n=n) for n in range(40)]) + "  return\n}\n"
)


def test_a_verb_over_a_module_runs_without_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a threshold of 1 a collection begins at almost every object: only what runs around a verb's body sees any."""
    monkeypatch.setattr("reknit.source.collecting.RARELY", (1, 1, 1))
    module = reknit.load(SHADER.encode(), format="rk")
    data = reknit.to_bytes(module)
    verbs: dict[str, Callable[[], object]] = {
        "load": lambda: reknit.load(data),
        "check": lambda: reknit.check(data),
        "check of a module": lambda: reknit.check(module),
        "lint": lambda: reknit.lint(data),
        "text": lambda: reknit.text(module),
        "to_bytes": lambda: reknit.to_bytes(module),
        "show": lambda: reknit.show(module),
        "compile": lambda: reknit.compile(module),
    }
    seen: list[str] = []
    before = gc.get_threshold()
    gc.callbacks.append(lambda phase, info: seen.append(phase) if phase == "start" else None)
    gc.set_threshold(1)
    try:
        counts: dict[str, int] = {}
        for name, verb in verbs.items():
            seen.clear()
            kept = verb()
            counts[name] = len(seen)
            del kept
    finally:
        gc.set_threshold(*before)
        gc.callbacks.pop()
    assert max(counts.values()) < 20, counts
    assert gc.isenabled()


def test_a_verb_leaves_the_collector_off_where_it_was() -> None:
    gc.disable()
    try:
        reknit.check(b"no shader")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_verb_that_raises_leaves_the_collector_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(InputError):
        reknit.load(b"no shader")
    assert (gc.get_threshold(), gc.isenabled()) == (before, True)


def test_verbs_show_their_own_signatures() -> None:
    assert list(inspect.signature(reknit.load).parameters)[0] == "source"
    assert reknit.load.__name__ == "load"
    assert (reknit.check.__doc__ or "").startswith("What is wrong with a module")
