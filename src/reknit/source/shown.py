"""How a value shows itself in a notebook: `_repr_mimebundle_` of classes in all layers is `shown(self)`.

    text/plain    its repr                    text/html     what `view/notebook.py` draws

`to_html()` of what has a page of its own is `page_of(self)`.

What draws is a layer above those that are drawn, so it is named here, and imported when a notebook asks.
"""

from importlib import import_module
from typing import Any, Final

DRAWS: Final = "reknit.view.notebook"
WIDGETS: Final = "reknit.view.widget"


def shown(value: object) -> dict[str, str]:
    """The forms of a value, by their media types."""
    html: str = import_module(DRAWS).html_of(value)
    return {"text/plain": repr(value), "text/html": html}


def page_of(value: object) -> str:
    """The page of a value, one file that needs nothing else."""
    page: str = import_module(DRAWS).page_of(value)
    return page


def widget_of(value: object) -> Any:
    """The page as a widget. Raises InputError RK0014 where what it needs is not installed."""
    return import_module(WIDGETS).widget_of(value)
