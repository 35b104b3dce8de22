// The viewer of graphs: functions of any size, folded, moved, zoomed and searched, with a small picture of the whole.

import {fitted, inks, make} from "./page.mjs";
import {laidOut} from "./layout.mjs";
import {Graph} from "./graph.mjs";
import {Rows} from "./rows.mjs";
import {around, constructOf, countsOf, folded, numberOf, openRows} from "./folding.mjs";

const $ = id => document.getElementById(id);

/// `chosen` is a block's number, a folded construct's, or -1; `found` are blocks. `box` is by block that of its box.
const viewer = {
  doc: null, one: null, graph: null, box: [], counts: [], closed: new Set(), ink: {}, found: [], at: -1, chosen: -1, tangled: new Set(),
};

const graph = new Graph($("flow"), {
  chosen: (number, way, node, event) => (event.detail > 1 ? toggle(number) : choose(number)),
  hovered: (number, node, event) => tip(number, event),
});
const rows = new Rows($("tree"), treeRow);

// --- what a block is --------------------------------------------------------------------------------------------------

/// "T" or "t", "L" or "l", and a sign an instruction; "" where no scope is shown.
const uniformityOf = block => ($("scope").value ? viewer.one.uniformity[$("scope").value][block] : "");

function stateOfBlock(block) {
  const signs = uniformityOf(block);
  return signs === "" || signs.startsWith("TL") ? "" : signs[0] === "T" ? "part" : "split";
}

const STATES = {part: "the lanes that entered the construct together, not all", split: "lanes may be divergent"};

function codeOf(block) {
  const signs = uniformityOf(block), scope = $("scope").value;
  const after = {u: `   ; uniform(${scope})`, d: "   ; differs"};
  return viewer.one.code[block].map((line, at) => line + (after[signs[at + 2]] || ""));
}

function linesOf(number) {
  const construct = constructOf(number);
  if (construct >= 0) return [viewer.one.constructs[construct][0], `${viewer.counts[construct].blocks} blocks, folded`];
  return [viewer.one.boxes[number][0], ...(stateOfBlock(number) ? [STATES[stateOfBlock(number)]] : []), ...codeOf(number)];
}

function tip(number, event) {
  const shown = event !== null && number !== -1;
  $("tip").style.display = shown ? "block" : "none";
  if (!shown) return;
  const lines = linesOf(number), most = 40;
  $("tip").textContent = [...lines.slice(0, most), ...(lines.length > most ? [`… ${lines.length - most} more`] : [])].join("\n");
  $("tip").style.left = `${Math.max(4, Math.min(innerWidth - $("tip").offsetWidth - 4, event.clientX + 14))}px`;
  $("tip").style.top = `${Math.max(4, Math.min(innerHeight - $("tip").offsetHeight - 4, event.clientY + 16))}px`;
}

// --- drawing ----------------------------------------------------------------------------------------------------------

export function draw() {
  const {ink} = viewer;
  if (!viewer.graph) return;
  graph.draw(ink);
  const {pen, width, height} = fitted($("mini")), {nodes} = viewer.graph;
  const scaleX = width / viewer.graph.width, scaleY = height / viewer.graph.height;
  const every = Math.max(1, Math.floor(nodes.length / 4000));
  nodes.forEach(([x, y, wide, tall, number], at) => {
    const marked = graph.found.has(at) || (number === viewer.chosen && number !== -1);
    if (at % every && !marked) return;
    pen.fillStyle = marked ? ink.hot : viewer.tangled.has(number) ? ink.wait : ink.ready;
    pen.fillRect(x * scaleX, y * scaleY, Math.max(2, wide * scaleX), Math.max(marked ? 2 : 1, tall * scaleY));
  });
  pen.strokeStyle = ink.fg;
  const {clientWidth, clientHeight} = $("flow");
  pen.strokeRect((-graph.x / graph.scale) * scaleX, (-graph.y / graph.scale) * scaleY, (clientWidth / graph.scale) * scaleX, Math.max(3, (clientHeight / graph.scale) * scaleY));
}
graph.drawn = draw;

graph.look = number => {
  const state = number >= 0 ? stateOfBlock(number) : "", {ink} = viewer;
  return {
    fill: state === "part" ? ink.whole : state === "split" ? ink.mark : "", dashed: state === "split", double: number < -1,
    bar: viewer.tangled.has(number) ? ink.wait : "",
  };
};

function treeRow([depth, text, number]) {
  const construct = constructOf(number), closed = viewer.closed.has(construct);
  const row = make("div", {className: number === -1 || construct >= 0 ? "row head" : "row", role: "treeitem", "aria-level": depth + 1});
  row.style.paddingLeft = `${20 + 14 * Math.min(depth, 24)}px`;
  if (number === viewer.chosen && number !== -1) row.classList.add("on");
  if (construct >= 0) {
    row.setAttribute("aria-expanded", !closed);
    row.append(make("button", {textContent: closed ? "▸" : "▾", tabIndex: -1, ariaLabel: closed ? "unfold" : "fold", onclick: event => {
      event.stopPropagation();
      toggle(number);
    }}));
  }
  row.append(text);
  row.onclick = () => (construct >= 0 ? toggle(number) : number >= 0 && choose(number, true));
  return row;
}

/// Lays out what is not folded. The box of `held`, a number as `chosen` is, stays where it is seen.
function layOut(held = -1) {
  const {one, closed} = viewer, before = nodeOf(held);
  const seen = before >= 0 ? placeOf(before) : null;
  const {boxes, edges, box} = folded(one, closed, viewer.counts);
  viewer.box = box;
  viewer.graph = laidOut(boxes, edges);
  viewer.nodes = new Map(boxes.map(([number], node) => [number, node]));
  graph.show(viewer.graph, seen === null);
  const after = nodeOf(held);
  if (seen !== null && after >= 0) {
    const [x, y] = placeOf(after);
    graph.x += seen[0] - x;
    graph.y += seen[1] - y;
  }
  graph.found = new Set(viewer.found.map(block => box[block]));
  rows.show(openRows(one.tree, closed));
  markTangled();
}

const placeOf = node => [graph.x + viewer.graph.nodes[node][0] * graph.scale, graph.y + viewer.graph.nodes[node][1] * graph.scale];

/// The box in which a block, or a construct, is now.
function nodeOf(number) {
  const construct = constructOf(number);
  if (number === -1 || !viewer.graph) return -1;
  if (construct < 0) return viewer.box[number];
  return viewer.nodes.get(number) ?? viewer.box[viewer.one.within.findIndex((_, block) => around(viewer.one, block).includes(construct))];
}

function markTangled() {
  const shown = $("tangled").checked, {one} = viewer;
  viewer.tangled = new Set(shown ? one.tangled : []);
  if (shown) one.constructs.forEach((_, construct) => viewer.counts[construct].tangled && viewer.tangled.add(numberOf(construct)));
  $("of-tangled").hidden = !shown;
  for (const each of document.querySelectorAll(".of-scope")) each.hidden = !$("scope").value;
  draw();
}

// --- what people do ---------------------------------------------------------------------------------------------------

function open(number) {
  viewer.one = viewer.doc.functions[number];
  viewer.counts = countsOf(viewer.one);
  viewer.closed = new Set();
  viewer.graph = null;
  viewer.chosen = viewer.at = graph.current = -1;
  viewer.found = [];
  graph.found = new Set();
  layOut();
  if (viewer.graph.height > 4 * $("flow").clientHeight) read();
}

/// At a size that can be read, from the top.
function read() {
  graph.scale = 1;
  graph.x = $("flow").clientWidth / 2 - (viewer.graph.nodes[0][0] + viewer.graph.nodes[0][2] / 2);
  graph.y = 0;
  draw();
}

/// Folds a construct, or the innermost one around a block; unfolds it if it is folded.
function toggle(number) {
  const {one, closed} = viewer, construct = constructOf(number) >= 0 ? constructOf(number) : number >= 0 ? one.within[number] : -1;
  if (construct < 0) return;
  const folds = !closed.delete(construct);
  if (folds) closed.add(construct);
  viewer.chosen = graph.current = folds ? numberOf(construct) : -1;
  layOut(folds ? number : numberOf(construct));
  const {blocks} = viewer.counts[construct];
  $("spoken").textContent = `${one.constructs[construct][0]}: ${blocks} block${blocks === 1 ? "" : "s"} ${folds ? "folded" : "unfolded"}`;
}

function foldAll(folds) {
  viewer.closed = new Set(folds ? viewer.one.constructs.keys() : []);
  viewer.chosen = graph.current = -1;
  layOut();
  graph.fit();
  if (viewer.graph.height > 4 * $("flow").clientHeight) read();
  else draw();
}

/// A block inside of what is folded is unfolded.
function choose(number, move = false) {
  if (number >= 0) {
    const folds = around(viewer.one, number).filter(construct => viewer.closed.has(construct));
    for (const construct of folds) viewer.closed.delete(construct);
    if (folds.length) layOut(number);
  }
  viewer.chosen = graph.current = number;
  const row = number === -1 ? -1 : rows.rows.findIndex(each => each[2] === number);
  if (row >= 0) rows.reveal(row);
  else rows.draw();
  if (number !== -1 && move) {
    if (graph.scale < 0.5) graph.scale = 1;
    graph.reveal(nodeOf(number));
  }
  if (number !== -1) $("spoken").textContent = linesOf(number).slice(0, 4).join(", ");
  draw();
}

function find() {
  const text = $("text").value.toLowerCase(), {one} = viewer, says = line => line.toLowerCase().includes(text);
  viewer.found = text === "" ? [] : [...one.boxes.keys()].filter(block => one.boxes[block].some(says) || one.code[block].some(says));
  graph.found = new Set(viewer.found.map(block => viewer.box[block]));
  viewer.at = -1;
  $("found").textContent = text ? `${viewer.found.length} blocks` : "";
  if (viewer.found.length) next();
  else draw();
}

function next() {
  if (!viewer.found.length) return;
  viewer.at = (viewer.at + 1) % viewer.found.length;
  $("found").textContent = `${viewer.at + 1} of ${viewer.found.length} blocks`;
  choose(viewer.found[viewer.at], true);
}

const actions = {
  next, read,
  toggle: () => toggle(viewer.chosen),
  foldAll: () => foldAll(true),
  unfoldAll: () => foldAll(false),
  larger: () => graph.zoom(1.4),
  smaller: () => graph.zoom(1 / 1.4),
  fit: () => {
    graph.fit();
    draw();
  },
};
for (const button of document.querySelectorAll("[data-do]")) button.onclick = () => actions[button.dataset.do]();
$("text").oninput = find;
$("text").onkeydown = event => event.key === "Enter" && next();
$("tangled").onchange = $("scope").onchange = markTangled;
$("flow").addEventListener("keydown", event => event.key === "Enter" && toggle(viewer.chosen));
$("tree").onkeydown = event => {
  const at = rows.rows.findIndex(row => row[2] === viewer.chosen && viewer.chosen !== -1), row = rows.rows[at];
  const go = way => {
    let to = at + way;
    while (rows.rows[to] && rows.rows[to][2] === -1) to += way;
    if (rows.rows[to]) choose(rows.rows[to][2], rows.rows[to][2] >= 0);
  };
  const construct = row ? constructOf(row[2]) : -1, closed = viewer.closed.has(construct);
  if (event.key === "ArrowDown") go(1);
  else if (event.key === "ArrowUp") go(-1);
  else if (event.key === "Enter" || (construct >= 0 && event.key === (closed ? "ArrowRight" : "ArrowLeft"))) toggle(viewer.chosen);
  else return;
  event.preventDefault();
};
$("function").onchange = () => open(+$("function").value);
$("mini").onpointerdown = $("mini").onpointermove = event => {
  if (event.type === "pointermove" && !event.buttons) return;
  const box = $("mini").getBoundingClientRect(), {width, height} = viewer.graph;
  graph.x = $("flow").clientWidth / 2 - ((event.clientX - box.left) / box.width) * width * graph.scale;
  graph.y = $("flow").clientHeight / 2 - ((event.clientY - box.top) / box.height) * height * graph.scale;
  draw();
};
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  viewer.ink = inks();
  draw();
});

viewer.doc = JSON.parse($("document").textContent);
viewer.ink = inks();
window.viewer = viewer;
window.graph = graph;
document.title = $("title").textContent = viewer.doc.title;
$("function").replaceChildren(...viewer.doc.functions.map((one, number) => make("option", {value: number, textContent: `@${one.name}`})));
if (viewer.doc.functions.length) {
  $("scope").append(...Object.keys(viewer.doc.functions[0].uniformity).map(scope => make("option", {value: scope, textContent: scope})));
  open(0);
}
