"""What all tests share.

    --full            also what takes minutes: larger samples, more seeds, the slow drivers
    --conformance D   the folder of expected results from outside (default: beside the checkout)
    --slang-tests D, --offload-tests D    checkouts of others' tests, of which as many must pass as the floors say

    full              marker: this test, or of its parameters those for which `when` holds, runs with --full alone
                      fixture: whether --full was given
    conformance       fixture: conformance("name.jsonl.gz") -> its path, or the test is skipped with the reason

No test finds machine code that an earlier one has kept (`REKNIT_CACHE`).

Every pipeline that a test runs is judged: a pass that leaves a module which breaks a rule of SPIR-V's control flow that
the pipeline's input kept fails the test (`reknit.files.judging`), unless the test is marked `breaks_rules`.

Hypothesis draws the same examples in every run, so that a failure in one place fails everywhere.
"""

import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import core_modules
import hypothesis
import pytest

from reknit.files.judging import EachPass
from reknit.passes.manager import ALWAYS

ROOT = Path(__file__).resolve().parent.parent
LEFT = pytest.StashKey[int]()

os.environ["REKNIT_CACHE"] = "off"

hypothesis.settings.register_profile(
    "steady", derandomize=True, deadline=None, database=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long tests too, with larger samples")
    parser.addoption("--slang-tests", metavar="DIR", help="the folder `tests` of a checkout of Slang")
    parser.addoption("--offload-tests", metavar="DIR", help="the folder `test` of a checkout of the offload-test-suite")
    parser.addoption("--conformance", default=str(ROOT.parent / "shared" / "conformance"), metavar="DIR")


def pytest_report_header() -> str:
    return f"reknit: {core_modules.describe()}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--full"):
        long = [item for item in items if only_in_full(item)]
        items[:] = [item for item in items if item not in set(long)]
        config.stash[LEFT] = len(long)
        config.hook.pytest_deselected(items=long)
    unit = ROOT / "tests" / "unit"
    for item in items:
        if unit in item.path.parents and item.get_closest_marker("once") is None:
            item.add_marker(pytest.mark.core)


def only_in_full(item: pytest.Item) -> bool:
    """Whether the marker `full` keeps the test, with its parameters, for runs with --full."""
    marker = item.get_closest_marker("full")
    if marker is None or "when" not in marker.kwargs:
        return marker is not None
    when: Callable[..., object] = marker.kwargs["when"]
    parameters: dict[str, object] = item.callspec.params  # type: ignore[attr-defined]
    return bool(when(*(parameters[name] for name in inspect.signature(when).parameters)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if left := config.stash.get(LEFT, 0):
        terminalreporter.write_line(f"{left} more with --full")


@pytest.fixture(autouse=True)
def judged(request: pytest.FixtureRequest) -> Iterator[None]:
    """Has every pass judged while the test runs."""
    if request.node.get_closest_marker("breaks_rules") is not None:
        yield
        return
    ALWAYS.append(EachPass)
    yield
    ALWAYS.remove(EachPass)


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the long tests run too."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(scope="session")
def conformance(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """Gives the path of a file of expected results from outside; skips the test where the folder does not hold it."""
    folder = Path(str(request.config.getoption("--conformance")))

    def find(name: str) -> Path:
        path = folder / name
        if not path.exists():
            pytest.skip(f"no {name} in {folder}: the expected results from outside are not part of the project")
        return path

    return find
