"""Passes of other people: in a file that a pipeline names, or of an installed package that registers them.

    -p "dce, mine.py:tidy_up{n=4}"        the attribute `tidy_up` of mine.py, which is a `Pass`

    [project.entry-points."reknit.passes"]
    tidy-up = "my_package.tidy:TIDY_UP"   -p tidy-up

A pass is known by its own name from when it was first looked up. The file is run when it is first named, and again
where it changed since. None may have the name of a pass or pipeline that there is.
"""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

from reknit.passes.contract import Pass
from reknit.passes.pipelines import PIPELINES
from reknit.source.diagnostic import Diagnostic, InputError

GROUP: Final = "reknit.passes"
FILE: Final = ".py:"

_KNOWN: Final[dict[str, tuple[Pass, str]]] = {}
"""By name: the pass, and where it is from."""

_FILES: Final[dict[tuple[str, int], dict[str, object]]] = {}
"""By path and time of last change: what the file defines."""


def outside_pass(name: str, catalog: Mapping[str, Pass]) -> Pass | None:
    """The pass that a pipeline calls `name`: one of a file, one that was looked up before, or one that is registered;
    None for none. Raises InputError (RK2007) where there is something of that name, but no pass."""
    if FILE in name:
        path, _, attribute = name.rpartition(":")
        return _checked(_defined_in(path, name).get(attribute), name, f"'{attribute}'", path, catalog)
    if name in _KNOWN:
        return _KNOWN[name][0]
    for point in entry_points(group=GROUP, name=name):
        return _registered(point, catalog)
    return None


def registered_passes(catalog: Mapping[str, Pass]) -> list[Pass]:
    """All passes that installed packages register, by name."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return [_registered(point, catalog) for point in points]


def _registered(point: EntryPoint, catalog: Mapping[str, Pass]) -> Pass:
    origin = f"the entry point {point.name} = {point.value}"
    try:
        loaded = point.load()
    except (Exception, SystemExit) as error:  # whatever the package's own code raises
        raise _fault(f"{origin} can't be loaded: {type(error).__name__}: {error}") from error
    if isinstance(loaded, Pass) and loaded.name != point.name:
        raise _fault(f"{origin} is a pass of another name, '{loaded.name}'", "give both the same name")
    return _checked(loaded, point.name, f"'{point.value}'", origin, catalog)


def _defined_in(path: str, name: str) -> dict[str, object]:
    """The attributes of a Python file, which is run."""
    file = Path(path)
    if not file.is_file():
        raise _fault(f"there is no file {path}, which '{name}' names a pass of")
    key = (str(file.resolve()), file.stat().st_mtime_ns)
    if key not in _FILES:
        spec = spec_from_file_location(f"reknit_passes_of_{file.stem}", file)
        assert spec is not None  # its name ends in .py
        module = module_from_spec(spec)
        try:
            # No bytecode is read or kept: others may be allowed to write `__pycache__` where the file is its user's.
            exec(compile(file.read_bytes(), path, "exec", dont_inherit=True), vars(module))
        except (Exception, SystemExit) as error:  # whatever the file's own code raises
            raise _fault(f"{path} can't be run: {type(error).__name__}: {error}") from error
        _FILES[key] = vars(module)
    return _FILES[key]


def _checked(loaded: object, name: str, what: str, origin: str, catalog: Mapping[str, Pass]) -> Pass:
    if not isinstance(loaded, Pass):
        kind = "not there" if loaded is None else f"of type {type(loaded).__name__}, not a Pass"
        raise _fault(f"'{name}' is no pass: in {origin}, {what} is {kind}", "a pass is made with reknit.Pass(...)")
    other = _KNOWN.get(loaded.name)
    if loaded.name in catalog or loaded.name in PIPELINES or (other is not None and other[1] != origin):
        where = f"in {other[1]}" if other is not None else "of reknit's own"
        raise _fault(f"'{name}' is called {loaded.name}, as another one {where}", "give it a name of its own")
    _KNOWN[loaded.name] = (loaded, origin)
    return loaded


def _fault(message: str, help: str = "") -> InputError:
    return InputError([Diagnostic("RK2007", message, help=help)])
