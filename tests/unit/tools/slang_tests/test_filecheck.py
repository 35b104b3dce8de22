"""Checks in a source against a text, as the FileCheck manual describes them."""

import pytest
from slang_tests.filecheck import Broken, mismatch

pytestmark = pytest.mark.once

TEXT = "type: float\n1.000000\n2.5\n\n2.5\nabc  def 7 7\n"


@pytest.mark.parametrize(
    "checks",
    [
        ["CHECK: 1.0", "CHECK: 2.5", "CHECK: 2.5"],
        ["CHECK: type: float", "CHECK-NEXT: 1.{{0*$}}", "CHECK-NEXT: 2.5", "CHECK-EMPTY:", "CHECK-NEXT: 2.5"],
        ["CHECK: abc def", "CHECK-SAME: 7"],  # blanks are alike
        ["CHECK: abc", "CHECK-SAME: [[N:[0-9]+]] [[N]]"],
        ["CHECK: [[N:[0-9]]]{{[.]5}}", "CHECK: [[N]].5"],
        ["CHECK-DAG: 2.5", "CHECK-DAG: 1.0", "CHECK-DAG: 2.5", "CHECK: abc"],
        ["CHECK-COUNT-2: 2.5", "CHECK: abc"],
        ["CHECK-NOT: 9", "CHECK: abc", "CHECK-NOT: 1.0"],
        ["CHECK: {{^}}2.5{{$}}"],
        ["CHECK: {{[[:digit:]]+}}.000000"],
        ["CHECK: 1.0 ", "XCHECK: nothing", "CHECKED: nothing", "CHECK-OTHER: nothing"],
    ],
)
def test_met(checks: list[str]) -> None:
    assert mismatch("\n".join(f"// {check}" for check in checks), "CHECK", TEXT) is None


@pytest.mark.parametrize(
    ("checks", "line"),
    [
        (["CHECK: 2.5", "CHECK: 1.0"], 2),  # in order
        (["CHECK: type", "CHECK-NEXT: 2.5"], 2),
        (["CHECK: 1.0", "CHECK-SAME: 2.5"], 2),
        (["CHECK: 1.0", "CHECK-EMPTY:"], 2),
        (["CHECK-COUNT-3: 2.5"], 1),
        (["CHECK-DAG: 1.0", "CHECK-DAG: 1.0"], 2),  # the same text once
        (["CHECK-NOT: 1.0", "CHECK: abc"], 1),
        (["CHECK: abc", "CHECK-NOT: 7"], 2),
        (["CHECK: [[N:[0-9]]].5", "CHECK: abc", "CHECK-SAME: [[N]]"], 3),
        (["CHECK: 1.0.*"], 1),  # not an expression outside of braces
    ],
)
def test_not_met(checks: list[str], line: int) -> None:
    found = mismatch("\n".join(f"// {check}" for check in checks), "CHECK", TEXT)
    assert found is not None and found.startswith(f"line {line}: ")


def test_what_can_not_be_read_is_reported() -> None:
    assert mismatch("// nothing", "CHECK", TEXT) == "no CHECK lines"
    for check in ("{{(}}", "[[N]]", "[[!]]"):
        with pytest.raises(Broken):
            mismatch(f"// CHECK: {check}", "CHECK", TEXT)
