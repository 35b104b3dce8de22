"""Every pass, in the order of this list. A new pass is known once it stands here.

A pass is imported when it is asked for: a pipeline is a few of them.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final, final

from reknit.passes.contract import Pass

MODULES: Final = {
    "structurize": "structurize.structurize",
    "specialize-dispatch": "dispatch.specialize",
    "thread-dispatch": "dispatch.thread_dispatch",
    "lower-dispatch": "dispatch.lower",
    "if-needed": "if_needed",
    "inline": "inline",
    "drop-functions": "drop_functions",
    "drop-declarations": "drop_declarations",
    "eliminate-phis": "eliminate_phis",
    "simplify-cfg": "tidy.simplify_cfg",
    "eliminate-continues": "switches.eliminate_continues",
    "lower-switches": "switches.lower_switches",
    "declare-reconvergence": "declare_reconvergence",
    "eliminate-multi-level-breaks": "eliminate_multi_level_breaks",
    "unify-returns": "unify_returns",
    "lower-continuing": "lower_continuing",
    "private-to-local": "private_to_local",
    "scalar-replacement": "scalar_replacement",
    "promote-variables": "promote_variables",
    "merge-ifs": "ifs.merge_ifs",
    "simplify-ifs": "ifs.simplify_ifs",
    "split-critical-edges": "split_critical_edges",
    "lcssa": "loops.lcssa",
    "peel-loops": "loops.peel_loops",
    "unroll-loops": "loops.unroll_loops",
    "fold": "values.fold",
    "forward-copies": "values.forward_copies",
    "narrow-loads": "values.narrow_loads",
    "cse": "values.cse",
    "licm": "values.licm",
    "sink": "values.sink",
    "dce": "values.dce",
}
"""By name the module below `reknit.passes`, which has the pass as the name in capitals."""


@final
class Catalog(Mapping[str, Pass]):
    """The passes by name."""

    __slots__ = ("_imported",)

    def __init__(self) -> None:
        self._imported: dict[str, Pass] = {}

    def __getitem__(self, name: str) -> Pass:
        imported = self._imported.get(name)
        if imported is None:
            imported = getattr(import_module(f"reknit.passes.{MODULES[name]}"), name.upper().replace("-", "_"))
            assert isinstance(imported, Pass) and imported.name == name
            self._imported[name] = imported
        return imported

    def __contains__(self, name: object) -> bool:
        return name in MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


_CATALOG: Final = Catalog()


def catalog() -> Mapping[str, Pass]:
    """The passes by name."""
    return _CATALOG


if TYPE_CHECKING:
    PASSES: list[Pass]
else:

    def __getattr__(name: str) -> object:
        """PASSES, all of them."""
        if name == "PASSES":
            return list(_CATALOG.values())
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
