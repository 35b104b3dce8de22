"""`specialize-dispatch{uninitialized=paths}`: a dispatch under a condition that only holds where a value was stored.

    IFoo f; bool have = false;
    if (c) { f = A(1); have = true; }        by rule: E50101
    if (have) r = f.foo(10);                 by paths: a call of A.foo, for nothing comes there with f unset

Four lanes, t = 0 .. 3; `in[t]` is t. A(a).foo(v) is v + a, B(b).foo(v) is v * b. What a body stores is worked out by
hand beside it; each is refused by the rule, so none says anything of a program that was taken anyhow.
"""

import pytest
from kit import oracles

import reknit
from reknit.analysis.typeflow.guarded_walk import MAX_STATES
from reknit.ir.module import Module
from reknit.ir.verify.run import verify
from reknit.passes.manager import Hooks, run_passes
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

HEAD = """RWStructuredBuffer<int> out;
RWStructuredBuffer<int> data;
interface IFoo { int foo(int v); }
struct A : IFoo { int a; int foo(int v) { return v + a; } }
struct B : IFoo { int b; int foo(int v) { return v * b; } }
struct C : IFoo { int c; int foo(int v) { return v - c; } }
"""
MAIN = """
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint3 tid : SV_DispatchThreadID)
{
    int t = int(tid.x);
    int r = 0;
    IFoo f;
"""
END = """
    out[t] = r;
}
"""
PATHS = "specialize-dispatch{uninitialized=paths}"
STAGES = [
    "",
    PATHS,
    f"{PATHS}, lower-dispatch",
    f"{PATHS}, lower-dispatch{{mode=waterfall}}",
    f"promote-variables, {PATHS}, promote-variables, thread-dispatch, lower-dispatch{{inline=always}}",
]

ACCEPTED: dict[str, tuple[str, list[int]]] = {
    # t = 0: A(1), 10 + 1. The others have no object.
    "flag": ("bool ok = false; if (data[t] == 0) { f = A(1); ok = true; } if (ok) r = f.foo(10);", [11, 0, 0, 0]),
    # t = 2, 3: A(t).
    "same-condition": ("bool c = data[t] > 1; if (c) f = A(t); r = 5; if (c) r = f.foo(10);", [5, 5, 12, 13]),
    # t = 0: 3 - 0 + 10.
    "same-comparison": ("int n = data[t]; if (n == 0) f = A(3); if (n == 0) r = f.foo(10);", [13, 0, 0, 0]),
    # By a shift and a cast of what is known: t = 1: A(5).
    "flag-in-a-bit": (
        "int bits = 0; if (t == 1) { f = A(5); bits = 4; } if ((bits >> 2) != 0) r = f.foo(10);",
        [0, 15, 0, 0],
    ),
    "flag-of-another-type": (
        "uint k = 0; if (t == 1) { f = A(5); k = 1; } if (int(k) == 1) r = f.foo(10);",
        [0, 15, 0, 0],
    ),
    # Casts of one value are one value: t = 2: A(1).
    "cast-twice": ("uint n = uint(data[t]); if (int(n) == 2) f = A(1); if (int(n) == 2) r = f.foo(10);", [0, 0, 11, 0]),
    # The other way round: where it isn't so twice. t = 1, 2, 3: 10 * 2.
    "both-else": ("bool c = data[t] == 0; if (c) r = 1; else f = B(2); if (!c) r = f.foo(10);", [1, 20, 20, 20]),
    # a where bit 0 is set, b where bit 1 is: t = 1: A(1), t = 2: B(2), t = 3: B(2), which comes later.
    "two-flags": (
        """bool a = false; bool b = false;
        if ((t & 1) != 0) { f = A(1); a = true; }
        if ((t & 2) != 0) { f = B(2); b = true; }
        if (a || b) r = f.foo(10);""",
        [0, 11, 20, 20],
    ),
    # t = 3 alone has both: A(1), 10 + 1.
    "flag-and-more": (
        "bool ok = false; if ((t & 1) != 0) { f = A(1); ok = true; } if (ok && (t & 2) != 0) r = f.foo(10);",
        [0, 0, 0, 11],
    ),
    # kind 0: nothing, 1: A(5), 2: B(3); t = 3 is 0 again.
    "state": (
        """int kind = 0;
        if (t == 1) { f = A(5); kind = 1; } else if (t == 2) { f = B(3); kind = 2; }
        switch (kind) { case 0: r = 7; break; default: r = f.foo(10); break; }""",
        [7, 15, 30, 7],
    ),
    # What switches twice by one value that varies: t = 1: A(1), t = 2: B(2).
    "switch-twice": (
        """int n = data[t];
        switch (n) { case 1: f = A(1); break; case 2: f = B(2); break; default: break; }
        switch (n) { case 1: case 2: r = f.foo(10); break; default: r = 9; break; }""",
        [9, 11, 20, 9],
    ),
    # Round i stores at i == 1 and uses what is there from then on, to i < t: t = 2: 10 + 2, t = 3: twice 10 + 2.
    "loop": (
        """bool ok = false;
        for (int i = 0; i < t + 1; i++) { if (ok) r += f.foo(10); if (i == 1) { f = A(2); ok = true; } }""",
        [0, 0, 12, 24],
    ),
    # 100 rounds are more than there are states; which it is doesn't matter. t = 1: found at i == 51, f = B(51).
    "long-loop": (
        """bool ok = false;
        for (int i = 0; i < 100; i++) { if (!ok && i == t * 51) { f = B(i); ok = true; } }
        if (ok) r = f.foo(1);""",
        [0, 51, 0, 0],
    ),
    # Left early by who has nothing: what isn't over 1 is at most that.
    "early-return": ("if (t > 1) f = A(t); if (t <= 1) { out[t] = 6; return; } r = f.foo(0);", [6, 6, 2, 3]),
    # The object comes out of a choice of two that are unset or not together.
    "two-objects": (
        """IFoo g; bool ok = false;
        if (t > 0) { f = A(1); g = B(4); ok = true; }
        if (ok) { IFoo h = f; if (t > 1) h = g; r = h.foo(10); }""",
        [0, 11, 40, 40],
    ),
    # `is` of what may be unset is guarded in the same way. t = 0: A, t = 1: B.
    "is": (
        """bool ok = false;
        if (t == 0) { f = A(1); ok = true; } if (t == 1) { f = B(1); ok = true; }
        if (ok) r = f is A ? 1 : 2;""",
        [1, 2, 0, 0],
    ),
    # In a struct, with its flag beside it. t = 3: A(3).
    "in-struct": (
        "Slot s; s.used = false; if (t == 3) { s.item = A(t); s.used = true; } if (s.used) r = s.item.foo(1);",
        [0, 0, 0, 4],
    ),
    # A function that stores on all of its ways, and tells nobody.
    "stored-by-callee": ("bool ok = t == 2; if (ok) set(f); if (ok) r = f.foo(10);", [0, 0, 110, 0]),
    # More conditions than states, of which none matters: all stay tied to whether there is an object.
    "many-conditions": (
        "bool c = data[t] == 1; if (c) f = A(1); "
        + "".join([f"bool k{i} = data[{i}] > {i}; if (k{i}) r += 1; " for i in range(9)])
        + "if (c) r = f.foo(10); else r = 0; "
        + "".join([f"if (k{i}) r += 1; " for i in range(9)]),
        [0, 11, 0, 0],
    ),
}  # data[i] > i never holds where data[i] is i, and is 0 past the end

REFUSED: dict[str, str] = {
    "no-condition": "if (t == 0) f = A(1); r = f.foo(10);",
    "wrong-polarity": "bool ok = false; if (t == 0) { f = A(1); ok = true; } if (!ok) r = f.foo(10);",
    "flag-without-store": "bool ok = t == 1; if (t == 0) { f = A(1); ok = true; } if (ok) r = f.foo(10);",
    "flag-set-between": "bool ok = false; if (t == 0) { f = A(1); ok = true; } ok = t < 2; if (ok) r = f.foo(10);",
    "flag-changed-by-callee": "bool ok = false; if (t == 0) { f = A(1); ok = true; } flip(ok); if (ok) r = f.foo(10);",
    "loaded-twice": "if (data[t] == 0) f = A(1); data[t] = 0; if (data[t] == 0) r = f.foo(10);",
    "condition-of-last-round": (
        "for (int i = 0; i < 4; i++) { IFoo g; bool c = data[i] == t; if (i > 0 && c) g = A(1); if (c) r = g.foo(1); }"
    ),
    "new-value-each-round": (  # `c` of round 1 isn't that of round 0, which `old` is
        """bool old = false;
        for (int i = 0; i < 2; i++) { bool c = data[i] == t; if (old) f = A(1); if (i > 0 && c) r = f.foo(1); old = c; }
        """
    ),
    "other-number": "int n = data[t]; if (n == 0) f = A(1); if (n == 1) r = f.foo(10);",
    "undefined-twice": (  # of 7 / 0 each may give another value
        "int n = data[t]; if (7 / n == 3) f = A(1); if (7 / n == 3) r = f.foo(10);"
    ),
    "number-changed": "int n = data[t]; if (n == 1) f = A(1); n += 1; if (n == 1) r = f.foo(10);",
    "fallen-into": (
        """int n = data[t];
        switch (n) { case 1: f = A(1); break; default: break; }
        switch (n) { case 1: case 2: r = f.foo(10); break; default: break; }"""
    ),
    "in-callee": "bool ok = false; if (t == 0) { f = A(1); ok = true; } if (ok) r = run(f);",
}

SLOT = "struct Slot { IFoo item; bool used; }\n"
HELPERS = """void set(out IFoo f) { f = A(100); }
void flip(inout bool b) { b = !b; }
int run(IFoo f) { return f.foo(10); }
"""


def module_of(body: str) -> Module:
    return reknit.load((HEAD + SLOT + HELPERS + MAIN + body + END).encode(), format="slang")


def after(body: str, passes: str) -> Module:
    module = module_of(body)
    if passes:
        run_passes(module, passes, Hooks(verify_each=True))
    assert [str(one) for one in verify(module)] == []
    return module


def stored(module: Module, size: int) -> list[int]:
    result = reknit.run(module, subgroup_size=size, buffers={"out": [0] * 4, "data": [0, 1, 2, 3] + [0] * 8})
    assert not result.failed(), [str(one) for one in result.diagnostics]
    return result.buffers["out"].words


def codes(body: str, passes: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        run_passes(module_of(body), passes)
    return [one.code for one in caught.value.diagnostics]


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_rule_refuses(name: str) -> None:
    assert set(codes(ACCEPTED[name][0], "specialize-dispatch")) == {"E50101"}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_guarded_runs_the_same_at_each_stage(name: str, stage: str) -> None:
    module = after(ACCEPTED[name][0], stage)
    for size in (4, 8, 32, 64):
        assert stored(module, size) == ACCEPTED[name][1]


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_guarded_runs_the_same_as_spirv(name: str) -> None:
    """`reconverge` finds the dispatch specialized."""
    binary = write_module(after(ACCEPTED[name][0], f"{PATHS}, reconverge"))
    for size in (4, 8, 32, 64):
        assert stored(read_module(binary), size) == ACCEPTED[name][1]
    if oracles.find("spirv-val") is not None:
        assert oracles.validate(binary) == (True, "")


@pytest.mark.parametrize("name", REFUSED)
def test_what_isnt_guarded_is_refused(name: str) -> None:
    assert set(codes(REFUSED[name], PATHS)) == {"E50101"}


def many(count: int) -> str:
    """f is set where two conditions are the same, which only both of them together tell; `count` others are kept apart
    in between."""
    body = "bool a = data[0] > t; bool b = data[1] > t; if (a) { if (b) f = A(1); } else { if (!b) f = A(1); } "
    body += "".join([f"bool k{i} = data[{i}] > t; if (k{i}) r += 1; " for i in range(count)])
    body += "if (a) { if (b) r += f.foo(10); } "
    return body + "".join([f"if (k{i}) r += 1; " for i in range(count)])


def test_past_the_bound_the_rule_holds() -> None:
    """4 ways by a and b, times 2 for each other condition."""
    run_passes(module_of(many(3)), PATHS)
    assert 4 * 2**3 <= MAX_STATES < 4 * 2**6
    assert codes(many(6), PATHS) == ["E50101"]
