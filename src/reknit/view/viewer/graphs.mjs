// The viewer of graphs: functions of any size, moved and zoomed, searched, with a small picture of the whole at the side.

import {fitted, inks, make} from "./page.mjs";
import {Graph} from "./graph.mjs";

const $ = id => document.getElementById(id);
const viewer = {doc: null, one: null, ink: {}, found: [], at: -1, chosen: -1};

const graph = new Graph($("flow"), {
  chosen: (block, way, node) => choose(node, false),
  hovered: (block, node, event) => tip(node, event),
});

function tip(node, event) {
  const code = node >= 0 && event && viewer.one.code[node];
  $("tip").style.display = code ? "block" : "none";
  if (!code) return;
  $("tip").textContent = [viewer.one.graph.nodes[node][5][0], ...code.slice(0, 40), ...(code.length > 40 ? [`… ${code.length - 40} more`] : [])].join("\n");
  $("tip").style.left = `${Math.max(4, Math.min(innerWidth - 380, event.clientX + 14))}px`;
  $("tip").style.top = `${Math.max(4, Math.min(innerHeight - 16 * Math.min(code.length + 2, 42), event.clientY + 16))}px`;
}

export function draw() {
  const {one, ink} = viewer;
  if (!one) return;
  graph.draw(ink);
  const {pen, width, height} = fitted($("mini")), {nodes} = one.graph;
  const scaleX = width / one.graph.width, scaleY = height / one.graph.height;
  const every = Math.max(1, Math.floor(nodes.length / 4000));
  nodes.forEach(([x, y, wide, tall], number) => {
    const marked = viewer.foundSet.has(number) || number === viewer.chosen;
    if (number % every && !marked) return;
    pen.fillStyle = marked ? ink.hot : viewer.tangled.has(number) ? ink.wait : ink.ready;
    pen.fillRect(x * scaleX, y * scaleY, Math.max(2, wide * scaleX), Math.max(marked ? 2 : 1, tall * scaleY));
  });
  pen.strokeStyle = ink.fg;
  const {clientWidth, clientHeight} = $("flow");
  pen.strokeRect((-graph.x / graph.scale) * scaleX, (-graph.y / graph.scale) * scaleY, (clientWidth / graph.scale) * scaleX, Math.max(3, (clientHeight / graph.scale) * scaleY));
}
graph.drawn = draw;

function open(number) {
  viewer.one = viewer.doc.functions[number];
  viewer.found = [];
  viewer.foundSet = new Set();
  viewer.chosen = -1;
  viewer.tangled = new Set($("tangled").checked ? viewer.one.tangled : []);
  graph.show(viewer.one.graph);
  graph.fill = (block, node) => (viewer.tangled.has(node) ? viewer.ink.mark : "");
  $("tree").replaceChildren(...viewer.one.tree.map(([depth, text, block]) => {
    const row = make("div", {className: block < 0 ? "row head" : "row", textContent: text, dataset: {block}});
    row.style.paddingLeft = `${10 + 14 * Math.min(depth, 24)}px`;
    if (block >= 0) row.onclick = () => choose(block, true);
    return row;
  }));
  if (viewer.one.graph.height > 4 * $("flow").clientHeight) read();
  draw();
}

/// At a size that can be read, from the top.
function read() {
  graph.scale = 1;
  graph.x = $("flow").clientWidth / 2 - (viewer.one.graph.nodes[0][0] + viewer.one.graph.nodes[0][2] / 2);
  graph.y = 0;
  draw();
}

function choose(node, move) {
  viewer.chosen = node;
  graph.current = node < 0 ? -1 : viewer.one.graph.nodes[node][4];
  for (const row of $("tree").querySelectorAll(".on")) row.classList.remove("on");
  const row = node < 0 ? null : $("tree").querySelector(`[data-block="${node}"]`);
  if (row) {
    row.classList.add("on");
    row.scrollIntoView({block: "nearest"});
  }
  if (node >= 0 && move) {
    if (graph.scale < 0.5) graph.scale = 1;
    graph.reveal(node);
  }
  if (node >= 0) $("spoken").textContent = viewer.one.graph.nodes[node][5].join(", ");
  draw();
}

function find() {
  const text = $("text").value.toLowerCase(), {nodes} = viewer.one.graph;
  viewer.found = text === "" ? [] : nodes.map((_, number) => number).filter(number =>
    nodes[number][5].some(line => line.toLowerCase().includes(text)) || (viewer.one.code[number] || []).some(line => line.toLowerCase().includes(text)));
  viewer.foundSet = new Set(viewer.found);
  graph.found = viewer.foundSet;
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
$("tangled").onchange = () => {
  viewer.tangled = new Set($("tangled").checked ? viewer.one.tangled : []);
  draw();
};
$("function").onchange = () => open(+$("function").value);
$("mini").onpointerdown = $("mini").onpointermove = event => {
  if (event.type === "pointermove" && !event.buttons) return;
  const box = $("mini").getBoundingClientRect(), {width, height} = viewer.one.graph;
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
if (viewer.doc.functions.length) open(0);
