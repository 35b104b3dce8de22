"""Where slangpy has glslang as a library, which Slang calls, and how a process is started that compiles GLSL by it.

    library()                                path, or None; nothing of the package is imported
    command(library, source, product, ...)   words that start the process, which answers as glslangValidator does
"""

import glob
import os
from typing import Final

from reknit.source.child import package_folder, python_running
from reknit.source.interrupt import sandboxes

PACKAGE: Final = "slangpy"
_FILES: Final = ("libslang-glslang*.so*", "libslang-glslang*.dylib", "slang-glslang*.dll")
_START: Final = "from reknit.front.glslang_child import main; main()"


def library() -> str | None:
    """None in a sandbox, too."""
    folder = None if sandboxes() else package_folder(PACKAGE)
    if folder is None:
        return None
    paths = [path for pattern in _FILES for path in glob.glob(os.path.join(glob.escape(folder), pattern))]
    return min(paths, default=None)


def is_library(path: str) -> bool:
    """Whether a compiler's path is that of this library, which is no program."""
    return "slang-glslang" in os.path.basename(path)


def command(library: str, source: str, product: str, stage: str, debug: bool, version: str) -> list[str]:
    return python_running(_START, library, source, product, stage, "lines" if debug else "", version)
