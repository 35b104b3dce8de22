"""Passes of one's own: objects in a list, in a file that a pipeline names, registered by a package."""

import os
import py_compile
import subprocess
import sys
import time
from importlib.util import cache_from_source
from pathlib import Path

import pytest

import reknit
from reknit.ir import op
from reknit.ir.edit import erase
from reknit.ir.function import Function
from reknit.ir.text.parser import parse
from reknit.passes.contract import Context

TEXT = "func @f() -> void {\n  %a = IAdd 1u, 2u : u32\n  %b = IAdd 1u, 3u : u32\n  return\n}\n"

FILE = """\
import reknit
from reknit.ir import op
from reknit.ir.edit import erase

def drop(function, context):
    found = [instr for instr in function.instructions() if instr.op == op.IAdd][: context.options["most"]]
    for instr in found:
        erase(instr)
    return bool(found)

DROP = reknit.Pass("{name}", "take out additions", drop, options=(reknit.Option("most", 1, "how many"),))
"""


def drop_all(function: Function, context: Context) -> bool:
    context.counts["dropped"] = 0
    for instr in function.instructions():
        if instr.op == op.IAdd:
            erase(instr)
            context.counts["dropped"] += 1
    return context.counts["dropped"] > 0


DROP_ALL = reknit.Pass("drop-all", "take out all additions", drop_all)


def additions(module: reknit.Module) -> int:
    return sum(instr.op == op.IAdd for instr in module.function("f").instructions())


def test_a_list_of_names_passes_and_passes_with_options() -> None:
    module = parse(TEXT)
    report = reknit.compile(module, ["eliminate-phis, simplify-cfg", DROP_ALL], verify_each=True)
    assert [entry.name for entry in report.passes] == ["eliminate-phis", "simplify-cfg", "drop-all"]
    assert additions(module) == 0 and list(report.passes[2].counts.values()) == [{"dropped": 2}]
    option = reknit.Option("most", 1, "how many", ())
    limited = reknit.Pass("limited", "3 or not", lambda _, context: context.options["most"] == 3, options=(option,))
    module = parse(TEXT)
    given: list[str | reknit.Pass | reknit.PassSpec] = [reknit.PassSpec(limited, {"most": 3}), limited]
    assert [bool(entry.changed) for entry in reknit.compile(module, given).passes] == [True, False]
    for code, name, value in (("RK2003", "least", 1), ("RK2004", "most", "x"), ("RK2004", "most", True)):
        with pytest.raises(reknit.InputError, match=code):
            reknit.PassSpec(limited, {name: value})


def test_a_pass_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FILE.format(name="in-a-file"))
    for name, left in ((f"{file}:DROP", 1), (f"{file}:DROP{{most=2}}", 0), ("in-a-file", 1)):
        module = parse(TEXT)
        reknit.compile(module, f"simplify-cfg, {name}")
        assert additions(module) == left
    file.write_text(FILE.format(name="in-a-file").replace("IAdd]", "IMul]"))
    os.utime(file, ns=(0, time.time_ns() + 10**9))  # it changed
    module = parse(TEXT)
    reknit.compile(module, f"{file}:DROP")
    assert additions(module) == 2


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("DROP = 3", "DROP", "is of type int, not a Pass"),
        ("", "DROP", "'DROP' is not there"),
        ("1 / 0", "DROP", "can't be run: ZeroDivisionError"),
        ("def", "DROP", "can't be run: SyntaxError"),
        (FILE.format(name="dce"), "DROP", "called dce, as another one of reknit's own"),
        (FILE.format(name="reconverge"), "DROP", "called reconverge, as another one"),
        (FILE.format(name="in-a-file-too"), "DROP{few=1}", "RK2003.*no option 'few'"),
    ],
)
def test_what_is_no_pass_is_refused(text: str, name: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text)
    with pytest.raises(reknit.InputError, match=message):
        reknit.compile(parse(TEXT), f"{file}:{name}")
    with pytest.raises(reknit.InputError, match="RK2007.*no file"):
        reknit.compile(parse(TEXT), f"{tmp_path}/none.py:x")


def test_two_files_with_one_name(tmp_path: Path) -> None:
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(FILE.format(name="twice"))
    reknit.compile(parse(TEXT), f"{tmp_path}/one.py:DROP")
    with pytest.raises(reknit.InputError, match=r"RK2007.*called twice, as another one in .*one\.py"):
        reknit.compile(parse(TEXT), f"{tmp_path}/two.py:DROP")


def test_a_file_that_ends_the_process_is_no_pass(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(reknit.InputError, match="RK2007.*SystemExit: 3"):
        reknit.compile(parse(TEXT), f"{tmp_path}/ends.py:DROP")


def test_a_registered_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `pip install` leaves a package: its files, and what it registers beside them."""
    (tmp_path / "additions.py").write_text(FILE.format(name="drop-registered"))
    folder = tmp_path / "additions-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: additions\nVersion: 1.0\n")
    points = "drop-registered = additions:DROP\nmisnamed = additions:DROP\n"
    points += "absent = additions:NONE\nbroken = no_such:X\n"
    (folder / "entry_points.txt").write_text("[reknit.passes]\n" + points)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = parse(TEXT)
    reknit.compile(module, "drop-registered{most=2}")
    assert additions(module) == 0
    for name, message in (("misnamed", "of another name"), ("absent", "AttributeError"), ("broken", "No module named")):
        with pytest.raises(reknit.InputError, match=f"RK2007.*{message}"):
            reknit.compile(parse(TEXT), name)
    (folder / "entry_points.txt").write_text("[reknit.passes]\n" + points.splitlines()[0])
    command = [sys.executable, "-m", "reknit", "opt", "--list-passes"]
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    listed = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=True)
    assert ["drop-registered", "take", "out", "additions"] in [line.split() for line in listed.stdout.splitlines()]


def test_what_a_pass_raises_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(
        "import reknit\n\ndef bad(function, context):\n    return {}[function.name]\n\n"
        "BAD = reknit.Pass('bad', 'raises', bad)\n"
    )
    with pytest.raises(reknit.InputError, match="RK2008.*pass bad raised KeyError on function @f: 'f'") as caught:
        reknit.compile(parse(TEXT), f"{file}:BAD")
    (fault,) = caught.value.diagnostics
    assert fault.place is not None and (fault.place.file, fault.place.line) == (str(file), 4)
    assert isinstance(caught.value.__cause__, KeyError)
    program = tmp_path / "a.rk"
    program.write_text(TEXT)
    command = [sys.executable, "-m", "reknit", "opt", str(program), "-p", f"{file}:BAD"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("error[RK2008]: pass bad raised KeyError on function @f")
    assert not list(tmp_path.glob("reknit-crash-*"))  # it is no fault of reknit's own


class Additions(reknit.FunctionAnalysis):
    """How many additions a function has."""

    name = "additions"

    def __init__(self, count: int) -> None:
        self.count = count

    @staticmethod
    def compute(function: Function, analyses: reknit.Analyses) -> "Additions":
        return Additions(sum(instr.op == op.IAdd for instr in function.instructions()))

    def same_as(self, other: reknit.FunctionAnalysis) -> bool:
        return isinstance(other, Additions) and other.count == self.count


def test_an_analysis_of_ones_own_is_computed_anew_after_an_edit_and_promises_about_it_are_checked() -> None:
    counts: list[int] = []

    def count(function: Function, context: Context) -> bool:
        before = context.analyses.ask(Additions, function)
        assert context.analyses.ask(Additions, function) is before
        erase(next(instr for instr in function.instructions() if instr.op == op.IAdd))
        counts.extend([before.count, context.analyses.ask(Additions, function).count])
        return True

    module = parse(TEXT)
    reknit.compile(module, [reknit.Pass("count", "count", count)], verify_each=True)
    assert counts == [2, 1]
    liar = reknit.Pass("liar", "says that it keeps what it changes", drop_all, keeps=("additions",))
    asking = reknit.Pass("asking", "ask", lambda function, context: context.analyses.ask(Additions, function).count < 0)
    with pytest.raises(reknit.InternalError, match="pass liar changed additions of @f, which it says it keeps"):
        reknit.compile(module, [asking, liar], verify_each=True)


def test_no_bytecode_is_read(tmp_path: Path) -> None:
    """The folder `__pycache__` may be one that others may write, unlike the file."""
    path = tmp_path / "mine.py"
    path.write_text(FILE.replace("{name}", "from-source"))
    kept = Path(cache_from_source(str(path)))
    forged = tmp_path / "forged.py"
    forged.write_text(f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n" + path.read_text())
    py_compile.compile(str(forged), cfile=str(kept), doraise=True)
    change = path.stat()
    stamp = int(change.st_mtime).to_bytes(4, "little") + change.st_size.to_bytes(4, "little")
    kept.write_bytes(kept.read_bytes()[:8] + stamp + kept.read_bytes()[16:])  # what Python takes for that of the file
    module = parse(TEXT)
    reknit.compile(module, f"{path}:DROP")
    assert additions(module) == 1
    assert not (tmp_path / "ran").exists()
