// The page: an editor of text, what reknit finds in it, and what was asked for. The address after # is the program.

import { packed, unpacked } from "./link.mjs";

const SECONDS = 30; // what takes longer is ended, and Python begun anew
const PAUSE = 400; // milliseconds without a key before a text is looked at
const JOBS = { outcomes: "all allowed results", trace: "lanes by time", run: "one run", show: "tree", compile: "compile", prove: "prove" };

const $ = (id) => document.getElementById(id);
let worker, number = 0, waiting = new Map(), limit = 0, pause = 0, resting = 0, examples = [], before = null, hopeless = null;

// --- Python in its worker -------------------------------------------------------------------------------------------

function hire() {
  worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  const from = performance.now();
  worker.onmessage = ({ data }) => {
    if (data.id === 0) {
      say(data.ok ? `ready after ${seconds(performance.now() - from)}` : data.fault);
      document.body.dataset.ready = data.ok;
      if (data.ok) look();
      return;
    }
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  worker.onerror = (fault) => say(fault.message || "the worker could not be started: is the page served by a host?");
}

function stop(why, at = null) {
  hopeless = at;
  clearTimeout(limit);
  worker.terminate();
  for (const done of waiting.values()) done({ ok: false, diagnostics: [], fault: why });
  waiting.clear();
  $("stop").disabled = true;
  say(`${why}; Python begins anew`);
  hire();
}

function ask(job) {
  return new Promise((done) => {
    const id = ++number;
    waiting.set(id, done);
    worker.postMessage({ id, ...job });
  });
}

// --- what is written ------------------------------------------------------------------------------------------------

function buffers() {
  const words = $("buffers").value.trim();
  return words ? JSON.parse(words) : {};
}

function program() {
  return { format: $("format").value, text: $("text").value, size: +$("size").value, buffers: buffers() };
}

function put({ format, text, size, buffers }) {
  $("format").value = format;
  $("text").value = text;
  $("size").value = size || 32;
  $("buffers").value = buffers && Object.keys(buffers).length ? JSON.stringify(buffers) : "";
}

async function look() {
  clearTimeout(pause);
  const { format, text } = { format: $("format").value, text: $("text").value };
  if (text === hopeless) return; // Python begins anew, and looks at what is there
  const looking = waiting.size === 0 && setTimeout(() => stop(`looking at it took ${SECONDS} s`, text), SECONDS * 1000);
  const reply = await ask({ do: "look", format, text });
  clearTimeout(looking);
  if (text === $("text").value) list(reply.diagnostics);
}

function list(found) {
  $("found").replaceChildren(...found.map((each) => {
    const line = document.createElement("button");
    line.className = each.severity;
    const notes = each.notes.map((note) => `\n  note: ${note.message}`).join("");
    line.textContent = `${each.line}:${each.column} ${each.severity}[${each.code}] ${each.message}${notes}`
      + (each.help ? `\n  help: ${each.help}` : "");
    line.onclick = () => select(each);
    const item = document.createElement("li");
    item.append(line);
    return item;
  }));
}

// What is at the cursor: its declaration, for which lanes it is uniform, which run it together.
async function about() {
  const text = $("text").value, lines = text.slice(0, $("text").selectionStart).split("\n");
  const place = { line: lines.length, column: [...lines.at(-1)].length + 1 };
  const reply = await ask({ do: "hover", format: $("format").value, text, ...place });
  $("about").textContent = (reply.hover || "").replace(/^```.*\n?/gm, "").replaceAll("**", "").replaceAll("`", "");
}

function select({ line, column, length }) {
  if (!line) return;
  const lines = $("text").value.split("\n");
  const at = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + Math.max(column - 1, 0);
  $("text").focus();
  $("text").setSelectionRange(at, at + Math.max(length, 1));
}

// --- what is shown --------------------------------------------------------------------------------------------------

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
const say = (words) => ($("state").textContent = words);

function show(reply) {
  $("page").hidden = !reply.page;
  $("shown").hidden = !!reply.page;
  if (reply.page) $("page").srcdoc = reply.page;
  else if (reply.html) $("shown").innerHTML = reply.html; // made by reknit, which escapes what a program says
  else {
    const text = document.createElement("pre");
    text.textContent = reply.text || reply.fault || "";
    $("shown").replaceChildren(text);
  }
}

async function run(what) {
  let job;
  try {
    job = { do: what, ...program() };
  } catch (fault) {
    return say(`buffers: ${fault.message}`);
  }
  if (what === "prove") {
    if (!before) {
      before = { text: job.text, format: job.format };
      return say("this is the version before: change it, and ask again");
    }
    job = { ...job, before: before.text, before_format: before.format };
    before = null;
  }
  say(`${JOBS[what]} ...`);
  $("stop").disabled = false;
  clearTimeout(limit);
  limit = setTimeout(() => stop(`stopped after ${SECONDS} s`), SECONDS * 1000);
  const from = performance.now();
  const reply = await ask(job);
  clearTimeout(limit);
  $("stop").disabled = waiting.size === 0;
  if (reply.diagnostics.length || !reply.ok) list(reply.diagnostics);
  if (reply.ok || reply.fault) show(reply);
  if (!reply.fault) say(`${JOBS[what]}: ${seconds(performance.now() - from)}`);
  document.body.dataset.done = what;
  return reply;
}

// --- the address ----------------------------------------------------------------------------------------------------

async function share() {
  history.replaceState(null, "", `#p=${await packed(program())}`);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  say(copied ? "the address has the program, and is copied" : "the address has the program");
}

async function open() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("p")) return put(await unpacked(asked.get("p")));
  const chosen = examples.find((each) => each.name === asked.get("example")) || examples[0];
  $("example").value = chosen.name;
  put(chosen);
}

// --- the beginning --------------------------------------------------------------------------------------------------

for (const [what, words] of Object.entries(JOBS)) {
  const button = document.createElement("button");
  button.textContent = words;
  button.id = `do-${what}`;
  button.onclick = () => run(what);
  $("jobs").append(button);
}
$("stop").onclick = () => stop("stopped");
$("share").onclick = share;
$("example").onchange = () => {
  location.hash = `example=${$("example").value}`;
};
$("text").oninput = $("format").onchange = () => {
  clearTimeout(pause);
  pause = setTimeout(look, PAUSE);
};
document.addEventListener("selectionchange", () => {
  if (document.activeElement !== $("text")) return;
  clearTimeout(resting);
  resting = setTimeout(about, PAUSE);
});
async function arrive() {
  await open().catch((fault) => say(`the address holds no program: ${fault.message}`));
}

addEventListener("hashchange", () => arrive().then(look));

hire();
examples = await (await fetch(new URL("examples.json", import.meta.url))).json();
$("example").append(...examples.map(({ name }) => new Option(name)));
await arrive();

export { about, ask, open, packed, run, share, stop, unpacked };
