"""What a notebook shows of a value, as HTML: what the other files here draw, in a frame where it has a script.

    module, function     its trees as a drawing; as text where they are large
    result               buffers in rows of a subgroup; with a trace, the viewer
    outcomes, outcome    what they have in common, where they differ, and which choices lead there
    verdict, trace, finding
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Final

from reknit.files.streams import lines_of
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.walk import blocks
from reknit.proof.verdict import PROVED, REFUTED, Counterexample, Verdict
from reknit.sim.arrays import elements_of
from reknit.sim.buffers import BufferResult
from reknit.sim.outcomes import Outcome, Outcomes
from reknit.sim.result import Result
from reknit.sim.trace import Trace
from reknit.sim.value_text import scalar_text
from reknit.source.diagnostic import ERROR, WARNING, Diagnostic
from reknit.source.render import render
from reknit.view.buffers import UNDEFINED
from reknit.view.outcomes import witness
from reknit.view.text import tree_text
from reknit.view.trace import trace_text
from reknit.view.tree_svg import functions_svg

MAX_DRAWN: Final = 300
"""Blocks of what is drawn; more are text."""
MAX_EVENTS: Final = 50_000
"""Of a trace in the viewer, which the notebook's file then holds."""
MAX_OUTCOMES: Final = 64
MAX_WORDS: Final = 256
MAX_LINES: Final = 400
HEIGHT: Final = 620

_MONO: Final = "font:12px/1.45 ui-monospace,monospace"
_PRE: Final = f'<pre style="{_MONO};overflow:auto;max-height:480px;margin:4px 0">'
_CELL: Final = f' style="{_MONO};text-align:right;padding:1px 6px"'
_MARKED: Final = f' style="{_MONO};text-align:right;padding:1px 6px;background:#fde3b0;color:#000"'
_HEAD: Final = ' style="text-align:left;padding:1px 6px"'
_COLOURS: Final = {ERROR: "#b3261e", WARNING: "#8a5a00"}


def html_of(value: object) -> str:
    """Of an instance of a class that `_DRAWN` has."""
    return _DRAWN[type(value)](value)


def _text(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    more = [f"... {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return f"{_PRE}{escape(chr(10).join([*lines[:MAX_LINES], *more]))}</pre>"


def _title(text: str, colour: str = "") -> str:
    style = f' style="color:{colour}"' if colour else ""
    return f"<div><b{style}>{escape(text)}</b></div>"


def _functions(functions: Sequence[Function]) -> str:
    drawn = [function for function in functions if not function.is_declaration()]
    if sum(len(blocks(function)) for function in drawn) <= MAX_DRAWN:
        return f'<div style="overflow:auto">{functions_svg(drawn)}</div>' if drawn else ""
    return _text("\n".join([tree_text(function) for function in drawn]))


def _module(module: Module) -> str:
    return _title(repr(module).strip("<>")) + _functions(module.functions)


def _function(function: Function) -> str:
    return _functions([function])


# --- runs -------------------------------------------------------------------------------------------------------------


def _values(buffer: BufferResult) -> list[str]:
    """Of an array of 32-bit numbers its elements; of others their words."""
    component, _ = elements_of(buffer.layout)
    words = buffer.words[:MAX_WORDS]
    if component is None or component.width != 32:
        texts = [str(word) for word in words]
    else:
        texts = [scalar_text(component, word.to_bytes(4, "little")) for word in words]
    return [UNDEFINED if at in buffer.undefined else text for at, text in enumerate(texts)]


def _rows(name: str, values: list[str], marked: set[int], size: int, count: int) -> str:
    """A row a subgroup, as buffers are printed."""
    width = min(max(size, 1), 32)
    lines: list[str] = []
    for first in range(0, max(len(values), 1), width):
        row = enumerate(values[first : first + width], first)
        cells = [f"<td{_MARKED if at in marked else _CELL}>{escape(value)}</td>" for at, value in row]
        head = f"<th{_HEAD}>{escape(name) if first == 0 else ''}</th><td{_CELL}><i>{first}</i></td>"
        lines.append(f"<tr>{head}{''.join(cells)}</tr>")
    if count > len(values):
        lines.append(f"<tr><td></td><td colspan={width + 1}>... {count - len(values)} more words</td></tr>")
    return "".join(lines)


def _buffers(buffers: dict[str, BufferResult], size: int) -> str:
    rows = [_rows(name, _values(each), set(), size, len(each.words)) for name, each in buffers.items()]
    return f"<table>{''.join(rows)}</table>" if rows else "<div>no buffers</div>"


def _result(result: Result) -> str:
    head = _title(f"{result.entry} on {result.on}, subgroups of {result.subgroup_size}, rules: {result.rules}")
    said = "".join([_diagnostic(each) for each in result.diagnostics])
    trace = result.trace
    shows = trace is not None and len(trace.events) <= MAX_EVENTS
    viewer = _frame(page_of(trace), f"lanes by time of {result.entry}") if trace is not None and shows else ""
    return head + _buffers(result.buffers, result.subgroup_size) + said + viewer


def page_of(trace: Trace) -> str:
    """The page of `trace -o x.html`: it needs neither a server nor another package."""
    from reknit.view.trace_document import trace_document
    from reknit.view.viewer_page import page

    assert trace.result is not None, "a run that has ended"
    return page(trace_document(trace.module.path or trace.result.entry, [("run", trace.result)], lines_of))


def _frame(page: str, title: str) -> str:
    look = f"width:100%;height:{HEIGHT}px;border:1px solid #dadce0"
    return f'<iframe srcdoc="{escape(page)}" style="{look}" title="{escape(title)}"></iframe>'


def _trace(trace: Trace) -> str:
    return _title(repr(trace).strip("<>")) + _text(trace_text(trace, False))


def _outcome(outcome: Outcome) -> str:
    return _result(outcome.result) + _text(witness(outcome))


def _outcomes(outcomes: Outcomes) -> str:
    """A table a buffer, with a row an outcome; what differs is marked."""
    every = outcomes.outcomes[:MAX_OUTCOMES]
    parts = [_title(f"{repr(outcomes).strip('<>')} (rules: {outcomes.rules})")]
    parts.append(f"<div>{escape(outcomes.coverage)}</div>")
    for name, first in every[0].result.buffers.items() if every else ():
        shown = [_values(outcome.result.buffers[name]) for outcome in every if name in outcome.result.buffers]
        differ = {at for at, values in enumerate(zip(*shown, strict=False)) if len(set(values)) > 1}
        size = max(every[0].result.subgroup_size, 1)
        rows = [
            _rows(f"outcome {number}", values, differ, size, len(first.words))
            for number, values in enumerate(shown if differ else shown[:1], 1)
        ]
        where = "" if differ else ": the same in all" if len(every) > 1 else ""
        parts.append(f"<div><b>{escape(name)}</b>{where}</div><table>{''.join(rows)}</table>")
    if len(every) > 1:
        choices = [f"outcome {number}: {witness(outcome)}" for number, outcome in enumerate(every, 1)]
        parts.append(_text("\n".join(choices)))
    if len(outcomes.outcomes) > len(every):
        parts.append(f"<div>... {len(outcomes.outcomes) - len(every)} more outcomes</div>")
    return "".join(parts)


# --- proofs and findings ----------------------------------------------------------------------------------------------


def _verdict(verdict: Verdict) -> str:
    colour = "#1e6f3c" if verdict.verdict == PROVED else _COLOURS[ERROR] if verdict.verdict == REFUTED else ""
    parts = [_title(verdict.verdict, colour), f"<div>{escape(verdict.reason or verdict.coverage.domain())}</div>"]
    if verdict.counterexample is not None:
        parts.append(_counterexample(verdict.counterexample))
    else:
        parts.append(_text("\n".join(verdict.coverage.lines())))
    return "".join(parts)


def _counterexample(found: Counterexample) -> str:
    """Both results, one above the other, where they differ; the inputs that lead there."""
    parts = [f"<div>{escape(found.entry)}, subgroups of {found.subgroup_size}: {escape(found.reason)}</div>"]
    for name, before in found.before.result.buffers.items():
        after = found.after.result.buffers.get(name)
        words = {each.word for each in found.differences if each.buffer == name}
        if after is not None and words:
            rows = [
                _rows(which, _values(each), words, found.subgroup_size, len(each.words))
                for which, each in (("before", before), ("after", after))
            ]
            parts.append(f"<div><b>{escape(name)}</b></div><table>{''.join(rows)}</table>")
    inputs = found.inputs.items()
    said = [f"{name} = {' '.join(map(str, each)) if isinstance(each, list) else each}" for name, each in inputs]
    said += [f"before: {witness(found.before)}", f"after: {witness(found.after)}"]
    return "".join(parts) + _text("\n".join(said))


def _diagnostic(found: Diagnostic) -> str:
    text = render(found, lines_of)
    head, _, rest = text.partition("\n")
    colour = _COLOURS.get(found.severity, "#1a5fb4")
    return f'{_PRE}<b style="color:{colour}">{escape(head)}</b>\n{escape(rest)}</pre>'


_DRAWN: Final[dict[type, Callable[[Any], str]]] = {
    Module: _module,
    Function: _function,
    Result: _result,
    Outcome: _outcome,
    Outcomes: _outcomes,
    Verdict: _verdict,
    Counterexample: _counterexample,
    Trace: _trace,
    Diagnostic: _diagnostic,
}
