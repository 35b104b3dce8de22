"""The core modules: which they are, and which of them this Python would import compiled.

pyproject.toml's lists of patterns, a list a library  ->  source files  ->  modules, compiled or plain as installed
"""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "reknit"


def libraries(package: Path = PACKAGE) -> dict[str, list[Path]]:
    """The modules of each library, by the project's only list of core modules, in the build hook's settings."""
    import tomllib  # here, so that an older Python gets as far as being told that it is too old

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["core"]
    return {str(name): files(package, list(patterns[name])) for name in patterns}


def files(package: Path, patterns: list[str]) -> list[Path]:
    """The modules under `package` that the patterns name, sorted; "!" before a pattern takes out what it names.

    Packages' own `__init__.py` stay as they are.
    """
    found: set[Path] = set()
    for pattern in patterns:
        if pattern.startswith("!"):
            found.difference_update(package.glob(pattern[1:]))
        else:
            found.update(file for file in package.glob(pattern) if file.name != "__init__.py")
    return sorted(found)


def compiled() -> tuple[int, int]:
    """(how many core modules this Python imports compiled, how many there are)."""
    core = [file for files in libraries().values() for file in files]
    names = [".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in core]
    origins = [spec.origin or "" for name in names if (spec := importlib.util.find_spec(name)) is not None]
    return sum(1 for origin in origins if not origin.endswith(".py")), len(names)


def describe() -> str:
    """The installed build in one line, with where it is."""
    spec = importlib.util.find_spec("reknit")
    if spec is None or spec.origin is None:
        return "not installed"
    done, total = compiled()
    kind = "plain Python" if done == 0 else f"{done} of {total} core modules compiled"
    return f"{kind}, in {Path(spec.origin).parent}"


if __name__ == "__main__":
    print(describe())
    sys.exit(0)
