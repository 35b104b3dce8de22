"""A script from a file, and its shaders as modules.

    x.amber, x.vkscript ── by the ending ──▶ Script       Shader ── front.load ──▶ Module

A script that stands in no file can't name others.
"""

from reknit.files.formats import ending
from reknit.files.streams import as_text, read_bytes
from reknit.front.amber.parse_amber import parse_amber
from reknit.front.amber.parse_vkscript import parse_vkscript
from reknit.front.amber.script import VKSCRIPT, Script, Shader
from reknit.front.load import load_bytes
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError


def load_script(path: str) -> Script:
    """Raises InputError: RK0001, RK0008 (not text), RK0701 (not a script), RK0702 (not run here)."""
    text = as_text(read_bytes(path), path)
    return parse_vkscript(text, path) if ending(path) == VKSCRIPT else parse_amber(text, path)


def module_of(script: Script, shader: Shader) -> Module:
    """The shader's module; what is wrong with it is reported by the script's lines. Raises InputError."""
    try:
        module = load_bytes(shader.source, shader.language, script.path)
    except InputError as error:
        for diagnostic in error.diagnostics:
            place = diagnostic.place
            if place is not None and place.line > 0:
                place.line += shader.line - 1
        raise
    for note in module.notes:
        if note.place is not None and note.place.line > 0:
            note.place.line += shader.line - 1
    return module
