"""The program in a playground's address, which anyone may have made: node runs the file that the page imports."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
const { packed, unpacked } = await import(process.argv[1]);
const { deflateRawSync } = await import("node:zlib");
const link = (bytes) => deflateRawSync(bytes).toString("base64url");
const program = { format: "slang", text: "void main() {}", size: 4, buffers: { kinds: [0, -1] } };
const links = {
  shared: await packed(program),
  "without the rest": link(JSON.stringify({ format: "rk", text: "" })),
  "a bomb": link(Buffer.alloc(200_000_000, 0x20)),
  "a long text": link(JSON.stringify({ ...program, text: "x".repeat(400_001) })),
  "a long link": "A".repeat(1 << 21),
  "no base64": "%%%",
  "not deflated": Buffer.from("hello").toString("base64url"),
  "half of one": (await packed(program)).slice(0, 20),
  empty: "",
  "no JSON": link("{"),
  "a nest": link("[".repeat(1_000_000)),
  null: link("null"),
  "a list": link("[1]"),
  "a format of its own": link(JSON.stringify({ ...program, format: "<script>alert(1)</script>" })),
  "a text of numbers": link(JSON.stringify({ ...program, text: [1] })),
  "a size of its own": link(JSON.stringify({ ...program, size: 1e9 })),
  "buffers of text": link(JSON.stringify({ ...program, buffers: { a: ["<img onerror=alert(1)>"] } })),
  "buffers of null": link(JSON.stringify({ ...program, buffers: null })),
};
const said = {};
for (const [name, each] of Object.entries(links)) {
  try {
    said[name] = await unpacked(each);
  } catch (fault) {
    said[name] = `Error: ${fault.message}`;
  }
}
const mib = process.memoryUsage().rss / (1 << 20);
console.log(JSON.stringify({ program, said, mib }));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")
def test_what_an_address_may_hold() -> None:
    command = ["node", "--input-type=module", "-e", SCRIPT, (ROOT / "playground" / "link.mjs").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    said = found["said"]
    assert said.pop("shared") == found["program"]
    assert said.pop("without the rest") == {"format": "rk", "text": "", "size": 32, "buffers": {}}
    assert said["a bomb"] == "Error: it unpacks to more than 2097152 bytes"
    assert {name: fault for name, fault in said.items() if not str(fault).startswith("Error: ")} == {}
