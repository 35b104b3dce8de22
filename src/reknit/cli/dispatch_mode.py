"""`--dispatch switch|waterfall`: how calls through an interface are lowered, whatever pipeline does so.

    -p reconverge --dispatch waterfall      =>      -p "..., lower-dispatch{mode=waterfall}, ..."
"""

from typing import TYPE_CHECKING

from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser

if TYPE_CHECKING:
    from reknit.passes.pipeline_text import PassSpec

PASS = "lower-dispatch"
DISPATCH = "dynamic dispatch"
MODES = ("switch", "waterfall")


def add_dispatch(parser: Parser) -> None:
    parser.group(DISPATCH).add_argument(
        "--dispatch", choices=MODES, help="lower calls through interfaces to a switch, or to one type after another"
    )


def with_mode(specs: "list[PassSpec]", mode: str) -> str:
    """The pipeline, as text, with that mode. Raises Misuse where nothing in it lowers dispatch."""
    from reknit.passes.pipeline_text import pipeline_text

    matching = [spec for spec in specs if spec.transform.name == PASS]
    if not matching:
        message = f"--dispatch {mode}: there is no `{PASS}` among the passes, so nothing lowers dispatch"
        raise misuse("RK0010", message, f'name it: -p "specialize-dispatch, {PASS}"')
    for spec in matching:
        spec.options["mode"] = mode
    return pipeline_text(specs)
