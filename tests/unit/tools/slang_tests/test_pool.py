"""Each test has a process, a time limit and a memory limit of its own; outcomes come in the order of the tests."""

import sys

import pytest
from slang_tests import pool
from slang_tests.pool import Limits, Outcome, run_all

pytestmark = pytest.mark.once

LIMITED = "import resource; n = asked['memory'] << 20; resource.setrlimit(resource.RLIMIT_AS, (n, n)); "


def outcome_of(monkeypatch: pytest.MonkeyPatch, code: str, limits: Limits | None = None) -> Outcome:
    start = "import json, sys, time; asked = json.load(sys.stdin); "
    monkeypatch.setattr(pool, "COMMAND", [sys.executable, "-c", start + code])
    return next(run_all([("t", {})], limits if limits is not None else Limits(20, 1000)))


def test_what_the_process_says_is_the_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome_of(monkeypatch, "print(json.dumps({'status': 'pass', 'reason': '', 'detail': str(asked)}))")
    assert (found.test, found.status, found.detail) == ("t", "pass", "{'memory': 1000}")


def test_a_process_that_runs_on_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome_of(monkeypatch, "time.sleep(600)", Limits(1))
    assert (found.status, found.reason) == ("fail", "time limit")


def test_a_process_that_takes_too_much_or_crashes_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome_of(monkeypatch, LIMITED + "bytes(1 << 31)")
    assert (found.status, found.reason) == ("fail", "memory limit")
    found = outcome_of(monkeypatch, "raise KeyError('x')")
    assert (found.status, found.reason) == ("fail", "crash: KeyError")
    assert "Traceback" in found.detail


def test_outcomes_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import json, sys, time; asked = json.load(sys.stdin); time.sleep(asked['wait']); "
        "print(json.dumps({'status': 'pass', 'reason': '', 'detail': ''}))"
    )
    monkeypatch.setattr(pool, "COMMAND", [sys.executable, "-c", code])
    found = run_all([("slow", {"wait": 0.5}), ("fast", {"wait": 0})], Limits(20, 1000, 2))
    assert [outcome.test for outcome in found] == ["slow", "fast"]
