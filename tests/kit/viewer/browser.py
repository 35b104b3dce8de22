"""Pages in headless Chromium: a script is put behind what the page has, and tells what it found in an element.

    page.html + <script> --chromium --dump-dom--> <pre id="told">{"first": ...}</pre>
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def in_browser(made: str, tmp_path: Path, code: str) -> Any:
    """What `code`, an expression over the page, gives; and no error is told on the console."""
    assert CHROMIUM is not None
    path = tmp_path / "page.html"
    kept = "const told = document.createElement('pre'); told.id = 'told'; document.body.append(told);"
    added = f"{kept} told.textContent = JSON.stringify(\n{code}\n);"
    path.write_text(f"{made}<script>{added}</script>", encoding="utf-8")
    words = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr",
        f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1280,800", "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, timeout=100)
    assert "CONSOLE" not in done.stderr, [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    found = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr
    return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
