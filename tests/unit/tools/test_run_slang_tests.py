"""The command: which files are tests, what it prints, how it ends."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import run_slang_tests
from slang_tests.pool import Limits, Outcome
from slang_tests.report import reasons, table

pytestmark = pytest.mark.once

COMPUTE = "//TEST(compute):COMPARE_COMPUTE(filecheck-buffer=BUF): -vk\n// BUF: 1\n"


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    """A repository with a test of each kind."""
    folder = tmp_path / "slang" / "tests"
    (folder / "a" / "deep").mkdir(parents=True)
    (folder / "b").mkdir()
    (folder / "a" / "one.slang").write_text(COMPUTE)
    (folder / "a" / "deep" / "two.slang").write_text(COMPUTE)
    (folder / "a" / "three.slang").write_text("//TEST:SIMPLE(filecheck=X): -target hlsl\n")
    (folder / "a" / "none.slang").write_text("//TEST:COMPARE_COMPUTE: -vk\n")
    (folder / "a" / "module.slang").write_text("int f() { return 1; }\n")
    (folder / "b" / "four.hlsl").write_text("//TEST:COMPARE_COMPUTE: -vk\n")
    (folder / "b" / "four.hlsl.expected.txt").write_text("1\n")
    return folder


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, str]]:
    """What each test comes to, in place of running it; those that are not named pass."""
    found: dict[str, tuple[str, str]] = {}

    def run_all(asked: list[tuple[str, dict[str, object]]], limits: Limits) -> Iterator[Outcome]:
        for name, _ in asked:
            status, reason = found.get(name, ("pass", ""))
            yield Outcome(name, status, reason, "why")

    monkeypatch.setattr(run_slang_tests, "run_all", run_all)
    return found


@pytest.mark.parametrize(
    ("options", "listed"),
    [
        ([], ["tests/a/deep/two.slang", "tests/a/one.slang", "tests/b/four.hlsl"]),
        (["--filter", "*/deep/*"], ["tests/a/deep/two.slang"]),
    ],
)
def test_files_with_expected_values_are_listed_in_order(
    tests: Path, options: list[str], listed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_slang_tests.main([str(tests), "--list", *options]) == 0
    assert capsys.readouterr().out.splitlines() == listed


def test_a_list_and_single_files_choose_tests(tests: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("tests/b/four.hlsl\n\ntests/a/three.slang\n")
    run_slang_tests.main([str(tests), "--list", "--only", str(chosen)])
    run_slang_tests.main([str(tests / "a" / "one.slang"), str(tests / "a"), "--list"])
    assert capsys.readouterr().out.split() == ["tests/b/four.hlsl", "tests/a/one.slang", "tests/a/deep/two.slang"]


def test_everything_passing_ends_with_zero(
    tests: Path, answers: dict[str, tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    answers["tests/a/one.slang"] = ("unsupported", "tuples")
    assert run_slang_tests.main([str(tests)]) == 0
    assert capsys.readouterr().out == (
        "folder               pass         fail  unsupported\n"
        "tests/a/deep            1            0            0\n"
        "tests/a                 0            0            1\n"
        "tests/b                 1            0            0\n"
        "all                     2            0            1\n"
        "\nunsupported:\n"
        "    1  tuples   (first: tests/a/one.slang)\n"
        "\nnot run: 1 no expected values, 1 other kind: SIMPLE\n"
    )


def test_a_failure_ends_with_one_and_is_in_the_json(
    tests: Path, tmp_path: Path, answers: dict[str, tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    answers["tests/b/four.hlsl"] = ("fail", "other values")
    product = tmp_path / "found.json"
    assert run_slang_tests.main([str(tests), "--json", str(product), "-v"]) == 1
    assert "fail         tests/b/four.hlsl  other values\n" in capsys.readouterr().out
    found = json.loads(product.read_text())
    assert found["counts"] == {"pass": 2, "fail": 1, "unsupported": 0}
    assert found["tests"][2] == {
        "test": "tests/b/four.hlsl", "status": "fail", "reason": "other values", "detail": "why",
    }  # fmt: skip
    assert found["skipped"] == {
        "tests/a/module.slang": "no test",
        "tests/a/none.slang": "no expected values",
        "tests/a/three.slang": "other kind: SIMPLE",
    }


def test_reasons_come_most_frequent_first() -> None:
    outcomes = [
        Outcome("t/1", "unsupported", "b", ""),
        Outcome("t/2", "unsupported", "a", ""),
        Outcome("t/3", "unsupported", "a", ""),
        Outcome("t/4", "fail", "c", ""),
    ]
    assert reasons(outcomes).split("\n") == [
        "", "fail:", "    1  c   (first: t/4)", "",
        "unsupported:", "    2  a   (first: t/2)", "    1  b   (first: t/1)",
    ]  # fmt: skip
    assert table([]).splitlines()[-1].split() == ["all", "0", "0", "0"]
