"""The pages of what dispatch refuses, run as they stand: what fails is told with the page's code, what passes is not.

page E52008     what fails ──> [E52008]       what passes ──> stores something
"""

import pytest
from kit.text.explain_pages import examples

import reknit
from reknit.analysis.typeflow.notes import notes
from reknit.analysis.typeflow.report import dispatch_sites
from reknit.front.slang.compile import Settings
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError


def compiled(text: str) -> reknit.Module:
    module = reknit.load(text.encode(), format="slang", settings=Settings(entries=["computeMain"]))
    run_passes(module, "specialize-dispatch, lower-dispatch")
    return module


@pytest.mark.parametrize("code", ["E36107", "E41003", "E41019", "E52008", "E52010", "E52012"])
def test_a_page_fails_and_passes_as_it_says(code: str) -> None:
    fails, passes = examples(code, "slang")
    with pytest.raises(InputError) as refusal:
        compiled(fails)
    assert [one.code for one in refusal.value.diagnostics] == [code]
    assert not reknit.run(compiled(passes), buffers={"data": [0] * 4}).failed()


def test_an_interface_of_which_all_types_hold_it() -> None:
    """Each type is told as well; a declared size makes no difference, as for slangc 2026.14."""
    fails, passes = examples("E41002", "slang")
    for text in (fails, "[anyValueSize(32)] " + fails):
        with pytest.raises(InputError) as refusal:
            compiled(text)
        assert [one.code for one in refusal.value.diagnostics][:2] == ["E41003", "E41002"]
    assert not reknit.run(compiled(passes), buffers={"data": [0] * 4}).failed()


def test_a_size_is_told_where_the_type_is() -> None:
    fails, _ = examples("E41019", "slang")
    with pytest.raises(InputError) as refusal:
        compiled(fails)
    (only,) = refusal.value.diagnostics
    assert only.place is not None and (only.place.line, only.place.column) == (2, 8)
    assert [note.message for note in only.notes] == ["sizeof(A) is 16, limit is 8"]


def test_a_type_in_itself_is_told_where_it_is() -> None:
    text = (
        "interface I { int get(); }\nstruct A : I { I next; int get() { return 1; } }\n"
        "struct B : I { int get() { return 2; } }\nRWStructuredBuffer<int> data;\n"
        '[shader("compute")] [numthreads(4, 1, 1)] void computeMain(uint3 id : SV_DispatchThreadID)\n'
        "{ I x = B(); if (id.x > 1) { A a; a.next = x; x = a; } data[id.x] = x.get(); }\n"
    )
    with pytest.raises(InputError) as refusal:
        compiled(text)
    (only,) = refusal.value.diagnostics
    assert only.code == "E41003" and only.place is not None
    assert (only.place.line, only.place.column) == (2, 8)


def test_both_kinds_of_reference_are_told() -> None:
    fails, _ = examples("E52010", "slang")
    with pytest.raises(InputError) as refusal:
        compiled(fails.replace("__constref", "__ref"))
    assert ["'__ref' parameter of type 'I'" in one.message for one in refusal.value.diagnostics] == [True]


@pytest.mark.parametrize("code", ["E50102", "E50103", "RK2610"])
def test_a_page_of_the_report_is_of_what_it_tells(code: str) -> None:
    """What "fails" is told of, and what "passes" is not; both run."""
    for text, told in zip(examples(code, "slang"), (True, False), strict=True):
        module = reknit.load(text.encode(), format="slang", settings=Settings(entries=["computeMain"]))
        assert (code in [one.code for one in notes(dispatch_sites(module))]) == told
        assert not reknit.run(compiled(text), buffers={"data": [0] * 4}).failed()
