"""Other programs that reknit starts: a Python that runs a part of reknit, and tools on PATH.

    python_running("from reknit.a import main; main()", "x")   the words that start it; "x" is its sys.argv[1]
    find_program("spirv-val")                                  where the tool is, or None
    package_folder("slangpy")                                  where a package's files are, or None

None looks into the current folder, which may hold anything: a file called json.py or spirv-val must not be run for
lying beside a shader. A child imports the reknit that its parent is, whatever else is installed.
"""

import os
import sys
from typing import Final

from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.interrupt import sandboxes
from reknit.source.place import Place

_ROOT: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""What the package `reknit` lies in."""

# -I leaves out the current folder, PYTHONPATH and the user's packages: where the parent imports from comes by argument.
# reknit is loaded from its place, so that nothing of that name can stand before it.
_START: Final = """
import sys
root, count = sys.argv[1], int(sys.argv[2])
sys.path[:] = [*sys.argv[3:3 + count], root]
del sys.argv[1:3 + count]
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("reknit", root + "/reknit/__init__.py", submodule_search_locations=[root + "/reknit"])
sys.modules["reknit"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["reknit"])
"""


def python_running(code: str, *arguments: str) -> list[str]:
    """The words that have a Python of its own run `code`, in which reknit is there and `arguments` are sys.argv[1:]."""
    folders = _import_folders()
    return [sys.executable, "-I", "-c", _START + code, _ROOT, str(len(folders)), *folders, *arguments]


def package_folder(name: str) -> str | None:
    """The folder of an installed package, of which nothing is imported."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(name, _import_folders())
    return os.path.dirname(spec.origin) if spec is not None and spec.origin is not None else None


def find_program(name: str) -> str | None:
    """The path of a program in one of PATH's folders. Of these, relative ones and the empty one, which mean the current
    folder, don't count. None in a sandbox."""
    if sandboxes():
        return None
    folders = [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder)]
    if os.name != "nt":
        paths = [os.path.join(folder, name) for folder in folders]
        return next((path for path in paths if os.access(path, os.X_OK) and not os.path.isdir(path)), None)
    import shutil  # knows which endings a program may have there

    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def refuse_program(name: str, place: Place | None = None) -> None:
    """Raises InputError (RK0023) in a sandbox."""
    if sandboxes():
        message = f"{name} is an outside program, and the sandbox starts none"
        help = "give SPIR-V, .rk or Slang, which reknit reads itself"
        raise InputError([Diagnostic("RK0023", message, place, help=help)])


def _import_folders() -> list[str]:
    return [folder for folder in sys.path if os.path.isabs(folder) and not _is_current(folder)]


def _is_current(folder: str) -> bool:
    try:
        return os.path.samefile(folder, os.curdir)
    except OSError:  # one of them is gone
        return False
