"""A begun pass is listed, runs, and has a test that fails as long as it does nothing."""

import shutil
import subprocess
import sys
from pathlib import Path

import new_pass
import pytest
from kit import ROOT
from kit.oracles import pass_document_runs
from kit.text import pass_documents

pytestmark = pytest.mark.once


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what the tool writes to."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (tmp_path / "tests" / "unit" / "passes" / "documents").mkdir(parents=True)
    monkeypatch.setattr(new_pass, "ROOT", tmp_path)
    return tmp_path


def test_it_is_known_and_its_test_fails(copy: Path) -> None:
    assert new_pass.main(["turn-ifs", "turn ifs around", "--folder", "ifs"]) == 0
    code = "import sys; from reknit.passes.catalog import catalog; print(catalog()['turn-ifs'].summary)"
    paths = {"PYTHONPATH": f"{copy / 'src'}:{ROOT / 'tests'}"}
    done = subprocess.run([sys.executable, "-c", code], env=paths, capture_output=True, text=True)
    assert done.stdout == "turn ifs around\n"
    document = copy / "tests" / "unit" / "passes" / "documents" / "turn-ifs.md"
    (section,) = pass_documents.sections(document)
    with pytest.raises(pass_documents.DocumentFault, match=r"turn-ifs.md:\d+: .*turn-ifs"):
        pass_document_runs.check(section)


def test_what_exists_stays(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (copy / "src" / "reknit" / "passes" / "catalog.py").read_text()
    for words, said in (
        (["merge-ifs", "x", "--folder", "ifs"], "is there already"),
        (["turn-ifs", "x", "--folder", "nowhere"], "no such folder"),
        (["TurnIfs", "x"], "verb-noun"),
    ):
        with pytest.raises(SystemExit):
            new_pass.main(words)
        assert said in capsys.readouterr().err
    assert (copy / "src" / "reknit" / "passes" / "catalog.py").read_text() == before
