"""A scripted editor against `reknit lsp`: a process, and the messages that go both ways."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the language server needs pygls (reknit[lsp])")

pytestmark = pytest.mark.once

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SECONDS = 60.0


class Client:
    """Sends requests and keeps what the server says of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "reknit", "lsp", "--stdio"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.incoming: Queue[dict[str, Any]] = Queue()
        self.said: list[dict[str, Any]] = []
        self.number = 0
        self.legend: dict[str, list[str]] = {}
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while header := self.process.stdout.readline():
            size = 0
            while header.strip():
                name, _, value = header.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
                header = self.process.stdout.readline()
            self.incoming.put(json.loads(self.process.stdout.read(size)))

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.incoming.get(timeout=SECONDS)
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            self.said.append(message)

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """Those that are published next for a text."""
        while True:
            waiting = [each for each in self.said if each.get("method") == "textDocument/publishDiagnostics"]
            for message in waiting:
                self.said.remove(message)
                if message["params"]["uri"] == uri:
                    found: list[dict[str, Any]] = message["params"]["diagnostics"]
                    return found
            self.said.append(self.incoming.get(timeout=SECONDS))

    def open(self, name: str, text: str) -> str:
        uri = f"file:///nowhere/{name}"
        language = name.rpartition(".")[2]
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, version: int, text: str) -> None:
        about = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": about, "contentChanges": [{"text": text}]})

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    client = Client()
    answer = client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    capabilities = answer["capabilities"]
    assert capabilities["hoverProvider"] and capabilities["definitionProvider"]
    assert capabilities["textDocumentSync"]["change"] == 1  # the whole text
    client.legend = capabilities["semanticTokensProvider"]["legend"]
    client.notify("initialized", {})
    yield client
    assert client.ask("shutdown", None) is None
    client.notify("exit", None)
    assert client.process.wait(SECONDS) == 0


def spot(text: str, of: str, inside: str) -> dict[str, int]:
    """Where `of` begins in the first line that has `inside`."""
    for line, words in enumerate(text.split("\n")):
        if inside in words:
            return {"line": line, "character": words.index(of)}
    raise AssertionError(f"{inside} is in no line")


def at(uri: str, where: dict[str, int]) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": where}


def named_tokens(client: Client, uri: str, text: str) -> dict[str, tuple[str, set[str]]]:
    """By name, the kind and modifiers of its last mention."""
    legend = client.legend
    data = client.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
    lines = text.split("\n")
    found: dict[str, tuple[str, set[str]]] = {}
    line = column = 0
    for down, right, length, kind, bits in zip(*[iter(data)] * 5, strict=True):
        line, column = line + down, right if down else column + right
        modifiers = {name for bit, name in enumerate(legend["tokenModifiers"]) if bits >> bit & 1}
        found[lines[line][column : column + length]] = (legend["tokenTypes"][kind], modifiers)
    return found


def test_a_session_with_slang(client: Client) -> None:
    text = (EXAMPLES / "shapes.slang").read_text()
    uri = client.open("shapes.slang", text)
    assert client.diagnostics(uri) == []

    method = client.ask("textDocument/hover", at(uri, spot(text, "corners", "result[id.x]")))
    said = method["contents"]["value"]
    assert "uint IShape.corners()" in said and "may differ in a workgroup or subgroup" in said
    counted = client.ask("textDocument/hover", at(uri, spot(text, "WaveActiveCountBits", "result[id.x]")))
    assert "all invocations of a subgroup that entered @main together" in counted["contents"]["value"]

    where = client.ask("textDocument/definition", at(uri, spot(text, "choose", "= choose(")))
    assert where == {"uri": uri, "range": {"start": {"line": 25, "character": 7}, "end": {"line": 25, "character": 13}}}

    symbols = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    names = [(each["name"], [inner["name"] for inner in each["children"]]) for each in symbols]
    assert names == [
        ("result", []), ("IShape", ["corners"]), ("Triangle", ["corners"]), ("Square", ["corners"]), ("choose", []),
        ("main", []),
    ]  # fmt: skip

    tokens = named_tokens(client, uri, text)
    assert tokens["WaveActiveCountBits"] == ("function", {"defaultLibrary", "tangled"})
    assert tokens["IShape"][0] == "interface" and tokens["lane"] == ("parameter", {"divergent"})

    client.change(uri, 2, text.replace("choose(id.x)", "chose(id.x)"))
    broken = client.diagnostics(uri)
    assert [(each["code"], each["range"]["start"]) for each in broken] == [
        ("E30015", spot(text, "choose", "= choose("))
    ]
    client.change(uri, 3, text)
    assert client.diagnostics(uri) == []
    client.close(uri)
    assert client.diagnostics(uri) == []


def test_a_finding_and_its_fix(client: Client) -> None:
    text = (EXAMPLES / "ballot_loop.rk").read_text().replace("ExecutionMode @main MaximallyReconvergesKHR\n", "")
    uri = client.open("loop.rk", text)
    finding = client.diagnostics(uri)
    assert [each["code"] for each in finding] == ["RK3003"]
    assert finding[0]["range"]["start"] == spot(text, "%who", "GroupNonUniformBallot Subgroup")

    hover = client.ask("textDocument/hover", at(uri, spot(text, "%who", "GroupNonUniformBallot Subgroup")))
    said = hover["contents"]["value"]
    assert "The condition %now of the `if` in line 27 may differ" in said and "RK3003" in said

    about = {"textDocument": {"uri": uri}, "range": finding[0]["range"], "context": {"diagnostics": finding}}
    actions = client.ask("textDocument/codeAction", about)
    assert [action["title"] for action in actions] == ["Declare MaximallyReconvergesKHR"]
    assert [each["code"] for each in actions[0]["diagnostics"]] == ["RK3003"]
    lines = text.split("\n")
    for edit in actions[0]["edit"]["changes"][uri]:
        assert edit["range"]["start"] == edit["range"]["end"]
        lines.insert(edit["range"]["start"]["line"], edit["newText"].rstrip("\n"))
    client.change(uri, 2, "\n".join(lines))
    assert client.diagnostics(uri) == []
    client.close(uri)


def test_a_switch_is_rewritten(client: Client) -> None:
    text = (EXAMPLES / "fallthrough.spvasm").read_text()
    uri = client.open("fallthrough.spvasm", text)
    finding = client.diagnostics(uri)
    assert {each["code"] for each in finding} == {"RK3004"}
    about = {"textDocument": {"uri": uri}, "range": finding[0]["range"], "context": {"diagnostics": finding}}
    (action,) = client.ask("textDocument/codeAction", about)
    assert action["title"].startswith("Rewrite the module as `reknit compile` does")
    (edit,) = action["edit"]["changes"][uri]
    client.change(uri, 2, edit["newText"])
    assert client.diagnostics(uri) == []
    client.close(uri)


def test_a_storm_of_edits_is_bounded(client: Client) -> None:
    """A hundred changes, one keystroke each, some of them broken: far fewer are looked at, and the last one is."""
    text = (EXAMPLES / "shapes.slang").read_text()
    uri = client.open("storm.slang", text)
    assert client.diagnostics(uri) == []
    begun = time.monotonic()
    for keystroke in range(100):
        client.change(uri, 2 + keystroke, text[: len(text) - 100 + keystroke] + "}" * (keystroke % 3))
    client.change(uri, 300, text + "uint f() { return the_last_word; }\n")
    symbols = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert symbols[-1]["name"] == "f"  # of the text as it is, though nothing was looked at yet
    looked = 0
    while looked <= 20:
        looked += 1
        if any("the_last_word" in each["message"] for each in client.diagnostics(uri)):
            break
    assert looked <= 20
    assert time.monotonic() - begun < 30
    with pytest.raises(Empty):
        client.said.append(client.incoming.get(timeout=0.3))
    client.close(uri)


@pytest.mark.parametrize("name", ["a.slang", "a.hlsl", "a.rk", "a.spvasm"])
def test_broken_texts_end_nothing(client: Client, name: str) -> None:
    texts = [
        "", "\0", "}", "%", "func", '"', "(" * 3000, "struct S : S { S s; }", "\U0001f600 %x = ", "%x = OpLoad",
        '#include "a"\n#if', "\ud800", "interface I : J {}\ninterface J : I {}", "func @f() -> void {\n%x: %x:",
    ]  # fmt: skip
    for text in texts:
        uri = client.open(name, text)
        found = client.diagnostics(uri)
        assert all(each["code"] != "RK0009" for each in found), text
        for method in ("hover", "definition"):
            client.ask(f"textDocument/{method}", at(uri, {"line": 0, "character": 1}))
            assert client.ask(f"textDocument/{method}", at(uri, {"line": 70, "character": 1})) is None
        client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        client.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})
        client.close(uri)
        assert client.diagnostics(uri) == []


class Quiet:
    """A server that keeps what it would publish."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def text_document_publish_diagnostics(self, params: Any) -> None:
        self.said.append(params)

    def window_log_message(self, params: Any) -> None:
        raise AssertionError(params)


def test_a_text_that_asks_for_too_much_is_given_up() -> None:
    """Until it is another one."""
    import asyncio

    from reknit.editor.server import Texts
    from reknit.source.limits import Limits

    async def session() -> list[list[str]]:
        server = Quiet()
        texts = Texts(server)
        texts.limits = Limits(nodes=10_000)
        uri = "file:///nowhere/a.slang"
        for body in ("int a = 1; " * 20_000, "int a = 1;"):
            texts.put(uri, f"void f() {{ {body} }}", "slang", 0)
            texts.look(uri)
            assert (uri in texts.given_up) == (len(server.said) == 1)
        return [[str(each.code) for each in params.diagnostics] for params in server.said]

    first, second = asyncio.run(session())
    assert first == ["RK0022"] and "RK0022" not in second


@pytest.mark.parametrize(
    "sent",
    [
        b"{not json", b"[1, 2, 3]", b"[" * 200_000,
        b'{"jsonrpc": "2.0", "id": ' + b"9" * 100_000 + b', "method": "x"}',
        b'{"jsonrpc": "2.0", "id": 5, "method": "\xff\xfe"}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "textDocument/hover"}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": {"a": 1}}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "no/such", "params": {}}',
    ],
)  # fmt: skip
def test_a_message_that_is_none_ends_nothing(sent: bytes) -> None:
    client = Client()
    client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert client.process.stdin is not None
    client.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(sent), sent))
    for uri in ("", "http://[", "file://[::1/a.slang", "file:///a%00b.slang", "untitled:1"):
        item = {"uri": uri, "languageId": "slang", "version": 1, "text": '#include "x.h"\nvoid \ud800 f('}
        client.notify("textDocument/didOpen", {"textDocument": item})
        if "[" not in uri:  # which pygls takes for no address
            assert client.diagnostics(uri)
        place = {"line": 2147483647, "character": 2147483647}
        assert client.ask("textDocument/hover", at(uri, place)) is None
    client.process.stdin.close()  # without a farewell
    assert client.process.wait(SECONDS) == 0


@pytest.mark.parametrize("length", [b"99999999999999999999", b"50000000000"])
def test_a_message_that_is_too_long_ends_the_server(length: bytes) -> None:
    command = [sys.executable, "-m", "reknit", "lsp"]
    done = subprocess.run(command, input=b"Content-Length: %s\r\n\r\n{}" % length, capture_output=True, timeout=SECONDS)
    assert done.returncode == 2
    assert b"error[RK0010]: a message of %s bytes was announced: the longest is" % length in done.stderr
