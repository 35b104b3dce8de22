"""The extension of VS Code: its package, and its code in Node against the server, with a stand-in for `vscode`."""

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "editors" / "vscode"

DRIVER = Path(__file__).parent / "vscode_driver.js"


def test_the_package_has_all_that_it_names(tmp_path: Path) -> None:
    out = tmp_path / "reknit.vsix"
    subprocess.run([sys.executable, ROOT / "tools" / "vsix.py", out], check=True)
    with zipfile.ZipFile(out) as package:
        names = set(package.namelist())
        described = xml.fromstring(package.read("extension.vsixmanifest"))
        types = xml.fromstring(package.read("[Content_Types].xml"))
        about = json.loads(package.read("extension/package.json"))
    assets = [each.get("Path") for each in described.iter() if each.tag.endswith("}Asset")]
    assert set(assets) <= names
    known = {each.get("Extension") for each in types}
    assert {"." + name.rpartition(".")[2] for name in names if name != "[Content_Types].xml"} <= known
    used = re.findall(r'"\./([^"]+)"', json.dumps(about))
    assert used and {f"extension/{name}" for name in used} | {"extension/client.js"} <= names
    for grammar in about["contributes"]["grammars"]:
        patterns = json.loads((FOLDER / grammar["path"]).read_text())["patterns"]
        assert patterns and all("name" in each for each in patterns)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")
@pytest.mark.skipif(find_spec("pygls") is None, reason="the language server needs pygls (reknit[lsp])")
def test_the_extension_shows_what_the_server_says(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "ballot_loop.rk").read_text()
    (tmp_path / "loop.rk").write_text(text.replace("ExecutionMode @main MaximallyReconvergesKHR\n", ""))
    command = json.dumps([sys.executable, "-m", "reknit", "lsp"])
    words = ["node", str(DRIVER), str(tmp_path / "loop.rk"), command, str(FOLDER / "extension.js")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["codes"] == ["RK3003"] and shown["line"] == shown["place"] == 27
    assert "RK3003" in shown["hover"] and "in line 27" in shown["hover"]
    assert shown["symbols"] == ["%words", "%Words", "%lane_id", "%result", "@main"][1:]
    assert shown["titles"] == ["Declare MaximallyReconvergesKHR"]
    assert shown["edits"] == ["ExecutionMode @main MaximallyReconvergesKHR\n"]
    assert shown["tokens"] == 0
