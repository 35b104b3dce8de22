"""Proofs without a run grow with the program: counted in terms and calls, which are the same on every machine.

What `bench/proofs.py` measures in seconds. Twice the size may need little more than twice the terms, whatever shape the
program has; calls of calls of calls need not be followed at all.
"""

import pytest
from bench.proofs import HEAD, SHAPES
from kit.oracles.work import Work, is_seen
from kit.pipelines import REWRITING
from kit.proving import finding

from reknit.ir.text.parser import parse
from reknit.passes.manager import run_passes
from reknit.proof.normal_form.states import narrow

DEEP = 40
EFFECT = "%b = AccessChain %out, 0u, 0u : ptr<StorageBuffer, u32>"
LINEAR = ("ifs", "if_nest", "loop_nest", "stores", "cases", "fallthrough", "calls", "doubling")


def terms(shape: str, size: int) -> int:
    text = HEAD + SHAPES[shape][0](size)
    after = parse(text)
    run_passes(after, REWRITING)
    found = finding(parse(text), after)
    assert found.proved, found.reason
    return found.terms


@pytest.mark.parametrize("shape", LINEAR)
def test_twice_the_size_is_twice_the_terms(shape: str) -> None:
    size = 6 if shape == "calls" else 16
    assert terms(shape, 2 * size) <= 2.2 * terms(shape, size)


def work(shape: str, size: int) -> int:
    text = HEAD + SHAPES[shape][0](size)
    before, after = parse(text), parse(text)
    run_passes(after, REWRITING)
    with Work() as work:
        assert finding(before, after).proved
    return work.calls


@pytest.mark.skipif(not is_seen(narrow), reason="calls inside of compiled modules are not counted")
@pytest.mark.parametrize(("shape", "size"), [("if_nest", 60), ("fallthrough", 20)])
def test_twice_the_size_is_twice_the_calls(shape: str, size: int) -> None:
    """A value that is loaded deep in a nest was narrowed by each condition around it."""
    assert work(shape, 2 * size) <= 2.2 * work(shape, size)


def chain(inside: str = "", at: int = -1) -> str:
    """2^40 calls of `f0`, with something more in one of the functions."""
    text = HEAD + SHAPES["doubling"][0](DEEP)
    name = f"func @f{at}("
    before, behind = text.split(name) if at >= 0 else (text, "")
    return before + (name + behind.replace("%r = Load", f"{inside}\n %r = Load", 1) if behind else "")


def test_calls_of_calls_are_not_followed() -> None:
    """Each function calls the next one twice: followed, it would be 2^40 ballots."""
    assert finding(parse(chain()), parse(chain())).proved


@pytest.mark.parametrize("at", [0, DEEP // 2, DEEP - 1])
@pytest.mark.parametrize("fault", ["Store %x, 7u", f"{EFFECT}\n Store %b, 1u"], ids=["result", "effect"])
def test_a_fault_in_one_of_them_is_not_proved(at: int, fault: str) -> None:
    assert not finding(parse(chain()), parse(chain(fault, at))).proved


def test_what_depends_on_its_caller_is_followed() -> None:
    """A function that reads a variable of the module isn't proved by itself; so the cap is met, and is the reason."""
    own = "%own = Variable Private : ptr<Private, u32>\n"
    inside = "%o = Load %own : u32\n Store %x, %o"
    text = chain(inside, 0).replace("func @f0(", own + "\nfunc @f0(").replace("%lane_id\n", "%lane_id, %own\n", 1)
    found = finding(parse(text), parse(text.replace("IAdd %l0, %y0", "ISub %l0, %y0")))
    assert found.reason == "more than 200000 blocks and constructs, calls followed"
