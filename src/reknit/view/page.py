"""A picture as a page for a browser, with the details of its marks beside it.

    +--------------------------+-------------------------+
    | the picture (SVG)        | [1] IFoo.foo -> A, B    |
    |                          |   12 | return o.foo(v); |
    |                          |   A: made in main ...   |
    +--------------------------+-------------------------+

One file without scripts and without anything from elsewhere. A mark leads to its details, and back.
"""

from collections.abc import Callable, Sequence
from typing import Final

from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.view.mark_svg import MARK_STYLE
from reknit.view.marks import Mark, Marks
from reknit.view.svg_text import escaped

Lines = Callable[[str], Sequence[str]]

BODY: Final = "body{margin:0;font:14px/1.45 system-ui,sans-serif;color:#202124;background:#fff}"
_STYLE: Final = (
    BODY + "main{display:flex;align-items:flex-start}"
    "figure{margin:0;padding:12px;flex:1 1 auto;min-width:0;overflow:auto;max-height:calc(100vh - 24px)}"
    "aside{flex:0 0 34rem;max-width:50vw;box-sizing:border-box;height:100vh;overflow:auto;padding:12px 16px;"
    "border-left:1px solid #dadce0;background:#fafafa}"
    "h1{font-size:16px;margin:0 0 8px}h2{font:bold 13px/1.4 ui-monospace,monospace;margin:0;color:#5e2b97}"
    "section{background:#fff;border:1px solid #dadce0;border-radius:6px;padding:10px 12px;margin:0 0 10px}"
    "section:target{border-color:#5e2b97;box-shadow:0 0 0 2px #efe5fb}h2 a{color:inherit;text-decoration:none}"
    "pre{font:12px/1.4 ui-monospace,monospace;background:#f4f4f6;border-radius:4px;padding:6px 8px;margin:6px 0;"
    "overflow:auto}p{margin:6px 0 2px}ul{margin:0;padding-left:18px}.w{color:#3c4043}"
    "a:target .p{stroke:#5e2b97;stroke-width:2}"
)


def page_head(title: str, style: str) -> str:
    """A page up to where what it shows begins; `PAGE_END` ends it."""
    head = f'<html lang="en"><head><meta charset="utf-8"><title>{escaped(title)}</title>'
    return f"<!doctype html>\n{head}\n<style>{style}</style></head><body><main>"


PAGE_END: Final = "</main></body></html>\n"


def html_page(title: str, picture: str, module: Module, marks: Marks, lines: Lines) -> str:
    """`lines` gives a file's lines, to quote."""
    out = [page_head(title, _STYLE + MARK_STYLE), f"<figure>{picture}</figure>"]
    if marks:
        out.append("<aside><h1>Where types are dispatched on</h1>")
        for value, mark in marks.items():
            assert isinstance(value, Instr)
            out.extend(_section(mark, module, value, lines))
        out.append("</aside>")
    return "\n".join([*out, PAGE_END])


def _section(mark: Mark, module: Module, instr: Instr, lines: Lines) -> list[str]:
    out = [
        f'<section id="note-{mark.number}">',
        f'<h2><a href="#mark-{mark.number}">[{mark.number}] {escaped(mark.line)}</a></h2>',
    ]
    place = place_of(instr, module)
    known = lines(place.file) if place.line > 0 and place.word < 0 else ()
    if place.line <= len(known) and place.line > 0:
        quoted = known[place.line - 1].strip()
        out.append(f"<p>{escaped(str(place))}</p><pre>{place.line} | {escaped(quoted)}</pre>")
    for head, ways in mark.details:
        out.append(f"<p>{escaped(head)}</p>")
        out.append("<ul>" + "".join(f"<li>{escaped(way)}</li>" for way in ways) + "</ul>")
    return [*out, "</section>"]
