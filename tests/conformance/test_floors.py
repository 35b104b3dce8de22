"""Other people's tests, by folder: as many pass as the files of floors say.

    pytest tests/conformance/test_floors.py --slang-tests ~/slang/tests --offload-tests ~/offload-test-suite/test
"""

import json
from pathlib import Path

import pytest
import run_offload_tests
import run_slang_tests

TOOLS = Path(run_slang_tests.__file__).parent
SLANG = TOOLS / "slang_tests" / "floors.json"
OFFLOAD = TOOLS / "offload_tests" / "floors.json"


def folder(config: pytest.Config, option: str) -> Path:
    given = config.getoption(option)
    if given is None:
        pytest.skip(f"{option} names no checkout: the tests of others are not part of the project")
    return Path(str(given))


def test_slangs_compute_tests(pytestconfig: pytest.Config) -> None:
    root = folder(pytestconfig, "--slang-tests")
    top = {name.split("/")[1] for name in json.loads(SLANG.read_text())}
    assert run_slang_tests.main([*(str(root / name) for name in sorted(top)), "--floors", str(SLANG)]) == 0


def test_the_offload_test_suite(pytestconfig: pytest.Config) -> None:
    root = folder(pytestconfig, "--offload-tests")
    assert run_offload_tests.main([str(root), "--floors", str(OFFLOAD)]) == 0
