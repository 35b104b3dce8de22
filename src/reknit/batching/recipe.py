"""What is done with each input, as data that goes to any worker: a name, and options that JSON can hold.

    recipe("compile", passes="reconverge", to="spvasm")  ──▶  Recipe  ──text──▶  workers, keys of the cache

What is wrong with it whatever the inputs are is refused when it is made.
"""

import json
import os
import re
from typing import Any, Final, final

from reknit.files.formats import BINARY, READ, WRITTEN
from reknit.source.diagnostic import Diagnostic, InputError

CHECK: Final = "check"
LINT: Final = "lint"
STRUCTURIZE: Final = "structurize"
COMPILE: Final = "compile"
OPT: Final = "opt"
PROVE: Final = "prove"
RUN: Final = "run"
PICTURE: Final = "picture"
"""A drawing of an input for a report; no recipe of the command."""

READING: Final = (
    "from", "defines", "include", "conformance", "buffer_layout", "matrix_layout", "bit_fields", "stage", "target_env",
)  # fmt: skip
"""How inputs are read, of every recipe."""

RECIPES: Final = {
    CHECK: (),
    LINT: ("target", "config", "full_subgroups", "subgroup_sizes"),
    STRUCTURIZE: ("to", "assume", "nesting"),
    COMPILE: ("to", "passes"),
    OPT: ("to", "passes"),
    PROVE: ("passes", "entry", "subgroup_sizes", "groups", "buffers", "domains", "spec", "rules", "sample", "limit",
            "max_steps", "runs"),
    RUN: ("entry", "subgroup_size", "groups", "buffers", "spec", "rules", "max_steps", "engine"),
}  # fmt: skip
"""The options of each, besides READING."""

OUTSIDE: Final = "outside"
"""An option that a recipe gives itself: passes of one's own. What they depend on isn't known, so that no later run
takes their results."""
_FILE: Final = re.compile(r"[^,{}]*?\.py(?=:)")

REWRITES: Final = (STRUCTURIZE, COMPILE, OPT)
"""Recipes that write a module."""
WRITES: Final = (*REWRITES, RUN)
DEFAULT_PASSES: Final = {COMPILE: "reconverge", PROVE: "reconverge"}


@final
class Recipe:
    """`options` has what is not as usual."""

    __slots__ = ("name", "options")

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name = name
        self.options = options

    def text(self) -> str:
        """The same for the same recipe."""
        return json.dumps([self.name, self.options], sort_keys=True, separators=(",", ":"))

    def written(self) -> str:
        """The ending of what it writes; "" for nothing."""
        if self.name == RUN:
            return "json"
        return str(self.options.get("to", BINARY)) if self.name in REWRITES else ""

    def __repr__(self) -> str:
        return f"<{self.name}: {self.options}>"


def recipe_of(text: str) -> Recipe:
    name, options = json.loads(text)
    return Recipe(name, options)


def recipe(name: str, **given: Any) -> Recipe:
    """Options of None are as usual. Raises InputError (RK0010, RK0002, RK1006, RK20xx, RK3020, RK3022)."""
    if name not in RECIPES:
        raise _wrong(f"there is no recipe {name!r}", f"one of {', '.join(RECIPES)}")
    options = {option: value for option, value in given.items() if value not in (None, [], {}, "")}
    for option in options:
        if option not in RECIPES[name] and option not in READING:
            known = ", ".join([*RECIPES[name], *READING])
            raise _wrong(f"the recipe {name} has no option {option!r}", f"its options: {known}")
    for option, known_values in (("from", READ), ("to", WRITTEN)):
        if option in options and options[option] not in known_values:
            raise _wrong(f"{option}={options[option]!r} names no format", f"one of {', '.join(known_values)}")
    if "passes" in RECIPES[name]:
        options.setdefault("passes", DEFAULT_PASSES.get(name, ""))
        outside = _check_passes(name, options["passes"])
        if outside:
            options[OUTSIDE] = outside
    if name == LINT:
        _check_lint(options)
    try:
        return Recipe(name, json.loads(json.dumps(options)))
    except (TypeError, ValueError) as error:
        help = "an option has texts, numbers, bytes, arrays, and lists and mappings of them"
        raise _wrong(f"an option of the recipe {name} can't be sent to a worker: {error}", help) from None


def _check_passes(name: str, passes: str) -> list[str]:
    """Passes that are no part of reknit, by name, and digests of the files that the pipeline names."""
    from reknit.batching.opened import digest_of
    from reknit.passes.catalog import catalog
    from reknit.passes.order_check import order_faults
    from reknit.passes.pipeline_text import parse_pipeline

    known = catalog()
    specs = parse_pipeline(passes, known)
    if name == OPT and not specs:
        raise _wrong("the recipe opt needs passes", 'name them with -p, as -p "fold,dce"')
    faults = order_faults(specs, known)
    if faults:
        raise InputError(faults)
    files = [os.path.abspath(path) for path in _FILE.findall(passes)]
    return [*[spec.transform.name for spec in specs if spec.transform.name not in known], *map(digest_of, files)]


def _check_lint(options: dict[str, Any]) -> None:
    from reknit.checks.lint.codes import TARGETS
    from reknit.checks.lint.config import read_config

    target = options.get("target")
    if target is not None and target not in TARGETS:
        raise InputError(
            [Diagnostic("RK3022", f"'{target}' is no target of lint", help=f"one of {', '.join(TARGETS)}")]
        )
    if "config" in options:
        options["config"] = os.path.abspath(options["config"])
        read_config(options["config"])


def _wrong(message: str, help: str) -> InputError:
    return InputError([Diagnostic("RK0010", message, help=help)])
