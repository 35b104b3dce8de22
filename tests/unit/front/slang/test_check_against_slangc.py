"""Slang's own compiler is asked about the pages' broken sources: it says the same code at the same place.

Left out are codes that it says later than `-no-codegen` goes, or with other options.
"""

import subprocess
from pathlib import Path

import pytest
from kit import oracles
from kit.text.explain_pages import examples
from kit.text.slang_checks import PAGES, said

LATER = {
    "E30029", "E30524", "E30607", "E33180", "E38000", "E38021", "E38206", "E41204", "E41400", "E41402",
    "E30120",  # it points at the member after `this`
    "E30517", "E30518",  # there more than one part is one too many, and a single one is taken
}  # fmt: skip
WARNINGS = ("E30081", "E30521", "E40004")


def first_of_slangc(text: str, folder: Path, severity: str) -> str:
    file = folder / "x.slang"
    file.write_text(text)
    command = [*oracles.need("slangc"), "-no-codegen", "-enable-machine-readable-diagnostics", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    for line in (done.stdout + done.stderr).splitlines():
        fields = line.split("\t")
        if len(fields) > 5 and fields[1] == severity:
            return f"{fields[0]} {fields[3]}:{fields[4]}"
    return ""


@pytest.mark.parametrize("code", [code for code in PAGES if code not in LATER])
def test_what_is_said_is_slangs(code: str, tmp_path: Path) -> None:
    severity = "warning" if code in WARNINGS else "error"
    text = examples(code, "slang")[0]
    assert said(text)[0].removeprefix("W ") == first_of_slangc(text, tmp_path, severity)


@pytest.mark.parametrize("code", [code for code in PAGES if code not in LATER])
def test_what_passes_does_there_too(code: str, tmp_path: Path) -> None:
    assert first_of_slangc(examples(code, "slang")[1], tmp_path, "error") == ""
