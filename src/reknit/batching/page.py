"""The report of a run as a page for a browser: one file without scripts and without anything from elsewhere.

    12 crashed   3 refused   40 findings   20,263 clean
    ▸ crashed  RK0009: ... (at passes/x.py:12)                12 inputs      worst first, then the largest group
        its inputs, what is said of the first, a picture of that one

A group is folded, and so is its picture, which a browser draws when it is opened. Every text from outside is escaped.
"""

import base64
from collections.abc import Sequence
from typing import IO, Final

from reknit.batching.reports import Item, items
from reknit.batching.state import State
from reknit.batching.verdicts import BAD, VERDICTS
from reknit.source.explain import title as title_of
from reknit.source.render import Lines, render
from reknit.source.visible import visible_line
from reknit.view.svg_text import escaped

GROUPS: Final = 500
"""The page has no more; JSON lines have every input."""
EXAMPLES: Final = 20
SHOWN: Final = 5  # diagnostics of the first input of a group

STYLE: Final = """:root{color-scheme:light dark;--ink:#202124;--soft:#5f6368;--line:#dadce0;--back:#fff;--box:#fafafa;
--bad:#c5221f;--warn:#b06000;--good:#188038}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#9aa0a6;--line:#3c4043;--back:#17181a;--box:#202124;
--bad:#f28b82;--warn:#fdd663;--good:#81c995}}
body{margin:0 auto;max-width:72rem;padding:1rem;font:14px/1.45 system-ui,sans-serif;color:var(--ink);
background:var(--back)}
h1{font-size:1.2rem;margin:.2rem 0}p{color:var(--soft);margin:.2rem 0 1rem}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;padding:0;margin:0 0 1rem;list-style:none}
.counts li{border:1px solid var(--line);border-radius:6px;padding:.4rem .8rem;background:var(--box)}
.counts b{display:block;font-size:1.2rem}
details{border:1px solid var(--line);border-radius:6px;margin:0 0 .6rem;background:var(--box)}
details details{margin:.6rem 0}
summary{cursor:pointer;padding:.5rem .8rem;display:flex;gap:.8rem;align-items:baseline}
summary code{flex:1;overflow-wrap:anywhere}
.verdict{font-weight:600;min-width:7rem}.crashed,.refused,.refuted,.out{color:var(--bad)}.findings{color:var(--warn)}
.good{color:var(--good)}.body{padding:0 .8rem .8rem}
ul.names{margin:.4rem 0;padding-left:1.2rem;font:12px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
pre{font:12px/1.45 ui-monospace,monospace;border:1px solid var(--line);border-radius:4px;padding:.6rem;overflow:auto;
background:var(--back)}img{max-width:100%;background:#fff}"""


def write_page(file: IO[bytes], state: State, title: str, pictures: dict[tuple[str, str], bytes], lines: Lines) -> None:
    """`pictures` are SVG; `lines` are files to quote."""
    counts = state.counts()
    total = sum(counts.values())
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    put = _Writer(file)
    put(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{_text(title)}</title><style>{STYLE}</style></head><body><h1>{_text(title)}</h1>"
    )
    bad = sum(counts.get(verdict, 0) for verdict in BAD)
    put(f"<p>{total:,} input{'' if total == 1 else 's'}, {bad:,} with something wrong</p>")
    listed = [(verdict, counts[verdict]) for verdict in VERDICTS if verdict in counts]
    rows = [f'<li class="{_look(verdict)}"><b>{count:,}</b>{verdict}</li>' for verdict, count in listed]
    put(f'<ul class="counts">{"".join(rows)}</ul>')
    groups = state.families()
    for verdict, family, count in groups[:GROUPS]:
        examples = list(items(state, verdict, family, EXAMPLES))
        put(_group(verdict, family, count, examples, pictures.get((verdict, family)), lines))
    if len(groups) > GROUPS:
        put(f"<p>{len(groups) - GROUPS:,} more groups are not shown here; JSON lines have every input</p>")
    if not groups:
        put("<p>Nothing is wrong with any input.</p>")
    put("</body></html>\n")


class _Writer:
    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def __call__(self, text: str) -> None:
        self.file.write(text.encode("utf-8", "backslashreplace"))


def _group(verdict: str, family: str, count: int, examples: Sequence[Item], picture: bytes | None, lines: Lines) -> str:
    first = examples[0]
    code = family.partition(":")[0]
    page = title_of(code)
    out = [
        f'<details><summary><span class="verdict {_look(verdict)}">{verdict}</span><code>{_text(family)}</code>'
        f'<span>{count:,} input{"" if count == 1 else "s"}</span></summary><div class="body">'
    ]
    if page:
        out.append(f"<p>{_text(page)}: <code>reknit explain {_text(code)}</code></p>")
    names = "".join(f"<li>{_text(item.input)}</li>" for item in examples)
    if count > len(examples):
        names += f"<li>and {count - len(examples):,} more</li>"
    out.append(f'<ul class="names">{names}</ul>')
    said = [render(diagnostic, lines) for diagnostic in first.diagnostics[:SHOWN]]
    if len(first.diagnostics) > SHOWN:
        said.append(f"and {len(first.diagnostics) - SHOWN} more of this input")
    out.append(f"<pre>{_lines(said)}</pre>")
    if "traceback" in first.details:
        out.append(
            f"<details><summary>where it was raised</summary><pre>{_lines(first.details['traceback'])}</pre></details>"
        )
    if picture is not None:
        data = base64.b64encode(picture).decode()
        out.append(
            f"<details><summary>picture of {_text(first.input)}</summary>"
            f'<img loading="lazy" alt="control flow" src="data:image/svg+xml;base64,{data}"></details>'
        )
    out.append("</div></details>\n")
    return "".join(out)


def _text(text: str) -> str:
    return escaped(visible_line(text)).replace('"', "&quot;")


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(_text(line) for each in lines for line in each.split("\n"))


def _look(verdict: str) -> str:
    if verdict not in BAD:
        return "good"
    return "out" if verdict.startswith("out of") else verdict
