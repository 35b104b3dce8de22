"""A scene file: a drawing as JSON.

    {"size": [4, 4], "samples": 4,
     "primitives": [{"corners": [[0, 0], [8, 0], [0, 8, 0.5, 1.0]], "inputs": {"0": [[0, 0], [1, 0], [0, 1]]}}],
     "quads": [{"at": [0, 0], "covered": [1, 1, 0, 1], "inputs": {"uv": [[0, 0], [1, 0], [0, 1], [1, 1]]}}]}

The keys are the arguments of `Drawing`, `Primitive` and `Quad`, which say what each means.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from reknit.sim.drawing import Drawing, Primitive, Quad
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

OF_PRIMITIVE: Final = ("corners", "inputs", "size", "layer", "viewport", "front")
OF_QUAD: Final = ("at", "covered", "inputs", "depth", "w", "front", "layer", "viewport", "primitive", "sample")
OF_DRAWING: Final = (
    "size", "primitives", "quads", "samples", "sample_mask", "front", "provoking", "compare", "depth",
)  # fmt: skip

PLAIN: Final = Drawing([1, 1])


def read_scene(data: bytes, path: str) -> Drawing:
    """Raises InputError (RK1021), which names the file."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        from reknit.source.boundary import has_too_many_digits, too_many_digits

        if has_too_many_digits(error):
            raise too_many_digits(error, Place(path)) from None
        raise InputError([Diagnostic("RK1021", f"the scene is not JSON: {error}", Place(path))]) from None
    try:
        return drawing_of(document)
    except InputError as error:
        for diagnostic in error.diagnostics:
            diagnostic.place = Place(path)
        raise


def drawing_of(document: Any) -> Drawing:
    """The drawing that a document is."""
    parts = dict(_object(document, "the scene", OF_DRAWING))
    for name, make, known in (("primitives", Primitive, OF_PRIMITIVE), ("quads", Quad, OF_QUAD)):
        given = parts.get(name, [])
        if not isinstance(given, list):
            raise _wrong(f"{name} of the scene are {_shown(given)}", "a list of objects")
        parts[name] = [_made(make, _object(each, f"one of the {name}", known), f"one of the {name}") for each in given]
    drawing: Drawing = _made(Drawing, parts, "the scene")
    return drawing


def document_of(drawing: Drawing) -> dict[str, Any]:
    """A drawing as a scene file has it, without what it would have anyway."""
    document: dict[str, Any] = {}
    for name in OF_DRAWING:
        given = getattr(drawing, name)
        if name == "primitives" or name == "quads":
            known, plain = (OF_PRIMITIVE, Primitive([[0, 0]])) if name == "primitives" else (OF_QUAD, Quad())
            given = [_parts(each, known, plain) for each in given]
        if name == "size" or given != getattr(PLAIN, name):
            document[name] = list(given) if name == "size" else given
    return document


def _parts(thing: Primitive | Quad, known: tuple[str, ...], plain: Primitive | Quad) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    for name in known:
        given = getattr(thing, name)
        if given != getattr(plain, name) or name in ("corners", "at", "covered"):
            parts[name] = [list(each) for each in given] if name == "corners" else given
    return parts


def _object(given: Any, what: str, known: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise _wrong(f"{what} is {_shown(given)}", "an object")
    for key in given:
        if key not in known:
            raise _wrong(f"{what} has {key!r}, which is not known", f"one of {', '.join(known)}")
    return given


def _made(make: Callable[..., Any], given: dict[str, Any], what: str) -> Any:
    """What a class makes of its arguments; a text where a number belongs, or an absent one, is the file's fault."""
    try:
        return make(**given)
    except (TypeError, ValueError) as error:
        raise _wrong(f"{what} can't be drawn: {error}", "see the drawing's arguments") from None


def _wrong(message: str, help: str) -> InputError:
    return InputError([Diagnostic("RK1021", message, help=help)])


def _shown(given: Any) -> str:
    return f"{given!r:.40}"
