"""Hatchling's build hook: a wheel with a compiled core where there is a C compiler, a plain one where not.

    pip install .                  compiled core, or plain Python with a line that says why
    REKNIT_PURE=1 pip install .    plain Python, asked for (read here, at build time, and nowhere else)

The plain and the compiled build behave the same; editable installs are always plain.
"""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

import core_modules
from compile_core import compile_core, why_not

COMPILING = ["mypy==2.4.1", "librt>=0.16,<1", "setuptools>=68"]


def why_plain(root: Path) -> str:
    """Why a build that could compile doesn't; "" where it does."""
    if os.environ.get("REKNIT_PURE") == "1":
        return "as REKNIT_PURE=1 asks"
    if root.name.startswith("repo") and (root.parent / "db.db").is_file():
        return "since pre-commit builds it, whose hooks are there in seconds so"  # its store: clones and a database
    return ""


class CoreBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled modules beside their sources; the import system prefers them."""

    def dependencies(self) -> list[str]:
        """What compiling needs: a plain wheel is built without it."""
        return COMPILING if not why_plain(Path(self.root)) and why_not() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        if plain := why_plain(Path(self.root)):
            self.app.display_info(f"reknit: plain Python, {plain}")
            return
        if reason := why_not():
            self.app.display_warning(f"reknit: plain Python, slower but the same, because {reason}")
            return
        root = Path(self.root)
        libraries = core_modules.libraries(root / "src" / "reknit")
        for library, target in compile_core(root, libraries, jobs=os.cpu_count() or 1).items():
            build_data["force_include"][str(library)] = target
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        self.app.display_info(f"reknit: compiled {sum(map(len, libraries.values()))} core modules")
