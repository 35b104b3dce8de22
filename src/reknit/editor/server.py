"""`reknit lsp`: the Language Server Protocol over standard input and output, by pygls.

    open, change ─▶ the text, at once      ─ a moment without a change ─▶ diagnostics
    hover, definition, symbols, code actions, semantic tokens: of the text as it is when they are asked for

One thread does everything, so that however fast changes come there is one analysis at a time, of the last text only;
the pause before it grows with how long the last one took. A fault of reknit's own is a diagnostic and a line in the
editor's log: the server goes on.
"""

import asyncio
import time
import traceback
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from reknit.editor.document import Document
from reknit.editor.fixes import Fix
from reknit.editor.mentions import KINDS, MODIFIERS, Outline
from reknit.editor.positions import from_units, span_of, to_units
from reknit.source.diagnostic import ERROR, WARNING, Diagnostic, InputError
from reknit.source.limits import LimitExceeded, Limits
from reknit.source.place import Place

PAUSE: Final = 0.15
MAX_PAUSE_LENGTH: Final = 2.0
"""Seconds without a change before a text is looked at."""
SECONDS: Final = 10.0
MEMORY: Final = 1 << 30
"""Processor time and bytes of an answer about a text; of a text that asks for more, nothing else is known."""

_SYMBOLS: Final = {
    "function": types.SymbolKind.Function, "method": types.SymbolKind.Method, "struct": types.SymbolKind.Struct,
    "interface": types.SymbolKind.Interface, "enum": types.SymbolKind.Enum, "property": types.SymbolKind.Property,
    "enumMember": types.SymbolKind.EnumMember, "namespace": types.SymbolKind.Namespace,
    "label": types.SymbolKind.Key, "type": types.SymbolKind.Struct,
}  # fmt: skip
_SEVERITIES: Final = {ERROR: types.DiagnosticSeverity.Error, WARNING: types.DiagnosticSeverity.Warning}


class Texts:
    """The open texts by address, and when each is looked at. `options` are the client's, as they came."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.open: dict[str, Document] = {}
        self.waiting: dict[str, asyncio.TimerHandle] = {}
        self.options: dict[str, Any] = {}
        self.took = 0.0
        self.limits = Limits(processor=SECONDS, memory=MEMORY)
        self.given_up: set[str] = set()

    def put(self, uri: str, text: str, format: str, pause: float | None = None) -> None:
        """A text is as this now."""
        self.given_up.discard(uri)
        self.open[uri] = Document(path_of(uri), text, self._settings(), self._target(), format)
        self.forget(uri)
        wait = min(max(PAUSE, 2 * self.took), MAX_PAUSE_LENGTH) if pause is None else pause
        self.waiting[uri] = asyncio.get_running_loop().call_later(wait, self.look, uri)

    def forget(self, uri: str) -> None:
        """Don't look at a text any more."""
        handle = self.waiting.pop(uri, None)
        if handle is not None:
            handle.cancel()

    def look(self, uri: str) -> None:
        """Report what is wrong with a text."""
        self.waiting.pop(uri, None)
        document = self.open.get(uri)
        if document is None:
            return
        begun = time.monotonic()
        try:
            with self.limits:
                shown = [diagnostic_of(each, document) for each in document.diagnostics]
        except LimitExceeded as exceeded:
            self.given_up.add(uri)
            shown = [diagnostic_of(each, document) for each in exceeded.diagnostics]
        except Exception as error:
            shown = [self.fault(error, document)]
        self.took = time.monotonic() - begun
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown))

    def fault(self, error: Exception, document: Document) -> types.Diagnostic:
        """A fault of reknit's own, in the log and as a diagnostic."""
        text = "".join(traceback.format_exception(error))
        self.server.window_log_message(types.LogMessageParams(types.MessageType.Error, text))
        said = Diagnostic("RK0009", f"a fault of reknit's own: {type(error).__name__}: {error}")
        return diagnostic_of(said, document)

    def _settings(self) -> Any:
        defines, include = self.options.get("defines"), self.options.get("include")
        if not isinstance(defines, dict) and not isinstance(include, list):
            return None
        from reknit.front.slang.compile import Settings
        from reknit.front.slang.options import Options

        macros = {str(name): str(text) for name, text in (defines or {}).items()}
        return Settings(Options(macros, [str(each) for each in include or []]))

    def _target(self) -> str | None:
        from reknit.checks.lint.codes import TARGETS

        target = self.options.get("target")
        return target if target in TARGETS else None


# --- between the protocol and what a document says --------------------------------------------------------------------


def path_of(uri: str) -> str:
    """The path of a file's address; another address, as of a text that was never saved, is its own name."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    if parts.scheme != "file":
        return uri
    path = unquote(parts.path)
    return path[1:] if len(path) > 2 and path[0] == "/" and path[2] == ":" else path  # /C:/blur.slang


def uri_of(path: str, document: Document, own: str) -> str:
    """The address of a file; `own` is that of the document itself."""
    if path == document.path:
        return own
    return "file://" + quote(path if path.startswith("/") else "/" + path.replace("\\", "/"))


def range_of(document: Document, place: Place | None) -> types.Range:
    line, first, last = span_of(document.lines, place)
    return types.Range(types.Position(line, first), types.Position(line, last))


def diagnostic_of(found: Diagnostic, document: Document) -> types.Diagnostic:
    """As the editor shows it; what is in another file stands at the top of this one, with its place."""
    place = found.place
    own = place if place is not None and place.file == document.path else None
    elsewhere = f"{place}: " if place is not None and own is None and place.line > 0 else ""
    lines = [elsewhere + found.message]
    lines += [f"note: {note.message}" for note in found.notes]
    lines += [f"help: {found.help}"] if found.help else []
    return types.Diagnostic(
        range=range_of(document, own),
        message="\n".join(lines),
        severity=_SEVERITIES.get(found.severity, types.DiagnosticSeverity.Information),
        code=found.code,
        source="reknit",
    )


def symbol_of(outline: Outline, document: Document) -> types.DocumentSymbol:
    name = range_of(document, Place(document.path, outline.line, outline.column, outline.length))
    last = min(outline.last_line, len(document.lines))
    end = types.Position(last - 1, to_units(document.lines[last - 1], len(document.lines[last - 1]) + 1))
    return types.DocumentSymbol(
        name=outline.name,
        kind=_SYMBOLS.get(outline.kind, types.SymbolKind.Variable),
        range=types.Range(name.start, end if last > outline.line else name.end),
        selection_range=name,
        detail=outline.detail,
        children=[symbol_of(inner, document) for inner in outline.inner],
    )


def tokens_of(document: Document) -> list[int]:
    """Five numbers a name: lines and columns since the one before, length, kind, modifiers."""
    data: list[int] = []
    line = column = 0
    for mention in document.names:
        text = document.lines[mention.line - 1]
        first = to_units(text, mention.column)
        length = to_units(text, mention.column + mention.length) - first
        row = mention.line - 1
        bits = sum(1 << MODIFIERS.index(each) for each in mention.modifiers)
        data += [row - line, first - column if row == line else first, length, KINDS.index(mention.kind), bits]
        line, column = row, first
    return data


def action_of(fix: Fix, document: Document, uri: str, shown: list[types.Diagnostic]) -> types.CodeAction:
    edits = [types.TextEdit(_point(each.line - 1), each.text) for each in fix.insertions]
    if not edits:
        last = document.lines[-1]
        end = types.Position(len(document.lines) - 1, to_units(last, len(last) + 1))
        edits = [types.TextEdit(types.Range(types.Position(0, 0), end), fix.text)]
    return types.CodeAction(
        title=fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[each for each in shown if each.code in fix.codes],
        edit=types.WorkspaceEdit(changes={uri: edits}),
    )


def _point(line: int) -> types.Range:
    return types.Range(types.Position(line, 0), types.Position(line, 0))


# --- the server -------------------------------------------------------------------------------------------------------


def new_server(version: str) -> Any:
    """A server that isn't running yet."""
    server = LanguageServer("reknit", version, text_document_sync_kind=types.TextDocumentSyncKind.Full)
    texts = Texts(server)

    def asked(answer: Callable[[Document, Any], Any], empty: Any) -> Callable[[Any], Any]:
        """A request about an open document; where answering fails, the log says why and nothing is known."""

        def handle(params: Any) -> Any:
            uri = params.text_document.uri
            document = texts.open.get(uri)
            if document is None or uri in texts.given_up:
                return empty
            try:
                with texts.limits:
                    return answer(document, params)
            except LimitExceeded:
                texts.given_up.add(uri)
                return empty
            except InputError:
                return empty  # the diagnostics of the document have it
            except Exception as error:
                texts.fault(error, document)
                return empty

        return handle

    def initialized(params: types.InitializeParams) -> None:
        given = params.initialization_options
        texts.options = given if isinstance(given, dict) else {}

    def opened(params: types.DidOpenTextDocumentParams) -> None:
        texts.put(params.text_document.uri, params.text_document.text, params.text_document.language_id, 0)

    def changed(params: types.DidChangeTextDocumentParams) -> None:
        before = texts.open.get(params.text_document.uri)
        for change in params.content_changes:
            texts.put(params.text_document.uri, change.text, before.format if before is not None else "")

    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        texts.forget(uri)
        texts.open.pop(uri, None)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def hover(document: Document, params: types.HoverParams) -> types.Hover | None:
        said = document.hover(*_spot(document, params.position))
        if said is None:
            return None
        text, column, length = said
        place = Place(document.path, params.position.line + 1, column, length)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), range_of(document, place))

    def definition(document: Document, params: types.DefinitionParams) -> types.Location | None:
        place = document.definition(*_spot(document, params.position))
        if place is None:
            return None
        uri = uri_of(place.file, document, params.text_document.uri)
        if place.file == document.path:
            return types.Location(uri, range_of(document, place))
        start = types.Position(max(place.line - 1, 0), max(place.column - 1, 0))
        return types.Location(uri, types.Range(start, start))

    def symbols(document: Document, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return [symbol_of(each, document) for each in document.outline]

    def actions(document: Document, params: types.CodeActionParams) -> list[types.CodeAction]:
        fixes = document.fixes(params.range.start.line + 1, params.range.end.line + 1)
        uri = params.text_document.uri
        return [action_of(each, document, uri, list(params.context.diagnostics)) for each in fixes]

    def tokens(document: Document, params: types.SemanticTokensParams) -> types.SemanticTokens:
        return types.SemanticTokens(tokens_of(document))

    legend = types.SemanticTokensLegend(list(KINDS), list(MODIFIERS))
    server.feature(types.INITIALIZE)(initialized)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    server.feature(types.TEXT_DOCUMENT_HOVER)(asked(hover, None))
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(asked(definition, None))
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(asked(symbols, []))
    quick = types.CodeActionOptions([types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, quick)(asked(actions, []))
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)(asked(tokens, types.SemanticTokens([])))
    return server


def _spot(document: Document, position: types.Position) -> tuple[int, int]:
    """Line and column from 1; past the text's end it is nothing's."""
    if position.line >= len(document.lines):
        return position.line + 1, 1
    return position.line + 1, from_units(document.lines[position.line], position.character)
