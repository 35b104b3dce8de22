"""What the arguments of the API's functions may be: by their names, which mean the same in each of them.

    reknit.run(m, subgroup_size="4")      RK0010: run(subgroup_size='4'): it is a whole number from 1 on

None is allowed where it is the default. What a name or a number means is judged where it is used.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from importlib import import_module
from numbers import Real
from typing import Any, Final

from reknit.source.diagnostic import Diagnostic, InputError

MAX_INTEGER: Final = (1 << 63) - 1
MAX_GROUPS: Final = 1 << 24
"""Workgroups of a dispatch."""
MAX_DOMAIN: Final = 1 << 16
"""Numbers that an element of a buffer may be, as on the command line."""

Kind = tuple[str, Callable[[Any], bool]]
"""What an argument is, as a message says it, and whether a value is that."""


def judge(verb: str, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raises InputError (RK0010) for the first argument that is not what its name says."""
    for name, value in given.items():
        kind = KINDS.get(f"{verb}.{name}") or KINDS.get(name)
        if kind is None or (value is None and name in defaults and defaults[name] is None):
            continue
        what, allows = kind
        if not allows(value):
            raise InputError([Diagnostic("RK0010", f"{verb}({name}={shown(value)}): it is {what}")])


def shown(value: Any) -> str:
    """A short value, else its type."""
    text = repr(value) if value is None or type(value) in (bool, int, float, str, bytes, tuple, list, dict) else ""
    return text if 0 < len(text) <= 40 else type(value).__name__


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and -MAX_INTEGER <= value <= MAX_INTEGER


def is_number(value: Any) -> bool:
    return isinstance(value, Real)  # numpy's scalars, too


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def is_name(value: Any) -> bool:
    """A path that a file can have."""
    return is_path(value) and "\0" not in os.fsdecode(value)


def is_list(value: Any) -> bool:
    """A sequence, numpy's arrays among them."""
    return isinstance(value, Collection) and not isinstance(value, (str, bytes, bytearray, Set, Mapping))


def is_one_of(*classes: str) -> Callable[[Any], bool]:
    """Whether a value is of one of classes, each "module:Name"; a value of theirs has had the module imported."""

    def allows(value: Any) -> bool:
        for each in classes:
            module, _, name = each.partition(":")
            if isinstance(value, getattr(import_module(module), name)):
                return True
        return False

    return allows


def list_of(allows: Callable[[Any], bool], least: int = 0, most: int = MAX_INTEGER) -> Callable[[Any], bool]:
    return lambda value: is_list(value) and least <= len(value) <= most and all(allows(each) for each in value)


def mapping_of(keys: Callable[[Any], bool], values: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, Mapping) and all(keys(key) and values(held) for key, held in value.items())
    )


def is_dispatch(value: Any) -> bool:
    return list_of(is_whole, 3, 3)(value) and min(value) >= 1 and value[0] * value[1] * value[2] <= MAX_GROUPS


def is_source(value: Any) -> bool:
    return is_path(value) or isinstance(value, bytes)


def is_text(value: Any) -> bool:
    return isinstance(value, str)


is_module: Final = is_one_of("reknit.ir.module:Module")
is_pass: Final = is_one_of("reknit.passes.contract:Pass", "reknit.passes.pipeline_text:PassSpec")

TEXT: Final[Kind] = ("a str", is_text)
FLAG: Final[Kind] = ("True or False", lambda value: isinstance(value, bool))
PATH: Final[Kind] = ("a path: a str or os.PathLike", is_path)
MODULE: Final[Kind] = ("a Module, as load gives it", is_module)
SOURCE: Final[Kind] = ("a path or bytes", is_source)
MODULE_OR_SOURCE: Final[Kind] = ("a Module, a path or bytes", lambda value: is_source(value) or is_module(value))
COUNT: Final[Kind] = ("a whole number from 1 on", lambda value: is_whole(value) and value >= 1)
WHOLE: Final[Kind] = ("a whole number", is_whole)

KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(["module", "before", "after"], MODULE),
    **dict.fromkeys(["format", "entry", "on", "libvulkan", "rules", "engine", "features", "code", "topology"], TEXT),
    "packing": TEXT,
    **dict.fromkeys(["environment", "target", "function", "passes"], TEXT),
    **dict.fromkeys(["to", "from", "assume", "target_env", "stage"], TEXT),
    **dict.fromkeys(["buffer_layout", "matrix_layout", "bit_fields"], TEXT),
    **dict.fromkeys(["check", "verify_each", "trace", "watch", "runs", "every", "spirv_val", "full_subgroups"], FLAG),
    **dict.fromkeys(["subgroup_size", "max_steps", "limit", "sample", "samples", "count", "most", "nesting"], COUNT),
    **dict.fromkeys(["seed", "random"], WHOLE),
    **dict.fromkeys(["path", "config"], PATH),
    "source": SOURCE,
    "check.source": MODULE_OR_SOURCE,
    "lint.source": MODULE_OR_SOURCE,
    "ulp": ("a whole number from 0 on", lambda value: is_whole(value) and value >= 0),
    "seconds": ("a number above 0", lambda value: is_number(value) and value > 0),
    "drawing": ("a Drawing", is_one_of("reknit.sim.drawing:Drawing")),
    "run.drawing": ("a Drawing or Vertices", is_one_of("reknit.sim.drawing:Drawing", "reknit.sim.vertices:Vertices")),
    "vertices": ("the vertices of a result", list_of(is_one_of("reknit.sim.vertices:Vertex"))),
    "size": ("a width and a height in pixels", list_of(lambda value: is_whole(value) and value >= 1, 2, 2)),
    "settings": ("Settings", is_one_of("reknit.front.slang.compile:Settings")),
    "policy": ("a Policy", is_one_of("reknit.sim.policy:Policy")),
    "interesting": ("a function of a Module", callable),
    "inputs": (
        "a path, or a list of paths",
        lambda value: is_path(value) or isinstance(value, Iterator) or list_of(is_path, 1)(value),
    ),
    "recipe": TEXT,
    **dict.fromkeys(["out", "state"], ("a path: a str or os.PathLike, without a NUL", is_name)),
    "include": ("a list of paths", list_of(is_path)),
    "defines": ("a mapping of macros to their texts", mapping_of(is_text, is_text)),
    "conformance": (
        "a list of a type, an interface and a number or None each",
        list_of(lambda each: list_of(lambda part: part is None or is_text(part) or is_whole(part), 3, 3)(each)),
    ),
    "cluster": TEXT,
    "limits": ("Limits", is_one_of("reknit.source.limits:Limits")),
    "jobs": ("a whole number from 0 on", lambda value: is_whole(value) and value >= 0),
    "exclude": ("a list of str", list_of(is_text)),
    "reports": ("a list of paths, without a NUL", list_of(is_name)),
    "pictures": FLAG,
    "groups": (f"three whole numbers from 1 on, at most {MAX_GROUPS} workgroups", is_dispatch),
    "subgroup_sizes": ("a list of whole numbers", list_of(is_whole, 1)),
    "buffers": ("a mapping of names to contents", mapping_of(is_text, lambda value: True)),
    "push_constants": (
        "a list of 32-bit words, bytes or an array",
        lambda value: isinstance(value, Iterable) and not isinstance(value, (str, Mapping)),
    ),
    "domains": (
        f"a mapping of names to lists of 1 to {MAX_DOMAIN} numbers",
        mapping_of(is_text, list_of(is_number, 1, MAX_DOMAIN)),
    ),
    "spec": (
        "a mapping of names or numbers of specialization constants to numbers",
        mapping_of(lambda key: is_text(key) or is_whole(key), is_number),
    ),
    "compile.passes": (
        "a str, or a list of str, Pass and PassSpec",
        lambda value: is_text(value) or list_of(lambda each: is_text(each) or is_pass(each))(value),
    ),
    "compare.on": ("a str, or a list of them", lambda value: is_text(value) or list_of(is_text)(value)),
}
