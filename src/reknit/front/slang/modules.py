"""Modules that a source imports: files beside it or in a search path, read once each.

    main.slang: import shapes.round;        shapes/round.slang: module round; struct Disc { ... }
    ─▶ one unit: what shapes/round.slang declares, then what main.slang does

`import`, `__include` and `implementing` do the same; a name's `_` may be `-` in the file's name. Each file has macros
of its own, as in Slang; what isn't `public` is visible all the same.
"""

import os
from typing import Final

from reknit.front.slang.options import Options, OutOfReach, Unreadable, out_of_reach
from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.report import Reports
from reknit.front.slang.syntax import Decl, ImportDecl, Unit

MISSING: Final = "E00001"
NOT_FOUND: Final = "it is looked for beside the file that imports it, then in the folders of -I: add its folder there"
KINDS: Final = ("import", "__import", "__include", "implementing")
GLSL: Final = "glsl"  # Slang's own module of GLSL's names


def with_imports(unit: Unit, name: str, options: Options, reports: Reports) -> Unit:
    """The unit with the declarations of what it imports before its own. What isn't found is reported."""
    done: dict[str, None] = {os.path.normpath(name): None}
    declarations: list[Decl] = []
    work: list[tuple[str, list[Decl]]] = [(name, list(reversed(unit.declarations)))]
    while work:
        path, rest = work[-1]
        if not rest:
            work.pop()
            continue
        decl = rest.pop()
        source: tuple[str, str] | None = None
        if isinstance(decl, ImportDecl) and decl.kind in KINDS:
            try:
                source = _file_of(decl, path, options, name)
            except OutOfReach:
                reports.error("RK0023", decl.at, out_of_reach(decl.name), length=len(decl.kind))
                continue
            except Unreadable as unreadable:
                reports.error(MISSING, decl.at, str(unreadable), length=len(decl.name))
                continue
        if source is None and isinstance(decl, ImportDecl) and decl.kind in KINDS and decl.name == GLSL:
            unit.glsl = True
        elif source is None and isinstance(decl, ImportDecl) and decl.kind in KINDS[:-1]:
            message = f"cannot open file '{_paths(decl)[0]}.slang', the module that '{decl.kind} {decl.name}' names"
            reports.error(MISSING, decl.at, message, length=len(decl.name), help=NOT_FOUND)
        elif source is None:
            declarations.append(decl)
        elif source[0] not in done:
            done[source[0]] = None
            inner, _ = parse_file(source[0], source[1], options, reports)
            work.append((source[0], list(reversed(inner.declarations))))
            unit.glsl = unit.glsl or inner.glsl
    unit.declarations = declarations
    return unit


def _file_of(decl: ImportDecl, importer: str, options: Options, main: str) -> tuple[str, str] | None:
    """(path, text) of a module: `a.b_c` is a/b-c.slang or a/b_c.slang, a string is a path."""
    folder = os.path.dirname(importer)
    for name in _paths(decl):
        source = options.find(f"{name}.slang", folder, main)
        if source is not None:
            return source
    return None


def _paths(decl: ImportDecl) -> list[str]:
    """Without the ending, in the order in which they are looked for."""
    if "/" in decl.name or decl.name.endswith(".slang"):
        return [decl.name.removesuffix(".slang")]
    plain = decl.name.replace(".", "/")
    return [plain, plain.replace("_", "-")]
