"""`--cluster`: a real scheduler and two workers on loopback, one of which is killed in the middle."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import reknit
from reknit.batching.batch import Plan, run
from reknit.batching.inputs import Inputs
from reknit.batching.recipe import recipe
from reknit.batching.reports import write_report
from reknit.batching.result import Batch
from reknit.batching.state import State

pytest.importorskip("distributed")
pytestmark = pytest.mark.once

SHADER = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize {size} 1 1
func @main() -> void {{
  return
}}
"""
WAITING = 30.0


def started(program: str, *words: str) -> subprocess.Popen[bytes]:
    code = f"from distributed.cli.{program} import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def ended(process: subprocess.Popen[bytes]) -> None:
    """With all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class Started(NamedTuple):
    address: str
    workers: list[subprocess.Popen[bytes]]
    scheduler: subprocess.Popen[bytes]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Started]:
    """Two workers of one thread each."""
    about = tmp_path / "scheduler.json"
    scheduler = started(
        "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(about)
    )
    workers: list[subprocess.Popen[bytes]] = []
    try:
        until = time.monotonic() + WAITING
        while not about.exists() or not about.read_text().strip():
            assert time.monotonic() < until, "no scheduler"
            time.sleep(0.05)
        import json

        address = json.loads(about.read_text())["address"]
        for number in range(2):
            folder = tmp_path / f"dask-{number}"
            words = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(folder))
            workers.append(started("dask_worker", address, *words))
        from distributed import Client

        with Client(address, timeout=WAITING, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=WAITING)
        yield Started(address, workers, scheduler)
    finally:
        for process in [*workers, scheduler]:
            ended(process)


def test_a_worker_that_goes_away_loses_nothing(cluster: Started, tmp_path: Path) -> None:
    address, workers, _ = cluster
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number:03}.rk").write_text(SHADER.format(size=number + 1))
    (folder / "broken.rk").write_text("nothing of this\n")
    here = reknit.batch("compile", folder, out=tmp_path / "here", jobs=1, reports=[tmp_path / "here.jsonl"])

    def kill(done: int, total: int) -> None:
        if done == 20:
            ended(workers[0])

    state = State(str(tmp_path / "state.sqlite"))
    ran = run(Plan(recipe("compile"), Inputs([str(folder)]), str(tmp_path / "there"), cluster=address), state, kill)
    there = Batch(state, ran)
    write_report(str(tmp_path / "there.jsonl"), state, "")
    state.close()
    assert there.counts == here.counts == {"refused": 1, "changed": 60}
    assert workers[0].poll() is not None and workers[1].poll() is None
    assert (tmp_path / "there.jsonl").read_bytes() == (tmp_path / "here.jsonl").read_bytes()
    names = sorted(path.name for path in (tmp_path / "here").iterdir())
    assert len(names) == 60
    for name in names:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_an_address_where_nothing_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reknit.batching.cluster.SECONDS", 1)
    with pytest.raises(reknit.InputError, match="RK1420"):
        reknit.batch("check", "examples/fallthrough.spvasm", cluster="tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("the scheduler is killed", "the scheduler at tcp://.* is gone: "),
        ("the scheduler is stopped", "the scheduler at tcp://.* is gone: it has not answered for 1 s"),
        ("the workers are killed", "the cluster at tcp://.* has had no worker for 2 s"),
    ],
)
def test_a_cluster_that_goes_away_is_named_and_what_was_done_is_kept(
    what: str, said: str, cluster: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reknit.batching.cluster.SECONDS", 1)
    monkeypatch.setattr("reknit.batching.cluster.PATIENCE", 2)
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number:03}.rk").write_text(SHADER.format(size=number + 1))

    def strike(done: int, total: int) -> None:
        if done != 10:
            return
        if what == "the scheduler is stopped":
            os.killpg(cluster.scheduler.pid, signal.SIGSTOP)
        for process in cluster.workers if "workers" in what else [cluster.scheduler]:
            if "killed" in what:
                ended(process)

    state = State(str(tmp_path / "state.sqlite"))
    plan = Plan(recipe("compile"), Inputs([str(folder)]), str(tmp_path / "out"), cluster=cluster.address)
    with pytest.raises(reknit.InputError, match=f"RK1421.*{said}"):
        run(plan, state, strike)
    state.close()
    state = State(str(tmp_path / "state.sqlite"))
    ran = run(Plan(recipe("compile"), Inputs([str(folder)]), str(tmp_path / "out"), jobs=1), state, None)
    assert ran.known >= 10 and Batch(state, ran).counts == {"changed": 60}
    state.close()
