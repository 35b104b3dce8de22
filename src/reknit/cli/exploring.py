"""`--explore OUT.html` of the commands that run passes: a page with what each pass changed.

    input ──▶ pass 1 ──▶ pass 2 ──▶ ...        each watched; where the pipeline ends early, up to there
"""

from argparse import Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reknit.ir.module import Module
    from reknit.passes.manager import Report
    from reknit.view.passes_document import Explored


def explore(options: Namespace) -> "Explored | None":
    """The watcher of passes, if a page is asked for."""
    if options.explore is None:
        return None
    from reknit.view.passes_document import Explored

    return Explored()


def write_explored(explored: "Explored", module: "Module", options: Namespace, report: "Report | None") -> None:
    from reknit.files.streams import write_text
    from reknit.passes.catalog import catalog
    from reknit.view.viewer_page import page

    summaries = {name: entry.summary for name, entry in catalog().items()}
    document = explored.document(module.path or options.file, options.passes, summaries, report, options.proofs)
    write_text(options.explore, page(document))
