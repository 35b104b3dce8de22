// The viewer of a pipeline: its passes, and what each changed in a function, as text and as graphs.

import {inks, keepInAddress, make} from "./page.mjs";
import {Graph} from "./graph.mjs";

const $ = id => document.getElementById(id);
const SIGNS = {same: "", changed: "~", gone: "-", new: "+"};
const AROUND = 3; // lines that are shown before and after a difference

/// `step` and `one` are what is shown: a step's number and a function's.
const viewer = {doc: null, step: 0, one: 0, view: "text", whole: false, every: false, unfolded: new Set(), at: -1, ink: {}};

const textOf = (step, one) => {
  const found = viewer.doc.steps[step].functions.find(each => each[0] === one);
  return found ? found[1] : -1;
};

/// What a step did to a function: [what, low, high, start, end] by runs of lines.
function changesOf(step, one) {
  const before = step ? textOf(step - 1, one) : -1, after = textOf(step, one), {texts} = viewer.doc;
  if (before === after || (!step && after >= 0)) return [["same", 0, texts[after].lines.length, 0, texts[after].lines.length]];
  if (before < 0) return after < 0 ? [] : [["new", 0, 0, 0, texts[after].lines.length]];
  if (after < 0) return [["gone", 0, texts[before].lines.length, 0, 0]];
  return viewer.doc.changes[`${before}-${after}`];
}

/// How many lines a step added and took away in a function.
export function countsOf(step, one) {
  let more = 0, less = 0;
  for (const [what, low, high, start, end] of changesOf(step, one)) {
    if (what === "same") continue;
    more += end - start;
    less += high - low;
  }
  return {more, less};
}

const functionsOf = step => {
  const known = new Set(viewer.doc.steps[step].functions.map(each => each[0]));
  if (step) for (const [one] of viewer.doc.steps[step - 1].functions) known.add(one);
  return [...known];
};

const changed = step => functionsOf(step).filter(one => {
  const {more, less} = countsOf(step, one);
  return more + less > 0;
});

function totals(step) {
  const sum = {more: 0, less: 0};
  for (const one of functionsOf(step)) {
    const {more, less} = countsOf(step, one);
    sum.more += more;
    sum.less += less;
  }
  return sum;
}

// --- drawing ----------------------------------------------------------------------------------------------------------

function drawSteps() {
  $("steps").replaceChildren(...viewer.shown.map(step => {
    const {name, proof, number} = viewer.doc.steps[step], {more, less} = totals(step), same = !more && !less;
    const words = same ? (step ? "no change" : "") : `+${more} -${less}`;
    return make("li", {role: "option", ariaSelected: String(step === viewer.step), className: same ? "same" : "", onclick: () => choose(step)},
      make("span", {textContent: `${number} ${name}`}),
      make("span", {className: "counts", textContent: words}), proof ? make("span", {className: "proved", textContent: proof}) : null);
  }));
  const chosen = $("steps").querySelector("[aria-selected=true]");
  if (chosen) chosen.scrollIntoView({block: "nearest"});
}

function draw() {
  const {doc, step, one} = viewer, entry = doc.steps[step];
  drawSteps();
  $("name").textContent = step ? `${entry.number} ${entry.name}` : "the input";
  $("does").textContent = entry.does + (entry.proof ? ` (${entry.proof})` : "");
  $("notes").replaceChildren(...(entry.notes || []).map(text => make("li", {textContent: text})));
  $("functions").replaceChildren(...functionsOf(step).map(each => {
    const {more, less} = countsOf(step, each);
    const counts = more + less && step ? `  +${more} -${less}` : "";
    return make("button", {role: "tab", ariaSelected: String(each === one), textContent: `@${doc.functions[each]}${counts}`, onclick: () => pick(each)});
  }));
  for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-selected", button.dataset.view === viewer.view);
  $("sides").hidden = viewer.view !== "text";
  $("graphs").hidden = viewer.view !== "graph";
  $("trees").hidden = viewer.view !== "tree";
  if (viewer.view === "text") drawText();
  else if (viewer.view === "tree") drawTrees();
  else drawGraphs();
  const {more, less} = countsOf(step, one);
  $("spoken").textContent = `${entry.name}, @${doc.functions[one]}: ${step ? `${more} lines more, ${less} less` : "the input"}`;
}

function drawText() {
  const {texts} = viewer.doc, {step, one} = viewer, after = textOf(step, one), before = step ? textOf(step - 1, one) : after;
  const left = before < 0 ? [] : texts[before].lines, right = after < 0 ? [] : texts[after].lines, rows = [];
  const cell = (text, what, side, sign) => make("span", {className: `${what} ${side}`, textContent: text, dataset: {sign}});
  changesOf(step, one).forEach(([what, low, high, start, end], run, all) => {
    const count = Math.max(high - low, end - start);
    const fold = what === "same" && !viewer.whole && !viewer.unfolded.has(run) && all.length > 1;
    const head = run ? AROUND : 0, tail = run < all.length - 1 ? AROUND : 0;
    for (let at = 0; at < count; at++) {
      if (fold && count > head + tail + 1 && at === head) {
        const hidden = count - head - tail;
        rows.push(make("button", {className: "folded", textContent: `… ${hidden} lines that are the same`, onclick: () => {
          viewer.unfolded.add(run);
          draw();
        }}));
        at += hidden;
        if (at >= count) break;
      }
      const here = low + at < high ? left[low + at] : "", there = start + at < end ? right[start + at] : "";
      const row = make("div", {className: what === "same" ? "pair" : "pair differs", dataset: {run}},
        cell(here, low + at < high ? what : "none", "left", low + at < high && what !== "new" ? (what === "same" ? "" : "-") : ""),
        cell(there, start + at < end ? what : "none", "right", start + at < end && what !== "gone" ? (what === "same" ? "" : what === "changed" ? SIGNS.changed : "+") : ""));
      rows.push(row);
    }
  });
  $("sides").replaceChildren(...rows);
}

/// Constructs as frames in each other, what the other side has not marked.
function drawTrees() {
  const {texts} = viewer.doc, {step, one} = viewer, after = textOf(step, one), before = step ? textOf(step - 1, one) : after;
  const sides = [before, after].map(number => (number < 0 ? [] : texts[number].tree));
  $("trees").replaceChildren(...sides.map((rows, side) => {
    const others = new Map(), open = [make("div")];
    for (const row of sides[1 - side]) others.set(`${row}`, (others.get(`${row}`) || 0) + 1);
    rows.forEach((row, at) => {
      const [depth, text] = row, has = at + 1 < rows.length && rows[at + 1][0] > depth, left = others.get(`${row}`) || 0;
      others.set(`${row}`, left - 1);
      const fresh = before !== after && left < 1 ? " fresh" : "";
      open.length = depth + 1;
      const line = make("div", {className: `leaf${fresh}`, textContent: text});
      const box = has ? make("div", {className: "box"}, line) : line;
      open[depth].append(box);
      open[depth + 1] = box;
    });
    return open[0];
  }));
}

const graphs = [$("before"), $("after")].map(canvas => new Graph(canvas, {chosen: () => {}, hovered: () => {}}));

function drawGraphs() {
  const {texts} = viewer.doc, {step, one} = viewer, after = textOf(step, one), before = step ? textOf(step - 1, one) : after;
  const found = [before, after].map(number => (number < 0 ? null : texts[number].graph));
  found.forEach((graph, side) => {
    graphs[side].canvas.hidden = !graph;
    if (!graph) return;
    const others = new Set((found[1 - side] || {nodes: []}).nodes.map(node => JSON.stringify(node[5])));
    graphs[side].show(graph);
    graphs[side].look = (_, number) => ({fill: before !== after && !others.has(JSON.stringify(graph.nodes[number][5])) ? viewer.ink.mark : ""});
    graphs[side].draw(viewer.ink);
  });
}

// --- what people do ---------------------------------------------------------------------------------------------------

function choose(step) {
  viewer.step = step;
  viewer.unfolded.clear();
  viewer.at = -1;
  const touched = step ? changed(step) : [];
  if (touched.length && !touched.includes(viewer.one)) [viewer.one] = touched;
  if (!functionsOf(step).includes(viewer.one)) [viewer.one] = functionsOf(step);
  keepInAddress(`pass=${step}`);
  draw();
}

function pick(one) {
  viewer.one = one;
  viewer.unfolded.clear();
  viewer.at = -1;
  draw();
}

function list() {
  const {steps} = viewer.doc;
  viewer.shown = steps.map((_, step) => step).filter(step => !step || viewer.every || changed(step).length || steps[step].notes?.length);
}

function move(way) {
  const at = viewer.shown.indexOf(viewer.step);
  choose(viewer.shown[Math.max(0, Math.min(viewer.shown.length - 1, at + way))]);
}

function moveFunction(way) {
  const all = functionsOf(viewer.step), at = all.indexOf(viewer.one);
  pick(all[Math.max(0, Math.min(all.length - 1, at + way))]);
}

/// The difference after, or before, the one that was gone to last.
function difference(way) {
  const runs = [...new Set([...$("sides").querySelectorAll(".differs")].map(row => +row.dataset.run))];
  const next = way > 0 ? runs.find(run => run > viewer.at) : runs.reverse().find(run => run < viewer.at);
  if (next === undefined) return;
  viewer.at = next;
  $("sides").querySelector(`.differs[data-run="${next}"]`).scrollIntoView({block: "center"});
}

function find() {
  const text = $("text").value.toLowerCase();
  if (viewer.view === "graph") {
    $("found").textContent = text ? `${graphs[1].search(text)} blocks` : "";
    graphs[0].search(text);
    return;
  }
  const found = [...$("sides").querySelectorAll("span")].filter(one => one.classList.toggle("found", text !== "" && one.textContent.toLowerCase().includes(text)));
  $("found").textContent = text ? `${found.length} lines` : "";
  if (found.length) found[0].scrollIntoView({block: "center"});
}

const KEYS = {
  ArrowUp: () => move(-1), ArrowDown: () => move(1), ArrowLeft: () => moveFunction(-1), ArrowRight: () => moveFunction(1),
  n: () => difference(1), p: () => difference(-1), t: () => show("text"), c: () => show("tree"), g: () => show("graph"), Home: () => choose(viewer.shown[0]),
  End: () => choose(viewer.shown[viewer.shown.length - 1]),
};

function show(view) {
  viewer.view = view;
  draw();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
for (const button of document.querySelectorAll("[data-view]")) button.onclick = () => show(button.dataset.view);
$("whole").onchange = () => {
  viewer.whole = $("whole").checked;
  draw();
};
$("all").onchange = () => {
  viewer.every = $("all").checked;
  list();
  draw();
};
$("text").oninput = find;
addEventListener("resize", () => viewer.view === "graph" && drawGraphs());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  viewer.ink = inks();
  draw();
});

viewer.doc = JSON.parse($("document").textContent);
viewer.ink = inks();
window.viewer = viewer;
document.title = `${viewer.doc.title}: ${viewer.doc.passes}`;
$("title").textContent = `${viewer.doc.title}: ${viewer.doc.passes}`;
list();
const asked = +(location.hash.match(/pass=(\d+)/) || [0, -1])[1];
choose(asked >= 0 && asked < viewer.doc.steps.length ? asked : viewer.shown[Math.min(1, viewer.shown.length - 1)]);
