"""The limit of memory where none is given: refused at once, reported as a limit, and not for other programs."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from reknit.cli.main import main
from reknit.source import memory
from reknit.source.limits import LimitExceeded

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")

ADDRESSES = "import resource; print(resource.getrlimit(resource.RLIMIT_AS)[0])"


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 2 << 30)


@pytest.mark.usefixtures("little")
def test_what_asks_for_more_at_once_is_refused() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(LimitExceeded, match=r"RK0021.*1 GiB") as caught, memory.usual_memory():
        bytearray(3 << 30)
    assert caught.value.limit == "memory" and caught.value.allowed == 1 << 30  # half of what is free
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    with memory.usual_memory():
        bytearray(512 << 20)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


@pytest.mark.usefixtures("little")
def test_programs_that_are_started_are_not_bounded() -> None:
    before = str(resource.getrlimit(resource.RLIMIT_AS)[0])
    with memory.usual_memory():
        assert str(resource.getrlimit(resource.RLIMIT_AS)[0]) != before
        with memory.lifted():
            done = subprocess.run([sys.executable, "-c", ADDRESSES], capture_output=True, text=True)
        assert str(resource.getrlimit(resource.RLIMIT_AS)[0]) != before
    assert done.stdout.strip() == before


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("option, code", [((), 3), (("--max-memory", "75%"), 0), (("--max-memory", "none"), 0)])
def test_a_command(option: tuple[str, ...], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that takes 1.2 GiB where one is allowed, by a stand-in for what reads it."""
    from reknit.cli import explain

    def takes(options: object) -> int:
        return 0 * len(bytearray((1 << 30) + (400 << 20)))

    monkeypatch.setattr(explain, "main", takes)
    assert main(["explain", "RK0001", *option]) == code


@pytest.mark.parametrize("text", ["0%", "101%", "%", "-5%", "1.5%", "٣%"])
def test_shares_that_are_refused(text: str) -> None:
    assert main(["explain", "RK0001", f"--max-memory={text}"]) == 2


def test_a_share_is_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 8 << 30)
    assert memory.usual_share() == 4 << 30
    assert memory.usual_share(0.25) == 2 << 30
    monkeypatch.setattr(memory, "free_memory", lambda: 1 << 20)
    assert memory.usual_share() == memory.MIN_BYTES
    monkeypatch.setattr(memory, "free_memory", lambda: 0)
    assert memory.usual_share() == 0
