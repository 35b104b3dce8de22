"""Archives: the same results as from a folder, and what a hostile one may try is refused by name."""

import io
import json
import os
import random
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

import reknit
from reknit.batching import archives
from reknit.batching.archives import leads_elsewhere
from reknit.cli.main import main

from .conftest import SHADER

pytestmark = pytest.mark.once


def packed(path: Path, members: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zip:
            for name, data in members.items():
                zip.writestr(name, data)
        return path
    mode = {"gz": "w:gz", "tgz": "w:gz", "bz2": "w:bz2", "xz": "w:xz"}.get(path.name.rpartition(".")[2], "w")
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for name, data in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(data)
            tar.addfile(about, io.BytesIO(data))
    return path


READ = "read"


def verdicts(path: Path) -> dict[str, str]:
    """READ, or the code of the refusal, by the name below the archive; the archive's own comes last, as ""."""
    said: dict[str, str] = {}
    try:
        with archives.Reader(str(path)) as reader:
            for entry in archives.entries(str(path)):
                if entry.fault is not None:
                    said[entry.name] = entry.fault.code
                    continue
                try:
                    reader.read(entry.number, entry.name)
                    said[entry.name] = READ
                except reknit.InputError as error:
                    said[entry.name] = error.diagnostics[0].code
    except reknit.InputError as error:
        said[""] = error.diagnostics[0].code
    return said


SOUND = {f"a/{size}.rk": SHADER.format(size=size).encode() for size in (1, 2, 3)}


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz", "a.tar.bz2", "a.tar.xz"])
def test_members_are_read(name: str, tmp_path: Path) -> None:
    path = packed(tmp_path / name, SOUND)
    assert verdicts(path) == dict.fromkeys(SOUND, READ)
    with archives.Reader(str(path)) as reader:
        assert [reader.read(number, name) for number, name in enumerate(SOUND)] == list(SOUND.values())


@pytest.mark.parametrize("name", ["a.zip", "a.tgz"])
def test_members_are_inputs(name: str, tmp_path: Path) -> None:
    path = packed(tmp_path / name, {**SOUND, "a/readme.txt": b"no shader", "a/bad.rk": b"nothing of this\n"})
    out = tmp_path / f"out-{name}"
    done = reknit.batch("compile", path, out=out, jobs=1, reports=[tmp_path / "r.jsonl"])
    assert done.counts == {"refused": 1, "changed": 3}
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [line["input"] for line in lines] == [f"{path}/a/{each}" for each in ("1.rk", "2.rk", "3.rk", "bad.rk")]
    assert [line["output"] for line in lines] == ["a/1.rk.spv", "a/2.rk.spv", "a/3.rk.spv", ""]
    first = out.read_bytes()
    time.sleep(0.01)
    reknit.batch("compile", path, out=out, jobs=2)
    assert out.read_bytes() == first  # the same bytes, whenever it is written
    assert verdicts(out) == {f"a/{size}.rk.spv": READ for size in (1, 2, 3)}


@pytest.mark.parametrize(
    "name", ["../a.rk", "a/../../b.rk", "/etc/a.rk", "..\\a.rk", "C:\\a.rk", "C:a.rk", "a\0.rk", "", "x" * 5000]
)
def test_names_that_lead_elsewhere(name: str) -> None:
    assert leads_elsewhere(name)


def test_names_that_do_not() -> None:
    assert not any(leads_elsewhere(name) for name in ("a.rk", "a/b.rk", "..a/b..rk", "a/.rk/c", "ä/b.rk"))


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_a_name_that_leads_out_is_refused_and_nothing_is_written_there(name: str, tmp_path: Path) -> None:
    path = packed(tmp_path / name, {**SOUND, "../../escaped.rk": SOUND["a/1.rk"], "/tmp/escaped.rk": SOUND["a/1.rk"]})
    done = reknit.batch("compile", path, out=tmp_path / "deep" / "out", jobs=1)
    assert done.counts == {"refused": 2, "changed": 3}
    assert [each.code for item in done for each in item.diagnostics] == ["RK1403", "RK1403"]
    assert not list(tmp_path.rglob("escaped*"))


def test_links_and_devices_are_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret.rk"
    secret.write_text(SHADER.format(size=9))
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar:
        for name, kind in (("s.rk", tarfile.SYMTYPE), ("h.rk", tarfile.LNKTYPE), ("f.rk", tarfile.FIFOTYPE)):
            about = tarfile.TarInfo(name)
            about.type = kind
            about.linkname = str(secret)
            tar.addfile(about)
        about = tarfile.TarInfo("a.rk")
        about.size = len(SOUND["a/1.rk"])
        tar.addfile(about, io.BytesIO(SOUND["a/1.rk"]))
    assert verdicts(path) == {"s.rk": "RK1404", "h.rk": "RK1404", "f.rk": "RK1404", "a.rk": READ}
    zipped = tmp_path / "a.zip"
    with zipfile.ZipFile(zipped, "w") as zip:
        link = zipfile.ZipInfo("s.rk")
        link.external_attr = 0o120777 << 16
        zip.writestr(link, str(secret))
        zip.writestr("a.rk", SOUND["a/1.rk"])
    assert verdicts(zipped) == {"s.rk": "RK1404", "a.rk": READ}


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members that are much larger than they are packed: by what their heads say, and where these are wrong."""
    monkeypatch.setattr(archives, "MAX_BYTES", 1 << 20)
    large = bytes(8 << 20)
    zipped = packed(tmp_path / "a.zip", {"bomb.rk": large, **SOUND})
    assert zipped.stat().st_size < 1 << 16
    sound = dict.fromkeys(SOUND, READ)
    assert verdicts(zipped) == {"bomb.rk": "RK1405", **sound}
    data = zipped.read_bytes().replace((8 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    (tmp_path / "lies.zip").write_bytes(data)
    said = verdicts(tmp_path / "lies.zip")
    assert said.pop("bomb.rk") in ("RK1402", "RK1405")
    assert said == sound
    plain = packed(tmp_path / "a.tar", {"bomb.rk": large, **SOUND})  # not packed: what is behind it is read
    assert verdicts(plain) == {"bomb.rk": "RK1405", **sound}
    tgz = packed(tmp_path / "a.tgz", {"a/0.rk": SOUND["a/1.rk"], "bomb.rk": large, **SOUND})
    assert verdicts(tgz) == {"a/0.rk": READ, "": "RK1405"}


@pytest.mark.parametrize("name", ["a.zip", "a.tgz"])
def test_members_that_are_many_times_what_the_archive_takes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "ALWAYS_UNPACKED", 4 << 20)
    zeros = bytes(1 << 20)
    path = packed(tmp_path / name, SOUND | {f"{at}.rk": zeros for at in range(20)})
    assert 100 * path.stat().st_size < 4 << 20
    with pytest.raises(reknit.InputError) as refused:
        list(archives.entries(str(path)))
    said = refused.value.diagnostics[0]
    assert said.code == "RK1405"
    assert said.message == "the members of the archive have more than 4 MiB in all, 100 times what it takes"
    noise = {f"{at}.rk": random.Random(at).randbytes(1 << 20) for at in range(6)}
    assert len(list(archives.entries(str(packed(tmp_path / name, noise))))) == 6


def test_a_long_name_that_is_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads a name of any length at once; a head may say that it has gigabytes."""
    monkeypatch.setattr(archives, "MAX_BYTES", 1 << 20)
    path = tmp_path / "a.tgz"
    with tarfile.open(path, "w:gz") as tar:
        about = tarfile.TarInfo("././@LongLink")
        about.type = tarfile.GNUTYPE_LONGNAME
        about.size = 8 << 20
        tar.addfile(about, io.BytesIO(b"x" * (8 << 20)))
    assert verdicts(path) == {"": "RK1402"}


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz", "a.tar.xz", "a.tar.bz2"])
def test_damaged_archives_are_refused(name: str, tmp_path: Path) -> None:
    """Cut, and with bytes changed, at places over all of it: a refusal or the members, and no exception."""
    whole = packed(tmp_path / name, SOUND).read_bytes()
    path = tmp_path / f"damaged-{name}"
    kinds: set[str] = set()
    for step in range(1, 24):
        at = step * len(whole) // 24
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]):
            path.write_bytes(data)
            kinds.update(verdicts(path).values())
    assert "RK1402" in kinds and kinds <= {"RK1402", "RK1403", "RK1404", "RK1405", READ}


def test_an_encrypted_member(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"a.rk": SOUND["a/1.rk"]})
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1  # general purpose bit 0: encrypted (APPNOTE.TXT 4.4.4)
    path.write_bytes(data)
    assert verdicts(path) == {"a.rk": "RK1402"}
    with archives.Reader(str(path)) as reader, pytest.raises(reknit.InputError, match="the member .* is encrypted$"):
        reader.read(0, "a.rk")


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are no bytes there")
@pytest.mark.parametrize(("out", "verdict"), [("out.zip", "refused"), ("out.tar", "unchanged")])
def test_names_that_are_not_utf8_are_no_names_of_a_zip(
    out: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path(os.fsdecode(b"in/\xff.rk")).write_text(SHADER.format(size=1))
    Path("in/sound.rk").write_text(SHADER.format(size=2))
    done = reknit.batch("opt", "in", passes="dce", out=out, jobs=1, to="rk")
    assert [item.verdict == "refused" for item in done] == [False, verdict == "refused"]
    if verdict == "refused":
        assert [each.code for item in done for each in item.diagnostics] == ["RK0007"]
        with zipfile.ZipFile(out) as zip:
            assert zip.namelist() == ["sound.rk"]
    else:
        with tarfile.open(out) as tar:
            assert len(tar.getnames()) == 2


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.zip"])
def test_of_members_with_one_name_the_last_is_taken(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `tar -x` and `unzip -o` leave it; `./` and `//` in a name make no other file."""
    monkeypatch.chdir(tmp_path)
    members = [("a/1.rk", 1), ("b.rk", 2), ("./a//1.rk", 3), ("a/./1.rk", 4), ("b.rk", 5)]
    if name.endswith(".zip"):
        with zipfile.ZipFile(name, "w") as zip, pytest.warns(UserWarning, match="Duplicate"):
            for member, size in members:
                zip.writestr(member, SHADER.format(size=size))
    else:
        with tarfile.open(name, "w:gz" if name.endswith("gz") else "w") as tar:
            for member, size in members:
                data = SHADER.format(size=size).encode()
                about = tarfile.TarInfo(member)
                about.size = len(data)
                tar.addfile(about, io.BytesIO(data))
    done = reknit.batch("compile", [name], out="out", jobs=1)
    assert sorted(done.replaced) == [f"{name}/a/1.rk", f"{name}/b.rk"]
    assert [item.input for item in done] == [f"{name}/a/1.rk", f"{name}/b.rk"]
    sizes = {path: reknit.load(f"out/{path}.spv").execution_modes[0].word(2) for path in ("a/1.rk", "b.rk")}
    assert sizes == {"a/1.rk": 4, "b.rk": 5}
    assert main(["batch", "check", name, name, "--exclude", "b.rk"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("1 input: 1 clean")
    assert said.err.count("several members of this name") == 1 and f"{name}/a/1.rk: " in said.err


def test_an_archive_that_cannot_be_written_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.rk").write_text(SHADER.format(size=1))
    for out in ("x.rar", "x.7z", "x.tar.zst", "x.spv.gz"):
        with pytest.raises(reknit.InputError, match="RK0007.*can't be written"):
            reknit.batch("compile", "a.rk", out=out, jobs=1)
    assert not list(Path().glob("x.*"))
    reknit.batch("compile", "a.rk", out="x.rar/", jobs=1)  # a folder, as the slash says
    reknit.batch("compile", "a.rk", out="x.rar", jobs=1)  # which is there
    assert Path("x.rar/a.rk.spv").is_file()
