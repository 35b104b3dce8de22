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


def _wanted() -> bool:
    return os.environ.get("REKNIT_PURE") != "1"


class CoreBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled modules beside their sources; the import system prefers them."""

    def dependencies(self) -> list[str]:
        """What compiling needs: a plain wheel is built without it."""
        return COMPILING if _wanted() and why_not() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        if not _wanted():
            self.app.display_info("reknit: plain Python, as REKNIT_PURE=1 asks")
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
