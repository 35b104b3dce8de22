"""A script from a file, and its shaders as modules.

    x.amber, x.vkscript ── by its first line ──▶ Script       Shader ── front.load ──▶ Module

As in Amber, what begins with `#!amber` is AmberScript, whatever the ending. VkScript is what begins with a section,
`[require]`, or is called so. A script that stands in no file can't name others.
"""

from reknit.files.formats import ending
from reknit.files.streams import as_text, read_input
from reknit.front.amber.parse_amber import parse_amber
from reknit.front.amber.parse_vkscript import parse_vkscript
from reknit.front.amber.script import VKSCRIPT, Script, Shader
from reknit.front.load import load_bytes
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError
from reknit.source.place import Place


def load_script(path: str) -> Script:
    """Raises InputError: RK0001, RK0008 (not text), RK0701 (not a script), RK0702 (not run here)."""
    text = as_text(read_input(path), path)
    return parse_vkscript(text, path) if _is_vkscript(text, path) else parse_amber(text, path)


def _is_vkscript(text: str, path: str) -> bool:
    if text.startswith("#!amber"):
        return False
    first = next((line for line in map(str.strip, text.split("\n")) if line and not line.startswith("#")), "")
    return first.startswith("[") or ending(path) == VKSCRIPT


def module_of(script: Script, shader: Shader) -> Module:
    """The shader's module; what is wrong with it is reported by the script's lines. Raises InputError."""
    try:
        module = load_bytes(shader.source, shader.language, shader.path)
    except InputError as error:
        for diagnostic in error.diagnostics:
            _move(diagnostic.place, shader)
        raise
    for note in module.notes:
        _move(note.place, shader)
    if module.places is not None:
        find = module.places.find

        def found(position: int) -> Place:
            place = find(position)
            _move(place, shader)
            return place

        module.places.find = found
    return module


def _move(place: Place | None, shader: Shader) -> None:
    """A place in the shader's source, to where that lies in its file."""
    if place is not None and place.line > 0:
        place.line += shader.line - 1
