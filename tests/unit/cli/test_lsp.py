"""`reknit lsp` where its package is missing; with it, tests/unit/editor has a session."""

import sys

import pytest

from reknit.cli.main import main


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert main(["lsp"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "error[RK0014]" in said.err and "pip install 'reknit[lsp]'" in said.err
