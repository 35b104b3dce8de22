"""Machine code that is kept on disk: found again, never taken from a file that is not what reknit wrote."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.sim.engine import native_run
from reknit.sim.jit import cache, outside
from reknit.sim.jit import run as native_code
from reknit.sim.jit.processor import THOROUGH, Processor
from reknit.sim.policy import Policy
from reknit.sim.run import prepare

pytest.importorskip("llvmlite", reason="native code needs it")

SOURCE = """
RWStructuredBuffer<uint> result;
[shader("compute")]
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { result[id.x] = id.x * 3 + 1; }
"""
EXPECTED = [1, 4, 7, 10, 13, 16, 19, 22]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REKNIT_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept" / "native"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LLVM compiles from now on."""
    texts: list[str] = []
    compiled = outside.compiled

    def counted(text: str, processor: Processor, level: int) -> bytes:
        texts.append(text)
        return compiled(text, processor, level)

    monkeypatch.setattr(outside, "compiled", counted)
    return texts


def run(size: int = 8) -> None:
    result = reknit.run(compile_slang(SOURCE, "kernel.slang"), engine="jit", subgroup_size=size)
    assert result.engine == "jit" and result.buffers["result"].words == EXPECTED


def damaged_at(place: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def test_a_program_is_compiled_once(place: Path, compilations: list[str]) -> None:
    run()
    run()
    assert len(compilations) == len(list(place.iterdir())) == 1
    run(16)  # other code: other places in a vector
    assert len(compilations) == 2


def test_many_invocations_have_code_that_took_longer(
    place: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = prepare(compile_slang(SOURCE, "kernel.slang"), subgroup_size=8)
    for most, expected in ((1 << 16, 1), (0, 2), (1 << 16, 2)):  # few, many, and few again: what there is serves them
        monkeypatch.setattr(native_code, "MANY", most)
        result = program.run(Policy(), native=native_run("jit"))
        assert result.engine == "jit" and result.buffers["result"].words == EXPECTED
        assert len(compilations) == expected
    assert len(set(compilations)) == 1 and len(list(place.iterdir())) == 2


def test_another_processor_has_code_of_its_own(place: Path, compilations: list[str]) -> None:
    text = "define void @kernel() { ret void }"
    host = outside.host()
    for processor in (host, host.without("avx"), host):
        outside.object_of(text, processor, THOROUGH)
    assert len(compilations) == 2


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:20], lambda data: data[:-1], lambda data: data + b"\0",
    lambda data: b"another program's" + data, damaged_at(0), damaged_at(30), damaged_at(-9),
    lambda data: b"\x7fELF" * 99,
])  # fmt: skip
def test_a_damaged_file_is_compiled_again(
    damage: Callable[[bytes], bytes], place: Path, compilations: list[str]
) -> None:
    run()
    (path,) = place.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    run()
    assert len(compilations) == 2 and path.read_bytes() == whole


def test_code_of_another_key_is_not_taken(place: Path, compilations: list[str]) -> None:
    run()
    run(16)
    one, other = place.iterdir()
    one.write_bytes(other.read_bytes())
    run()
    run(16)
    assert len(compilations) == 3


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "writable"])
def test_what_is_no_file_of_ours_is_not_read(kind: str, place: Path, compilations: list[str], tmp_path: Path) -> None:
    run()
    (path,) = place.iterdir()
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(elsewhere)
    else:
        path.write_bytes(elsewhere.read_bytes())
        path.chmod(0o666)
    run()
    assert len(compilations) == 2


def test_a_folder_that_others_may_write_is_not_used(place: Path, compilations: list[str]) -> None:
    run()
    place.chmod(0o777)
    run()
    run()
    assert len(compilations) == 3 and "every user may write" in cache.described()


def test_a_folder_that_can_not_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("REKNIT_CACHE", str(tmp_path / "file" / "inside"))
    run()
    assert len(compilations) == 1 and "can't be written" in cache.described()


def test_the_folder_is_bounded(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were asked for last stay."""
    monkeypatch.setattr(cache, "MAX_FILES", 8)
    monkeypatch.setattr(cache, "MAX_BYTES", 100_000)
    keys = [cache.key_of(str(number)) for number in range(9)]
    for at, key in enumerate(keys):
        cache.keep(key, b"x" * 1000)
        os.utime(place / key, (at, at)) if (place / key).exists() else None
        assert cache.find(keys[0]) is not None
    assert len(list(place.iterdir())) == 6 and cache.find(keys[8]) is not None and cache.find(keys[1]) is None
    cache.keep(cache.key_of("large"), b"x" * 25_001)
    assert cache.find(cache.key_of("large")) is None
    for number in range(5):
        cache.keep(cache.key_of("half", str(number)), b"x" * 24_000)
    assert sum(path.stat().st_size for path in place.iterdir()) <= 100_000


def test_many_at_once(place: Path) -> None:
    """Each reads what it looks for whole or not at all, while others write, remove and trim."""
    def one(number: int) -> bool:
        key = cache.key_of(str(number % 7))
        code = key.encode() * 1000
        cache.keep(key, code)
        found = cache.find(key)
        if number % 5 == 0:
            cache.remove(place / key)
        return found in (None, code)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(400)))


def test_where_code_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By the XDG Base Directory Specification, which has relative paths ignored."""
    monkeypatch.delenv("REKNIT_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / ".cache/reknit/native"
    for given, expected in ((str(tmp_path / "x"), tmp_path / "x/reknit/native"), ("x", home), ("", home)):
        monkeypatch.setenv("XDG_CACHE_HOME", given)
        assert cache.folder() == expected
    for off in ("off", "0", ""):
        monkeypatch.setenv("REKNIT_CACHE", off)
        assert cache.folder() is None and cache.described() == "not kept (REKNIT_CACHE)"


def test_nothing_is_kept_where_it_is_switched_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("REKNIT_CACHE", "off")
    run()
    monkeypatch.delenv("REKNIT_CACHE")
    with reknit.Limits(sandbox=True):
        run()
    assert len(compilations) == 2 and list(tmp_path.iterdir()) == []
