"""`typing` in the process of the command line: names stand in for it in reknit alone, and it comes when asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
import sys, types
for name in [name for name in sys.modules if name == "typing" or name.startswith("typing.")]:
    del sys.modules[name]
from reknit.cli.late_typing import import_typing_late
import_typing_late()
late = sys.modules["typing"]
def asked(module, text):
    made = types.ModuleType(module)
    exec(text, made.__dict__)
    return made
"""


def said(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", HEAD + script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_reknit_has_names_for_annotations() -> None:
    text = """
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, final
ONE: Final = 1
MANY: Final[dict[str, Any]] = {}
@final
class Held:
    kind: ClassVar[str] = "held"
    def all(self, given: Any | None, *more: "list[Any]") -> dict[str, Any] | None: return given
    def never(self) -> NoReturn: raise SystemExit
"""
    assert said(f"one = asked('reknit.one', {text!r}); print(one.Held().all(3), sys.modules['typing'] is late)") == (
        "3 True"
    )


@pytest.mark.parametrize("module", ["numpy.one", "__main__", "dataclasses", "one"])
@pytest.mark.parametrize("name", ["Any", "ClassVar", "Final", "NamedTuple", "Protocol"])
def test_others_have_typing_itself(module: str, name: str) -> None:
    found = f"asked({module!r}, 'from typing import {name}').{name}"
    assert said(f"found = {found}; import typing; print(found is typing.{name}, typing is not late)") == "True True"


def test_what_reknit_needs_more_is_typing_itself() -> None:
    text = "from typing import Final, Protocol"
    assert said(f"one = asked('reknit.one', {text!r}); import typing; print(one.Protocol is typing.Protocol)") == "True"


def test_a_data_class_of_others_has_its_class_variables() -> None:
    text = """
from typing import TYPE_CHECKING, ClassVar
from dataclasses import dataclass, fields
@dataclass
class Row:
    count: int
    kind: ClassVar[str] = "row"
NAMES = [field.name for field in fields(Row)]
"""
    assert said(f"print(asked('theirs', {text!r}).NAMES)") == "['count']"


def test_a_typed_dictionary_of_mypy_extensions_is_checked_by_typing() -> None:
    pytest.importorskip("mypy_extensions")
    script = """
import warnings
warnings.simplefilter("ignore")
from mypy_extensions import TypedDict, i64
print(i64(7), sorted(TypedDict("Row", {"count": int}).__annotations__))
try:
    import typing
    TypedDict("Row", {"count": typing.Generic})
except TypeError as error:
    print("refused")
"""
    assert said(script).splitlines() == ["7 ['count']", "refused"]


def test_a_process_that_imports_reknit_has_pythons_own() -> None:
    script = "import reknit.cli.main, reknit, typing; print(type(typing).__name__)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=Path(__file__).parent)
    assert done.stdout.strip() == "module", done.stderr
