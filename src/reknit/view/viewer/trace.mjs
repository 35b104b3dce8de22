// The viewer of a trace: what is shown of it, and what keys, clicks and the slider do.

import {has, isEmpty} from "./masks.mjs";
import {framesAfter, maskAt, readRun} from "./states.mjs";
import {readValues} from "./values.mjs";
import {choiceBefore, firstDifference, onLine, placeOf, seek, shownColumns, stepOver} from "./search.mjs";
import {blockName, laneWords, spoken} from "./words.mjs";
import {fitted, inks, keepInAddress, make} from "./page.mjs";
import {LEFT, drawLanes, drawOverview, under} from "./lanes.mjs";
import {drawHappening, drawMemory, drawSource, drawTree, drawValues, drawWaiting, lightBlock, subgroupOf} from "./panels.mjs";
import {Graph} from "./graph.mjs";
import {download, svgOf} from "./drawn_svg.mjs";

const $ = id => document.getElementById(id);

/// Everything that changes while one looks. `at` is a place in `shown`, the columns that the filter leaves.
const viewer = {
  doc: null, models: [], model: null, other: null, shown: [], at: 0, from: 0, per: 12, lane: -1, pane: "tree",
  filter: {idle: false, subgroup: -1, lane: -1, text: "", tangled: false}, playing: 0, hover: null, ink: {}, asked: 0,
};

export function open(doc) {
  if (doc.format !== "reknit-trace" || doc.version !== 1) {
    $("title").textContent = `not a trace that this page can show: ${doc.format} ${doc.version}`;
    return;
  }
  viewer.doc = doc;
  viewer.models = doc.runs.map(() => null);
  viewer.ink = inks();
  document.title = `${doc.title}: lanes by time`;
  $("title").textContent = doc.title;
  $("title").title = `${doc.title}, entry point ${doc.entry}, rules ${doc.rules}, subgroups of ${doc.subgroup_size}`;
  makeTabs();
  $("subgroup").replaceChildren(make("option", {value: -1, textContent: "all"}),
    ...Array.from({length: Math.ceil(doc.lanes / doc.subgroup_size)}, (_, number) => make("option", {value: number, textContent: number})));
  $("lane").max = doc.lanes - 1;
  const hash = new URLSearchParams(location.hash.slice(1));
  choose(Math.min(doc.runs.length - 1, Math.max(0, (+hash.get("run") || 1) - 1)), false);
  fit();
  if (viewer.per < 10) viewer.per = 12;
  const wanted = +hash.get("step");
  if (wanted) toStep(wanted);
  else go(0);
}

function modelOf(number) {
  if (!viewer.models[number]) {
    viewer.models[number] = readRun(viewer.doc, number);
    readValues(viewer.models[number]);
  }
  return viewer.models[number];
}

function makeTabs() {
  const {runs} = viewer.doc;
  $("tabs").hidden = runs.length < 2;
  $("tabs").replaceChildren(...runs.map((run, number) =>
    make("button", {role: "tab", textContent: `${number + 1}  ${run.result}`, title: `${run.name}\n${run.result}`, onclick: () => choose(number)})),
    make("label", {id: "compare"}, "lay over it ", make("select", {id: "over", onchange: () => lay(+$("over").value)},
      make("option", {value: -1, textContent: "none"}), ...runs.map((_, number) => make("option", {value: number, textContent: number + 1})))),
    make("span", {id: "differs", className: "fault"}));
}

/// Shows a run, at the step that is shown of the one before.
function choose(number, keep = true) {
  const t = viewer.shown[viewer.at] || 0;
  viewer.model = modelOf(number);
  viewer.number = number;
  [...$("tabs").querySelectorAll("button")].forEach((tab, at) => tab.setAttribute("aria-selected", at === number));
  drawSource($("source"), viewer.model, actions);
  drawTree($("tree"), viewer.model, actions);
  differ();
  filter(keep ? t : 0);
}

function lay(number) {
  viewer.other = number < 0 ? null : modelOf(number);
  $("over").value = number;
  differ();
  filter(viewer.shown[viewer.at]);
  if (viewer.other && viewer.different >= 0) go(placeOf(viewer.shown, Math.min(viewer.different, viewer.model.columns - 1)));
}

/// Where the two that are laid over each other begin to differ, in words.
function differ() {
  const {model, other} = viewer;
  viewer.different = other && other !== model ? firstDifference(model, other) : -1;
  if (!$("differs")) return;
  if (!other || other === model) $("differs").textContent = "";
  else if (viewer.different < 0) $("differs").textContent = "the same tangles in every step";
  else {
    const t = viewer.different, step = t < model.columns ? model.step[t] : other.step[t];
    $("differs").textContent = `differ from step ${step} on. ${model.number + 1}: ${choiceBefore(model, t) || "no choice"}; ${other.number + 1}: ${choiceBefore(other, t) || "no choice"}`;
  }
}

/// Applies the filter; column t, or the one before it, is where it stands afterwards.
function filter(t) {
  const {model, other} = viewer;
  viewer.shown = shownColumns(model, viewer.filter);
  if (other) {
    const rest = shownColumns(other, viewer.filter).filter(one => one >= model.columns);
    viewer.otherShown = [...viewer.shown].filter(one => one < other.columns).concat([...rest]);
  }
  $("at").max = Math.max(0, viewer.shown.length - 1);
  $("count").textContent = `${viewer.shown.length} of ${viewer.model.columns} steps`;
  go(placeOf(viewer.shown, t));
}

// --- painting ---------------------------------------------------------------------------------------------------------

function paint() {
  if (!viewer.asked) viewer.asked = requestAnimationFrame(() => {
    viewer.asked = 0;
    draw();
  });
}

export function draw() {
  const {model, other, shown, ink} = viewer, began = performance.now();
  if (!model || !shown.length) return;
  const t = shown[viewer.at], {pen, width, height} = fitted($("grid"));
  const room = (width - LEFT) / viewer.per;
  const longest = Math.max(shown.length, other ? viewer.otherShown.length : 0);
  viewer.from = Math.max(0, Math.min(viewer.from, longest - Math.min(room, longest) * 0.9));
  const tall = other ? height / 2 : height;
  drawLanes(pen, model, shown, viewer, 0, width, tall, ink);
  if (other) {
    drawLanes(pen, other, viewer.otherShown, viewer, tall, width, tall, ink);
    markDifference(pen, width, height, tall);
  }
  const map = fitted($("map"));
  drawOverview(map.pen, model, shown, viewer, map.width, map.height, ink);
  tell(t);
  viewer.drawn = performance.now() - began;
}

function markDifference(pen, width, height, tall) {
  const {ink, model, other} = viewer;
  pen.fillStyle = ink.fg;
  pen.fillRect(0, tall - 1, width, 1);
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillText(`result ${model.number + 1}`, 3, 9);
  pen.fillText(`result ${other.number + 1}`, 3, tall + 9);
  if (viewer.different < 0) return;
  const x = LEFT + (placeOf(viewer.shown, Math.min(viewer.different, model.columns - 1)) - viewer.from) * viewer.per;
  if (x < LEFT) return;
  pen.fillStyle = ink.hot;
  pen.fillRect(x - 1.5, 0, 3, height);
}

function tell(t) {
  const {model, lane} = viewer;
  const words = `step ${model.step[t]} of ${model.step[model.columns - 1]}`;
  $("now").textContent = model.run.groups.length > 1 ? `${words}, workgroup ${model.group[t]}` : words;
  $("at").value = viewer.at;
  $("at").setAttribute("aria-valuetext", `${words}, ${blockName(model, model.block[t])}`);
  lightBlock($("source"), $("tree"), model, t);
  drawHappening($("happening"), model, t);
  drawWaiting($("waiting"), model, t, lane);
  drawValues($("values"), model, t, subgroupOf(model, t, lane), lane);
  if (viewer.pane === "memory") drawMemory($("memory"), model, t);
  if (viewer.pane === "graph") drawGraph(t);
  if (!viewer.playing) $("spoken").textContent = spoken(model, t);
}

// --- graph ------------------------------------------------------------------------------------------------------------

const graph = new Graph($("flow"), {
  chosen: (block, way) => block >= 0 && actions.toBlock(block, way),
  hovered: (block, node, event) => {
    actions.hoverBlock(block);
    tip(block >= 0 && event ? [blockName(viewer.model, block), ...viewer.model.program.blocks[block].code.slice(0, 30)].join("\n") : "", event);
  },
});

function drawGraph(t) {
  const {model} = viewer, block = model.program.blocks[model.block[t]], {graph: found} = model.program.functions[block.function];
  graph.show(found);
  graph.current = block.header;
  const waiting = new Set(waitingTargets(t));
  graph.look = number => ({fill: number === block.header ? viewer.ink.whole : waiting.has(number) ? viewer.ink.mark : ""});
  const node = found.nodes.findIndex(one => one[4] === block.header);
  if (node >= 0 && graph.revealed !== node) graph.reveal(node);
  graph.revealed = node;
  graph.draw(viewer.ink);
}

/// The blocks that lanes wait at.
function waitingTargets(t) {
  const {model} = viewer, found = framesAfter(model, model.first[t]).filter(open => !isEmpty(open.arrived));
  return found.map(open => model.frames[open.number].target).filter(target => target >= 0).map(target => model.program.blocks[target].header);
}

// --- within a notebook's widget: the place is told, and asked for ---

const placeNow = () => ({step: viewer.model.step[viewer.shown[viewer.at]], lane: viewer.lane, result: viewer.number + 1});

function tellParent() {
  if (parent !== window) parent.postMessage({reknit: placeNow()}, "*");
}

addEventListener("message", event => {
  if (event.source !== parent || parent === window || !event.data || !event.data.reknit || !viewer.model) return;
  const {step, lane, result} = event.data.reknit, now = placeNow();
  if (result !== now.result && viewer.doc.runs[result - 1]) choose(result - 1);
  if (lane !== now.lane) chooseLane(lane);
  if (step !== now.step) toStep(step);
});

function toStep(step) {
  let t = 0;
  while (t + 1 < viewer.model.columns && viewer.model.step[t + 1] <= step) t++;
  go(placeOf(viewer.shown, t));
}

// --- what people do ---------------------------------------------------------------------------------------------------

export function go(place, follow = true) {
  const {shown, per} = viewer, room = ($("grid").clientWidth - LEFT) / per;
  viewer.at = Math.max(0, Math.min(shown.length - 1, place));
  if (follow && (viewer.at < viewer.from || viewer.at > viewer.from + room - 2)) viewer.from = viewer.at - room / 3;
  const hash = new URLSearchParams({step: viewer.model.step[shown[viewer.at]]});
  if (viewer.doc.runs.length > 1) hash.set("run", viewer.number + 1);
  keepInAddress(hash);
  tellParent();
  paint();
}

function zoom(by, x = (viewer.at - viewer.from) * viewer.per) {
  const place = viewer.from + x / viewer.per, room = $("grid").clientWidth - LEFT;
  viewer.per = Math.max(Math.min(12, room / viewer.shown.length / 1.02), Math.min(64, viewer.per * by));
  viewer.from = place - x / viewer.per;
  paint();
}

function fit() {
  viewer.per = Math.min(36, ($("grid").clientWidth - LEFT) / Math.max(1, viewer.shown.length));
  viewer.from = 0;
  paint();
}

function play() {
  viewer.playing = viewer.playing ? 0 : 8;
  const button = document.querySelector("[data-do=play]");
  button.textContent = viewer.playing ? "stop" : "play";
  if (!viewer.playing) return paint();
  if (viewer.at >= viewer.shown.length - 1) go(0);
  let then = performance.now(), owed = 0;
  const tick = now => {
    if (!viewer.playing) return;
    owed += ((now - then) / 1000) * viewer.playing;
    then = now;
    if (owed >= 1) {
      go(viewer.at + Math.floor(owed));
      owed %= 1;
    }
    if (viewer.at >= viewer.shown.length - 1) return play();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

const notable = way => go(seek(viewer.shown, viewer.at, way, t => viewer.model.notable[t]));

function chooseLane(lane) {
  viewer.lane = Math.max(-1, Math.min(viewer.doc.lanes - 1, lane));
  if (viewer.filter.lane >= 0 || $("lane").value !== "") {
    $("lane").value = viewer.lane < 0 ? "" : viewer.lane;
    viewer.filter.lane = viewer.lane;
    return filter(viewer.shown[viewer.at]);
  }
  tellParent();
  paint();
}

function hoverBlocks(wanted, line = "") {
  const {blocks} = viewer.model.program;
  for (const one of document.querySelectorAll(".hover")) one.classList.remove("hover");
  viewer.hover = null;
  if (wanted) {
    viewer.hover = new Set(blocks.map((_, number) => number).filter(number => wanted(blocks[number], number)));
    for (const number of viewer.hover) for (const row of $("tree").querySelectorAll(`[data-block="${blocks[number].header}"]`)) row.classList.add("hover");
    const lines = line ? [line] : [...viewer.hover].flatMap(number => blocks[number].places.map(place => `${place[0]}:${place[1]}`));
    for (const one of new Set(lines)) {
      const row = $("source").querySelector(`[data-line="${one}"]`);
      if (row) row.classList.add("hover");
    }
  }
  paint();
}

/// The lines and the block of a column, and where its waiting lanes will meet; -1 for none.
function hoverColumn(model, t) {
  if (viewer.pointed === t) return;
  viewer.pointed = t;
  actions.hoverBlock(t < 0 || model !== viewer.model ? -1 : model.program.blocks[model.block[t]].header);
  for (const one of document.querySelectorAll(".meets")) one.classList.remove("meets");
  if (t < 0 || model !== viewer.model) return;
  for (const header of waitingTargets(t))
    for (const row of $("tree").querySelectorAll(`[data-block="${header}"]`)) row.classList.add("meets");
}

const actions = {
  home: () => go(0),
  end: () => go(viewer.shown.length - 1),
  back: () => go(viewer.at - 1),
  next: () => go(viewer.at + 1),
  over: () => go(stepOver(viewer.model, viewer.shown, viewer.at, viewer.lane, false)),
  out: () => go(stepOver(viewer.model, viewer.shown, viewer.at, viewer.lane, true)),
  event: () => notable(1),
  play,
  fit,
  larger: () => zoom(1.5),
  smaller: () => zoom(1 / 1.5),
  help: () => $("keys").showModal(),
  svg: () => download(svgOf(viewer), `${viewer.doc.title.replace(/^.*[\\/]/, "")}.svg`),
  toLine: (file, line, way) => go(seek(viewer.shown, viewer.at, way, t => onLine(viewer.model, t, line, file) && runs(t))),
  toBlock: (block, way) => go(seek(viewer.shown, viewer.at, way, t => viewer.model.program.blocks[viewer.model.block[t]].header === block && runs(t))),
  hoverLine: (file, line) => hoverBlocks(file < 0 ? null : block => block.places.some(place => place[0] === file && place[1] === line), `${file}:${line}`),
  hoverBlock: number => hoverBlocks(number < 0 ? null : block => block.header === number),
};

/// Whether the chosen lane, if there is one, runs in column t.
const runs = t => viewer.lane < 0 || has(maskAt(viewer.model, "running", t), viewer.lane);

function sameLine(way) {
  const [place] = viewer.model.program.blocks[viewer.model.block[viewer.shown[viewer.at]]].places;
  if (place) actions.toLine(place[0], place[1], way);
}

const KEYS = {
  ArrowLeft: event => (event.shiftKey ? notable(-1) : actions.back()),
  ArrowRight: event => (event.shiftKey ? notable(1) : actions.next()),
  ArrowUp: () => chooseLane(viewer.lane - 1),
  ArrowDown: () => chooseLane(viewer.lane + 1),
  Home: actions.home,
  End: actions.end,
  " ": play,
  o: actions.over,
  u: actions.out,
  f: fit,
  "+": actions.larger,
  "=": actions.larger,
  "-": actions.smaller,
  "[": () => sameLine(-1),
  "]": () => sameLine(1),
  "?": actions.help,
  l: () => lay(viewer.other ? -1 : (viewer.number + viewer.doc.runs.length - 1) % viewer.doc.runs.length),
  Escape: () => chooseLane(-1),
};

document.addEventListener("keydown", event => {
  const tag = event.target.tagName;
  if (event.ctrlKey || event.metaKey || event.altKey || !viewer.model) return;
  if (tag === "SELECT" || (tag === "INPUT" && event.target.type !== "range") || $("keys").open) return;
  if (tag === "BUTTON" && event.key === " ") return;
  const number = /^[1-9]$/.test(event.key) ? +event.key - 1 : -1;
  const act = number >= 0 && number < viewer.doc.runs.length ? () => choose(number) : KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act(event);
});

for (const button of document.querySelectorAll("[data-do]")) button.onclick = () => actions[button.dataset.do]();
for (const button of document.querySelectorAll("[data-pane]"))
  button.onclick = () => {
    viewer.pane = button.dataset.pane;
    for (const one of document.querySelectorAll("[data-pane]")) {
      one.setAttribute("aria-selected", one === button);
      $(one.dataset.pane).hidden = one !== button;
    }
    paint();
  };
$("at").oninput = () => go(+$("at").value);
$("filter").onsubmit = event => event.preventDefault();
$("filter").oninput = () => {
  const lane = $("lane").value === "" ? -1 : Math.min(viewer.doc.lanes - 1, Math.max(0, +$("lane").value));
  viewer.filter = {
    idle: $("idle").checked, subgroup: +$("subgroup").value, lane, text: $("text").value.trim(), tangled: $("tangled").checked,
  };
  if (lane >= 0) viewer.lane = lane;
  filter(viewer.shown[viewer.at]);
};

// --- pointer ----------------------------------------------------------------------------------------------------------

function tip(text, event) {
  $("tip").style.display = text ? "block" : "none";
  if (!text) return;
  $("tip").textContent = text;
  $("tip").style.left = `${Math.max(4, Math.min(innerWidth - 300, event.clientX + 14))}px`;
  $("tip").style.top = `${Math.min(innerHeight - 60, event.clientY + 16)}px`;
}

$("grid").onpointermove = event => {
  if (!viewer.model) return;
  const {model, lane, place, x} = under(event, viewer), t = (model === viewer.other ? viewer.otherShown : viewer.shown)[place];
  if (event.buttons) return go(place, false);
  const none = x < 0 || lane < 0 || t === undefined || t >= model.columns;
  hoverColumn(model, none ? -1 : t);
  if (none) return tip("", event);
  tip(laneWords(model, t, lane), event);
};
$("grid").onpointerdown = event => {
  const {lane, place, x} = under(event, viewer);
  if (lane >= 0) viewer.lane = viewer.lane === lane && (x < 0 || place === viewer.at) ? -1 : lane;
  $("grid").setPointerCapture(event.pointerId);
  if (x >= 0) go(place, false);
  else paint();
};
$("grid").onpointerleave = () => {
  hoverColumn(viewer.model, -1);
  tip("");
};
$("grid").addEventListener("wheel", event => {
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 300), under(event, viewer).x);
  else {
    viewer.from += (event.deltaX || event.deltaY) / viewer.per;
    paint();
  }
}, {passive: false});
$("map").onpointerdown = $("map").onpointermove = event => {
  if (event.type === "pointermove" && !event.buttons) return;
  const box = $("map").getBoundingClientRect();
  go(Math.round(((event.clientX - box.left - LEFT) / (box.width - LEFT)) * viewer.shown.length));
};
addEventListener("resize", paint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  viewer.ink = inks();
  paint();
});
document.querySelector("[data-pane=tree]").setAttribute("aria-selected", true);
window.viewer = viewer;
window.svgOf = svgOf;
open(JSON.parse($("document").textContent));
