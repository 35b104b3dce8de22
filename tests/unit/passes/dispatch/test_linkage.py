"""Conformances that are named: only their types lie in storage of others; what is made and kept here may be of any.

    --conformance A:IFoo=3      list[i]: A, by number 3      IFoo f = B(): B      list[i] = B(): RK2604
"""

import pytest

import reknit
from reknit.analysis.typeflow.report import dispatch_sites
from reknit.front.slang.compile import Settings
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError

HEAD = """interface IFoo { int foo(int v); }
struct A : IFoo { int a; int foo(int v) { return v + a; } }
struct B : IFoo { int b; int foo(int v) { return v * b; } }
RWStructuredBuffer<IFoo> list;
RWStructuredBuffer<int> data;
[shader("compute")] [numthreads(2, 1, 1)] void computeMain(uint3 id : SV_DispatchThreadID)
{
"""
LOCAL = "IFoo f = B(5); data[id.x] = f.foo(2) * 100 + list[id.x].foo(2); }\n"
STAGES = ("", "specialize-dispatch", "specialize-dispatch, lower-dispatch")


def loaded(body: str, *named: tuple[str, str, int]) -> reknit.Module:
    return reknit.load((HEAD + body).encode(), format="slang", settings=Settings(None, ["computeMain"], list(named)))


@pytest.mark.parametrize("stage", STAGES)
def test_a_type_without_a_number_may_be_used_here(stage: str) -> None:
    """A(7) by number 3, twice: 2 + 7; the B of our own: 2 * 5."""
    module = loaded(LOCAL, ("A", "IFoo", 3))
    assert sorted(sorted(site.types) for site in dispatch_sites(module)) == [["A"], ["B"]]
    if stage:
        run_passes(module, stage)
    result = reknit.run(module, buffers={"list": [0, 0, 3, 0, 7, 0] * 2, "data": [0] * 2})
    assert not result.failed() and result.buffers["data"].words == [1009, 1009]


def test_none_is_named_and_all_may_come() -> None:
    assert sorted(sorted(site.types) for site in dispatch_sites(loaded(LOCAL))) == [["A", "B"], ["B"]]


def test_it_is_not_stored_where_others_read_it() -> None:
    module = loaded("IFoo f = A(1); if (id.x > 0) f = B(2); list[id.x] = f; data[id.x] = 0; }\n", ("A", "IFoo", 3))
    with pytest.raises(InputError) as refusal:
        run_passes(module, "specialize-dispatch")
    (only,) = refusal.value.diagnostics
    assert only.code == "RK2604" and "may be a 'B'" in only.message
    assert only.help == "say which it has: --conformance B:IFoo=4"
    assert only.place is not None and only.place.line == 8


def test_nor_inside_of_another_object() -> None:
    more = "interface IOut { int run(); }\nstruct H : IOut { IFoo f; int run() { return f.foo(1); } }\n"
    body = "H h; h.f = B(2); outer[id.x] = h; data[id.x] = 0; }\n"
    text = more + HEAD.replace("RWStructuredBuffer<IFoo> list", "RWStructuredBuffer<IOut> outer") + body
    module = reknit.load(text.encode(), format="slang", settings=Settings(None, ["computeMain"], [("A", "IFoo", 0)]))
    with pytest.raises(InputError) as refusal:
        run_passes(module, "specialize-dispatch")
    assert [one.code for one in refusal.value.diagnostics] == ["RK2604"]
