"""What a result is kept by: everything that it depends on, but the other files that were looked at for it.

    recipe, options, reknit's own files, outside tools, format, contents; the name, where that shows in the result

Modules are judged under a name that is no input's, so that the same contents in two places are one result; what is said
of them gets the input's own name when it is shown.
"""

import hashlib
import json
import os
import sys
from typing import Final, final

from reknit.batching.fingerprint import fingerprint, tools
from reknit.batching.inputs import Source
from reknit.batching.opened import digest_of
from reknit.batching.recipe import LINT, OUTSIDE, Recipe
from reknit.batching.reply import Reply
from reknit.batching.state import Stored
from reknit.batching.verdicts import BY_LIMITS
from reknit.files.formats import BITCODE, DXC, DXIL, GRAPH, LLVM, SLANGC, WRITTEN, format_of, read_format
from reknit.source.limits import Limits

NAMELESS: Final = (*WRITTEN, GRAPH, LLVM, BITCODE, DXIL)
"""Formats that are read from their contents alone."""
THROUGH: Final = (DXC, SLANGC)
"""Formats that another program reads, with all that it includes."""
INCLUDES: Final = (b"include", b"import")
ANY_NAME: Final = "reknit-batch-input"


@final
class Keyed:
    """An input that is ready to be worked on: `shown` is the name that goes to the worker."""

    __slots__ = ("key", "format", "shown", "path", "data", "outside")

    def __init__(self, key: str, format: str, shown: str, path: str, data: bytes, outside: bool) -> None:
        self.key = key
        self.format = format
        self.shown = shown
        self.path = path
        self.data = data
        self.outside = outside  # whether passes have a part in it that aren't reknit's

    def is_lasting(self, reply: Reply) -> bool:
        """Whether another run would come to the same, as far as files say that reknit itself looks at."""
        if self.outside or reply.verdict in BY_LIMITS:
            return False
        return self.format not in THROUGH or not any(word in self.data for word in INCLUDES)


@final
class Keys:
    """Of one recipe, in a sandbox or not. `folder` is where included files are named from."""

    __slots__ = ("recipe", "folder", "text", "by_name", "heads")

    def __init__(self, recipe: Recipe, limits: Limits) -> None:
        self.recipe = recipe
        included = recipe.options.get("include", [])
        self.folder = "" if all(map(os.path.isabs, included)) else os.getcwd()
        self.text = json.dumps([recipe.text(), limits.sandbox, limits.roots])
        self.by_name = _names_matter(recipe)
        self.heads: dict[str, bytes] = {}

    def of(self, source: Source, data: bytes) -> Keyed:
        """Raises InputError (RK0002) where nothing tells the format."""
        format = read_format(source.name, self.recipe.options.get("from")) or format_of(data)
        digest = hashlib.sha256(self._head(format))
        shown, path = ANY_NAME, ""
        if self.by_name or format not in NAMELESS or ANY_NAME.encode() in data:
            shown = source.name
            path = source.path if source.member < 0 else ""
            digest.update(json.dumps([source.name, os.path.abspath(source.path), self.folder]).encode())
        digest.update(hashlib.sha256(data).digest())
        return Keyed(digest.hexdigest(), format, shown, path, data, OUTSIDE in self.recipe.options)

    def _head(self, format: str) -> bytes:
        if format not in self.heads:
            used = [self.text, fingerprint(), tools(self.recipe.name, format), format, sys.version]
            self.heads[format] = json.dumps(used).encode()
        return self.heads[format]

    def identity(self) -> str:
        """The same for runs that go on with each other, apart from what their inputs are."""
        return hashlib.sha256(json.dumps([self.text, fingerprint()]).encode()).hexdigest()


def _names_matter(recipe: Recipe) -> bool:
    """Whether lint's configuration says different things of different files."""
    if recipe.name != LINT or "config" not in recipe.options:
        return False
    from reknit.checks.lint.config import read_config

    return any(suppression.file for suppression in read_config(recipe.options["config"]).suppressions)


def still_holds(stored: Stored) -> bool:
    """Whether all other files that the result depends on are as they were."""
    depends: list[list[str]] = json.loads(stored.reply)["depends"]
    return all(digest_of(path) == digest for path, digest in depends)


def named(stored: Stored, name: str) -> str:
    """The JSON of a result, as what is said of the input `name`."""
    return stored.reply.replace(ANY_NAME, json.dumps(name)[1:-1])
