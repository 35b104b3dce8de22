"""The workflows of .github: YAML as GitHub reads it, and each command is a script that runs anywhere."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from kit import ROOT

pytestmark = pytest.mark.once

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
OF_WORKFLOW = {"name", "on", "permissions", "concurrency", "jobs"}
OF_JOB = {"strategy", "runs-on", "needs", "if", "uses", "permissions", "environment", "steps"}
OF_STEP = {"uses", "with", "run", "env", "id"}
ACTION = re.compile(r"[a-z]+/[a-z-]+@(v\d+|release/v1)")
"""An action with the version that is meant."""


class Loader(yaml.SafeLoader):  # type: ignore[misc]  # untyped
    """YAML 1.2's booleans: `on` is a word, as GitHub has it."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:bool"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def loaded(path: Path) -> dict[str, Any]:
    workflow = yaml.load(path.read_text(encoding="utf-8"), Loader)
    assert isinstance(workflow, dict)
    return workflow


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_what_github_knows(path: Path) -> None:
    workflow = loaded(path)
    assert set(workflow) <= OF_WORKFLOW and {"on", "permissions", "jobs"} <= set(workflow)
    for name, job in workflow["jobs"].items():
        assert set(job) <= OF_JOB, name
        assert ("steps" in job) != ("uses" in job), name
        needed = job.get("needs", [])
        assert {needed} if isinstance(needed, str) else set(needed) <= set(workflow["jobs"])
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file() and "workflow_call" in loaded(ROOT / job["uses"])["on"]
        for step in job.get("steps", []):
            assert set(step) <= OF_STEP and ("run" in step) != ("uses" in step)
            if "uses" in step:
                assert ACTION.fullmatch(step["uses"]), step


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_what_a_workflow_runs_is_a_script_of_tools(path: Path) -> None:
    for job in loaded(path)["jobs"].values():
        for step in job.get("steps", []):
            if "run" in step:
                program, script, *_ = shlex.split(step["run"])
                assert program == "python" and script.startswith("tools/") and (ROOT / script).is_file()


def test_each_system_and_python_is_tested() -> None:
    matrix = loaded(FOLDER / "tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
