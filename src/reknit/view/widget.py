"""The viewer as a widget of notebooks, by anywidget (`reknit[notebook]`): what is shown can be read and set.

    w = trace.widget(); w          w.step = 12          w.lane, w.result          w.observe(print, "step")

Without it a traced result shows itself as well, in a frame that tells nothing back.
"""

from importlib import import_module
from importlib.resources import files
from typing import Any, Final

from reknit.sim.trace import Trace
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.view.notebook import HEIGHT, page_of

SCRIPT: Final = "widget.mjs"


def widget_of(trace: Trace) -> Any:
    """An anywidget.AnyWidget with `step` (its number), `lane` (-1 for none) and `result` (from 1). Raises InputError
    RK0014 where anywidget is not installed."""
    try:
        anywidget = import_module("anywidget")
        traitlets = import_module("traitlets")
    except ImportError as error:
        message = f"the widget needs anywidget, which can't be imported: {error}"
        raise InputError([Diagnostic("RK0014", message, help="pip install 'reknit[notebook]'")]) from None
    kind = type("TraceWidget", (anywidget.AnyWidget,), {
        "_esm": files("reknit.view").joinpath(SCRIPT).read_text(encoding="utf-8"),
        "page": traitlets.Unicode().tag(sync=True),
        "height": traitlets.Int().tag(sync=True),
        "step": traitlets.Int().tag(sync=True),
        "lane": traitlets.Int().tag(sync=True),
        "result": traitlets.Int().tag(sync=True),
    })  # fmt: skip
    return kind(page=page_of(trace), height=HEIGHT, step=1, lane=-1, result=1)
