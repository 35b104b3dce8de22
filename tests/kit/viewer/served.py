"""A folder served to headless Chromium, and what a page there reports: pages with workers don't start from the disk.

    folder + told.html --http on 127.0.0.1--> Chromium --POST /told--> whatever the page found
"""

import json
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from kit.viewer.browser import CHROMIUM

PAGE: Final = "told.html"


class Handler(SimpleHTTPRequestHandler):
    """Files, with the types that modules and WebAssembly need; what is posted is kept."""

    extensions_map = {
        **SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".wasm": "application/wasm",
    }  # fmt: skip

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        server.told.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()
        server.done.set()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.told: list[Any] = []
        self.done = threading.Event()


def told_by(folder: Path, script: str, profile: Path, seconds: float) -> Any:
    """What `script`, a module with `tell(value)`, reports from a page in the folder."""
    assert CHROMIUM is not None
    tell = "const tell = (value) => fetch('/told', {method: 'POST', body: JSON.stringify(value)});"
    caught = "addEventListener('unhandledrejection', (event) => tell({fault: String(event.reason)}));"
    body = f"<!doctype html><body></body><script type='module'>{caught}\n{tell}\n{script}</script>"
    (folder / PAGE).write_text(body, encoding="utf-8")
    server = Server(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,800",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--remote-debugging-port=0",
        f"--user-data-dir={profile}", f"http://127.0.0.1:{server.server_address[1]}/{PAGE}",
    ]  # fmt: skip
    browser = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert server.done.wait(seconds), "the page reported nothing"
        return server.told[0]
    finally:
        browser.terminate()
        browser.wait(20)
        server.shutdown()
        server.server_close()
