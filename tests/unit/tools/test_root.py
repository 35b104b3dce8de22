"""What stands at the root of the repository is listed here alone: a test or tool that writes there is found."""

import subprocess

from kit import ROOT

EXPECTED = {
    ".ci", ".github", ".gitignore", ".pre-commit-hooks.yaml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md",
    "action.yml", "docs", "editors", "examples", "playground", "pyproject.toml", "reports", "src", "tests", "tools",
}  # fmt: skip


def test_nothing_else_is_at_the_root() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        return  # an unpacked source archive is no repository
    assert {name.split("/")[0].strip('"') for name in listed.stdout.splitlines()} == EXPECTED
