"""A document that is wrong, or a pass that is, fails by a message that names the file and the line."""

import re
from pathlib import Path

import pytest
from kit import ROOT
from kit.oracles.pass_document_runs import check
from kit.text.pass_documents import DocumentFault, sections

TITLE = "# simplify-cfg\n"
ARM = "```rk before\nif true { SEE 1 }\nreturn\n```\n"
RIGHT = "```rk after\nSEE 1\nreturn\n```\n"
UNCHANGED = f"{TITLE}## A\n```rk unchanged\n"
RUNS = f"{TITLE}## Takes the arm\n{ARM}"
FLAT = "# structurize\n## A\n```rk before\n  Branch %a\n%a:\n  Store %slot, 1u\n  return\n```\n"
OPEN = (  # a loop that the graph leaves open: two readings, of which the pass takes one
    "# structurize\n## A\n```rk before\n  Branch %h\n%h:\n  SEE 1\n  %i = Load %slot : u32\n"
    "  %c = ULessThan %i, 100u : bool\n  BranchConditional %c %h %end\n%end:\n  SEE 2\n  return\n```\n"
)
LEFT = (
    "```rk after structurize, simplify-cfg\nloop @h {\n  %h:\n  SEE 1\n  %i = Load %slot : u32\n"
    "  %c = ULessThan %i, 100u : bool\n  if %c nojoin { } else { break @h }\n}\n%end:\nSEE 2\nreturn\n```\n"
    "```notes\nRK2501\n```\n"
)
TREE = "```rk after\n%a:\nStore %slot, 1u\nreturn\n```\n"


def fault(tmp_path: Path, text: str) -> str:
    """What is said of a document of this text, without the folder."""
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DocumentFault) as caught:
        for section in sections(path):
            check(section)
    return str(caught.value).removeprefix(f"{tmp_path}/")


def test_a_document_that_is_right(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"{RUNS}{RIGHT}```rk wrong\nreturn\n```\n| lane | 0 | 1 |\n|---|---|---|\n| out | 0 | 0 |\n")
    (section,) = sections(path)
    check(section)


def test_the_example_of_the_guide(tmp_path: Path) -> None:
    """CONTRIBUTING.md's document, of the pass that does what its example says."""
    found = re.search(r"^````md\n(.*?)^````$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None
    path = tmp_path / "a.md"
    path.write_text(found[1].replace("# sink-loads", "# sink", 1))
    (section,) = sections(path)
    check(section)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prose alone\n", "a.md:1: a document has a section for each test"),
        (RUNS, "a.md:2: section 'Takes the arm' has no block `after`, `unchanged` or `refused`"),
        (f"{RUNS}{RIGHT}## Takes the arm\n", "a.md:11: there are two sections 'Takes the arm'"),
        (f"{TITLE}## A\n{RIGHT}", "a.md:3: there is no block `before` above"),
        (f"{TITLE}{ARM}", "a.md:2: a block `rk before` belongs into a section"),
        (f"{RUNS}{ARM}", "a.md:7: the section has a block `before` already"),
        (f"{RUNS}```rk unchanged\nreturn\n```\n", "a.md:7: write `unchanged` as the text of a block `after`"),
        (f"{RUNS}```rk behind\n```\n", "a.md:7: there is no block `rk behind`; there are rk before, rk after"),
        (f"{RUNS}```python\n```\n", "a.md:7: there is no block `python`"),
        (f"{RUNS}```rk after\nreturn\n", "a.md:7: this block has no closing fence"),
        (f"{RUNS}```notes\nRK2210\n```\n", "a.md:7: notes belong to a block `after` or `unchanged` above them"),
        (f"{TITLE}```run\nalways: yes\n```\n", "a.md:2: there is no key 'always'; there are again, "),
        (f"{TITLE}```run\nagain: no\n```\n", "a.md:2: 'again' can be changes, not 'no'"),
        (f"{RUNS}| lane | 1 |\n", "a.md:7: lanes are counted from 0"),
        (f"{RUNS}| lane | 0 |\n| in | 1 |\n", "a.md:8: a row is `out` or `out SIZE`, with a word for each of 1 lanes"),
        (f"{RUNS}| lane | 0 |\n| out | one |\n", "a.md:8: 'one' is no number"),
    ],
)
def test_what_is_not_well_formed(text: str, said: str, tmp_path: Path) -> None:
    assert fault(tmp_path, text).startswith(said)


@pytest.mark.breaks_rules
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{RUNS}```rk after\nSEE 2\nreturn\n```\n", "a.md:8: simplify-cfg makes another text:\n--- expected"),
        (f"{RUNS}```rk after\nunchanged\n```\n", "a.md:8: simplify-cfg makes another text:\n--- expected"),
        (f"{RUNS}```rk after dce\nSEE 1\nreturn\n```\n", "a.md:8: dce makes another text:"),
        (f"{RUNS}{RIGHT}```notes\nRK2210\n```\n", "a.md:8: simplify-cfg reports something else:\n"),
        (f"{RUNS}```refused\nRK2005\n```\n", "a.md:8: simplify-cfg does not refuse it"),
        (f"{RUNS}```rk after lower-switches\n```\n", "a.md:8: lower-switches refuses it: "),
        (f"{RUNS}```refused lower-switches\nRK2004\n```\n", "a.md:8: lower-switches reports something else:\n"),
        (f"{RUNS}{RIGHT}```rk wrong\nSEE 1\nreturn\n```\n", "a.md:12: this text may stand for `before`"),
        (f"{RUNS}```run\nopen: a loop\n```\n{RIGHT}", "a.md:11: simplify-cfg is proved for every input: take"),
        (f"{OPEN}{LEFT}", "a.md:15: structurize, simplify-cfg is not proved for every input: proved for"),
        (f"{OPEN}```run\nopen: a switch\n```\n{LEFT}", "a.md:18: structurize, simplify-cfg is not proved for every"),
        (f"{FLAT}```run\nopen: a loop\n```\n{TREE}", "a.md:13: structurize is proved for every input: take out"),
        (f"{RUNS}```run\nagain: changes\n```\n{RIGHT}", "a.md:11: a second run of simplify-cfg changes nothing"),
        (f"{RUNS}```run\nspirv-val: OpKill\n```\n{RIGHT}", "a.md:4: spirv-val says of what is written of it: valid"),
        (f"{RUNS}| lane | 0 |\n| out | 5 |\n{RIGHT}", "a.md:8: at subgroup size 4 `out` is [15], and not [5]"),
        (UNCHANGED + "if true { SEE 1\nreturn\n```\n", "a.md:4: the text of `unchanged` can't be read"),
        (UNCHANGED + "%x = IAdd %x, 1u : u32\nreturn\n```\n", "a.md:4: the text of `unchanged` does not verify"),
    ],
)  # fmt: skip
def test_what_does_not_hold(text: str, said: str, tmp_path: Path) -> None:
    assert fault(tmp_path, text).startswith(said)


OTHER = "%s = IAdd %lane, 1u : u32\nStore %slot, %lane\nreturn"
FILE = """import reknit
from reknit.ir import op
from reknit.ir.edit import erase

def change(function, context):
    store = [instr for instr in function.instructions() if instr.op == op.Store][:1]
    for instr in store:
        CHANGE
    return RETURNED

CHANGE = reknit.Pass("change-{name}", "changes what is stored", change)
"""


@pytest.mark.parametrize(
    ("change", "after", "returned", "said"),
    [
        ("erase(instr)", "return", "bool(store)", "changes what it does: <main, subgroups of 4: "),
        ("instr.set_operand(1, instr.instr(1).instr(0))", OTHER, "bool(store)", "changes what it does: "),
        ("instr.set_operand(1, instr.instr(1).instr(0))", OTHER, "False", "reports no change of what it changed"),
    ],
    ids=["a store that goes", "another value", "a change that is not reported"],
)  # fmt: skip
def test_a_pass_that_changes_what_is_stored(change: str, after: str, returned: str, said: str, tmp_path: Path) -> None:
    """The text is the one that the document has, so that it is the proof that finds it."""
    name = tmp_path.name.replace("_", "-")
    file = tmp_path / f"{name}.py"
    file.write_text(FILE.format(name=name).replace("CHANGE\n", f"{change}\n", 1).replace("RETURNED", returned))
    before = "```rk before\n%s = IAdd %lane, 1u : u32\nStore %slot, %s\nreturn\n```\n"
    if after == "return":
        after = "%s = IAdd %lane, 1u : u32\nreturn"
    text = f"# {file}:CHANGE\n## A\n{before}```rk after\n{after}\n```\n"
    assert f":9: {file}:CHANGE {said}" in fault(tmp_path, text)
