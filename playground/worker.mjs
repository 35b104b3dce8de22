// reknit in a worker: a request of `reknit.editor.playground` with an `id` in, its answer with that id out.
// Beside it lie Pyodide's files and reknit.zip; nothing is asked of any other host.

import { loadPyodide } from "./pyodide.mjs";

const SETUP = `
import sys
sys.path.insert(0, "/lib/reknit")
from reknit.editor.playground import answer
`;

const ready = (async () => {
  const here = new URL("./", import.meta.url).href;
  const [python, reply] = await Promise.all([loadPyodide({ indexURL: here }), fetch(new URL("reknit.zip", here))]);
  if (!reply.ok) throw new Error(`reknit.zip: ${reply.status}`);
  python.FS.mkdirTree("/lib/reknit");
  python.unpackArchive(await reply.arrayBuffer(), "zip", { extractDir: "/lib/reknit" });
  python.runPython(SETUP);
  postMessage({ id: 0, ok: true });
  return python.globals.get("answer");
})();
ready.catch((fault) => postMessage({ id: 0, ok: false, fault: String(fault) }));

onmessage = async ({ data }) => {
  try {
    const answer = await ready;
    postMessage({ id: data.id, ...JSON.parse(answer(JSON.stringify(data))) });
  } catch (fault) {
    postMessage({ id: data.id, ok: false, diagnostics: [], fault: String(fault).slice(-2000) });
  }
};
