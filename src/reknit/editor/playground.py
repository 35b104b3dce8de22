"""The door of the playground: JSON in, JSON out, for a page that runs reknit in the browser.

    {"do": "outcomes", "format": "slang", "text": "...", "size": 4, "buffers": {"kinds": [0, 0, 1, 2]}}
        -> {"ok": true, "html": "<table>...", "text": "<5 outcomes, exhaustive>", "diagnostics": []}

| do | gives beside `diagnostics` |
|---|---|
| look | nothing: what `check` and `lint` say, with lines, columns and help |
| hover | `hover`: Markdown about what is at `line` and `column` |
| run, outcomes | `html`, `text` |
| trace | `page`, the viewer, with a run for each allowed result as far as `tabs` goes |
| compile | `text`, the module after `reconverge` as .rk |
| show | `html`, the trees |
| prove | `html`, `text`: whether the text refines `before` (of the format `before_format`) |

`ok` is false where there are only diagnostics. Nothing here needs numpy, librt or another process.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from reknit.editor.document import FORMATS, Document
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.report import as_json

STEPS: Final = 2_000_000
"""Instructions of a run, unless `steps` asks for others: a few seconds in a browser, which has no Ctrl-C."""
TABS: Final = 8
SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128)
MAX_TEXT: Final = 400_000


def answer(asked: str) -> str:
    """What a page asks, and what it shows. Raises nothing for what a user wrote."""
    try:
        request = _parsed(asked)
        if not isinstance(request, dict):
            raise _wrong("a request is an object")
        given = _Request(request)
        do = _JOBS.get(given.word("do"))
        if do is None:
            raise _wrong(f"'do' is one of {', '.join(_JOBS)}")
        return json.dumps({"ok": True, "diagnostics": [], **do(given)})
    except InputError as error:
        return _refused(error.diagnostics)


def _parsed(asked: str) -> object:
    """Raises InputError: for what is nested too deeply or has a number of thousands of digits, too."""
    try:
        return json.loads(asked)
    except (ValueError, TypeError, RecursionError) as error:
        raise _wrong(f"a request is JSON: {error}") from None


def _refused(diagnostics: list[Diagnostic]) -> str:
    return json.dumps({"ok": False, "diagnostics": [_shown(each) for each in diagnostics]})


def _diagnostic(message: str) -> Diagnostic:
    return Diagnostic("RK0010", message)


def _wrong(message: str) -> InputError:
    return InputError([_diagnostic(message)])


def _shown(found: Diagnostic) -> dict[str, Any]:
    """As scripts read it, with the length of what is underlined."""
    return {**as_json(found), "length": found.place.length if found.place is not None else 0}


class _Request:
    """What was asked, each part of the type that it has to have. Raises InputError (RK0010)."""

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self.parts = parts

    def word(self, name: str, default: str = "") -> str:
        value = self.parts.get(name, default)
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise _wrong(f"'{name}' is a text of at most {MAX_TEXT} characters")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        value = self.parts.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise _wrong(f"'{name}' is a number from {least} to {most}")
        return value

    def size(self) -> int:
        size = self.number("size", 32, 1, SIZES[-1])
        if size not in SIZES:
            raise _wrong(f"'size', of a subgroup, is one of {', '.join(map(str, SIZES))}")
        return size

    def rules(self) -> str:
        return self.word("rules") or "declared"

    def buffers(self) -> dict[str, list[int]]:
        """The words that buffers begin with, by name."""
        value = self.parts.get("buffers") or {}
        fine = isinstance(value, dict) and all(isinstance(words, list) for words in value.values())
        if not fine or any(type(word) is not int for words in value.values() for word in words):
            raise _wrong('\'buffers\' are words by name: {"kinds": [0, 0, 1, 2]}')
        return {str(name): words for name, words in value.items()}

    def format(self, name: str = "format") -> str:
        format = self.word(name, "slang")
        if format not in FORMATS:
            raise _wrong(f"'{name}' is one of {', '.join(FORMATS)}")
        return format

    def document(self) -> Document:
        return Document(f"shader.{self.format()}", self.word("text"))

    def module(self) -> Module:
        return _module(self.word("text"), self.format(), "shader")

    def to_run(self) -> Module:
        from reknit.sim.entry import refuse_other_stages

        module = self.module()
        refuse_other_stages(module, None)
        return module


def _module(text: str, format: str, name: str) -> Module:
    from reknit.front.load import load_bytes
    from reknit.ir.verify.trusting import require_sound

    module = load_bytes(text.encode("utf-8", "replace"), format, f"{name}.{format}", placed=True)
    require_sound(module)
    return module


# --- jobs -------------------------------------------------------------------------------------------------------------


def _look(given: _Request) -> dict[str, Any]:
    return {"diagnostics": [_shown(each) for each in given.document().diagnostics]}


def _hover(given: _Request) -> dict[str, Any]:
    most = MAX_TEXT
    said = given.document().hover(given.number("line", 1, 1, most), given.number("column", 1, 1, most))
    return {"hover": said[0] if said is not None else ""}


def _run(given: _Request) -> dict[str, Any]:
    from reknit.sim.run import run
    from reknit.view.notebook import html_of

    result = run(
        given.to_run(),
        subgroup_size=given.size(),
        buffers=given.buffers(),
        max_steps=given.number("steps", STEPS, 1, 10**9),
        rules=given.rules(),
    )
    return {"html": html_of(result), "text": repr(result)}


def _outcomes(given: _Request) -> dict[str, Any]:
    from reknit.view.notebook import html_of

    every = _every(given, given.to_run())
    return {"html": html_of(every), "text": repr(every)}


def _every(given: _Request, module: Module) -> Any:
    from reknit.sim.outcomes import outcomes

    return outcomes(
        module,
        subgroup_size=given.size(),
        buffers=given.buffers(),
        max_steps=given.number("steps", STEPS, 1, 10**9),
        rules=given.rules(),
    )


def _trace(given: _Request) -> dict[str, Any]:
    """The page of the viewer; the text is its source."""
    from reknit.sim.run import prepare
    from reknit.view.outcomes import witness
    from reknit.view.trace_document import trace_document
    from reknit.view.viewer_page import page

    module = given.to_run()
    text = given.word("text")
    steps = given.number("steps", STEPS, 1, 10**9)
    shown = []
    for outcome in _every(given, module).outcomes[: given.number("tabs", TABS, 1, 64)]:
        policy = outcome.policy
        program = prepare(
            module,
            subgroup_size=given.size(),
            kill=policy.kill,
            rules=given.rules(),
            assume=policy.assume,
            bound=given.buffers(),
        )
        program.record("named")
        result = program.run(policy, (1, 1, 1), given.buffers(), max_steps=steps, trace=True)
        shown.append((witness(outcome) or "run", result))
    document = trace_document(module.path, shown, lambda name: text.split("\n") if name == module.path else ())
    return {"page": page(document)}


def _compile(given: _Request) -> dict[str, Any]:
    from reknit.files.save import checked_bytes
    from reknit.passes.manager import run_passes

    module = given.module()
    report = run_passes(module, given.word("passes") or "reconverge")
    text = checked_bytes(module, "rk").decode()
    return {"text": text, "diagnostics": [_shown(each) for each in report.notes()]}


def _show(given: _Request) -> dict[str, Any]:
    from reknit.view.notebook import html_of

    return {"html": html_of(given.module())}


def _prove(given: _Request) -> dict[str, Any]:
    from reknit.proof.prove import prove
    from reknit.proof.question import Question
    from reknit.view.notebook import html_of

    before = _module(given.word("before"), given.format("before_format"), "before")
    verdict = prove(before, given.module(), Question(rules=given.rules()))
    return {"html": html_of(verdict), "text": repr(verdict)}


_JOBS: Final[dict[str, Callable[[_Request], dict[str, Any]]]] = {
    "look": _look,
    "hover": _hover,
    "run": _run,
    "outcomes": _outcomes,
    "trace": _trace,
    "compile": _compile,
    "show": _show,
    "prove": _prove,
}
