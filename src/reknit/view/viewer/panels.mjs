// What stands beside the lanes: source, tree, what happens, who waits, values, memory. Texts are put in as text, never as HTML.

import {has, isEmpty, lanesOf, named, without} from "./masks.mjs";
import {make} from "./page.mjs";
import {framesAfter, inSubgroup, maskAt} from "./states.mjs";
import {memoryAt, valuesAt, wordText} from "./values.mjs";
import {meetingName, operationWords, operations, partsOf, sentences} from "./words.mjs";

// --- source and tree --------------------------------------------------------------------------------------------------

/// How many lane steps each line took: Map from "file:line".
export function heatOf(model) {
  const blocks = new Float64Array(model.program.blocks.length), found = new Map();
  for (let t = 0; t < model.columns; t++) blocks[model.block[t]] += lanesOf(maskAt(model, "running", t)).length;
  model.program.blocks.forEach((block, number) => {
    for (const line of new Set(block.places.map(place => `${place[0]}:${place[1]}`)))
      found.set(line, (found.get(line) || 0) + blocks[number]);
  });
  return found;
}

export function drawSource(pane, model, actions) {
  pane.replaceChildren();
  const heat = heatOf(model), most = Math.max(1, ...heat.values());
  model.doc.files.forEach((file, number) => {
    if (model.doc.files.length > 1) pane.append(make("h3", {textContent: file.name}));
    if (file.text === null) {
      pane.append(make("p", {className: "dim", textContent: `${file.name} could not be read`}));
      return;
    }
    file.text.split("\n").forEach((text, at) => {
      const line = at + 1, count = heat.get(`${number}:${line}`) || 0;
      const mark = make("i", {className: "heat"});
      mark.style.opacity = count ? 0.2 + (0.8 * count) / most : 0;
      const row = make("div", {className: "line", dataset: {line: `${number}:${line}`}, title: count ? `${count} lane steps` : ""},
        make("b", {textContent: line}), mark, make("span", {textContent: text || " "}), make("em"));
      row.onclick = click => actions.toLine(number, line, click.shiftKey ? -1 : 1);
      row.onmouseenter = () => actions.hoverLine(number, line);
      row.onmouseleave = () => actions.hoverLine(-1, 0);
      pane.append(row);
    });
  });
}

export function drawTree(pane, model, actions) {
  pane.replaceChildren();
  for (const one of model.program.functions) {
    pane.append(make("h3", {textContent: one.title}));
    for (const [depth, text, block] of one.tree) {
      const row = make("div", {className: block < 0 ? "row head" : "row", textContent: text, dataset: {block}});
      row.style.paddingLeft = `${10 + 14 * Math.min(depth, 24)}px`;
      if (block >= 0) {
        row.onclick = click => actions.toBlock(block, click.shiftKey ? -1 : 1);
        row.onmouseenter = () => actions.hoverBlock(block);
        row.onmouseleave = () => actions.hoverBlock(-1);
      }
      pane.append(row);
    }
  }
}

const lit = new Map(); // by pane: what is lit in it

/// Lights the lines, or rows, of the block that runs, and brings the first into view.
export function light(pane, found, words = "", follow = true) {
  for (const old of lit.get(pane) || []) {
    old.classList.remove("on");
    if (old.lastChild && old.lastChild.tagName === "EM") old.lastChild.textContent = "";
  }
  lit.set(pane, found);
  for (const one of found) one.classList.add("on");
  if (!found.length) return;
  if (words && found[0].lastChild.tagName === "EM") found[0].lastChild.textContent = words;
  const top = found[0].offsetTop - pane.offsetTop;
  if (follow && (top < pane.scrollTop + 20 || top > pane.scrollTop + pane.clientHeight - 50)) pane.scrollTop = top - pane.clientHeight / 2;
}

export function lightBlock(source, tree, model, t) {
  const number = model.block[t], block = model.program.blocks[number], count = lanesOf(maskAt(model, "running", t)).length;
  const lines = [...new Set(block.places.map(place => `${place[0]}:${place[1]}`))];
  light(source, lines.map(line => source.querySelector(`[data-line="${line}"]`)).filter(Boolean), `${count} of ${model.lanes}`);
  light(tree, [...tree.querySelectorAll(`[data-block="${block.header}"]`)]);
}

// --- what happens, who waits ------------------------------------------------------------------------------------------

export const strip = (model, mask) => {
  const found = make("span", {className: "strip", title: named(mask), role: "img", ariaLabel: named(mask)});
  for (let lane = 0; lane < model.lanes; lane++) {
    const classes = [has(mask, lane) ? "in" : "", lane && lane % model.size === 0 ? "gap" : ""].filter(Boolean).join(" ");
    found.append(make("i", classes ? {className: classes} : {}));
  }
  return found;
};

export function drawHappening(pane, model, t) {
  const block = model.program.blocks[model.block[t]], mask = maskAt(model, "running", t);
  pane.replaceChildren(
    make("p", {}, make("strong", {textContent: block.name}), " ", make("span", {textContent: partsOf(model, mask)})),
    strip(model, mask),
  );
  const list = make("ul");
  for (const operation of operations(model, t))
    for (const text of operationWords(operation)) list.append(make("li", {className: "tangled", textContent: text}));
  for (const {kind, text} of sentences(model, t)) list.append(make("li", {className: kind, textContent: text}));
  pane.append(list.children.length ? list : make("p", {className: "dim", textContent: "nothing splits, meets or ends"}));
}

export function drawWaiting(pane, model, t, lane) {
  pane.replaceChildren();
  for (const open of framesAfter(model, model.first[t])) {
    const frame = model.frames[open.number];
    if (isEmpty(open.arrived) || frame.parent < 0) continue; // who has come to the end has ended
    const missing = without(open.left, open.arrived);
    const row = make("div", {className: lane >= 0 && has(open.arrived, lane) ? "frame mine" : "frame"},
      make("div", {textContent: `${meetingName(model, frame)}: ${named(open.arrived)} wait for ${named(missing)}`.replace(/^(.*: lane \d+) wait /, "$1 waits ")}),
      strip(model, open.arrived));
    pane.append(row);
  }
  if (!pane.children.length) pane.append(make("p", {className: "dim", textContent: "no lane waits"}));
}

// --- values and memory ------------------------------------------------------------------------------------------------

const shortly = value => (value === null ? "–" : value === undefined ? "" : String(value));

/// A table: a row an item that has a value, a column a lane of a subgroup.
export function drawValues(pane, model, t, subgroup, lane) {
  pane.replaceChildren();
  if (!model.run.values) {
    pane.append(make("p", {className: "dim", textContent: "no values were recorded (--values none)"}));
    return;
  }
  const {until} = model.run.values;
  if (until >= 0 && model.first[t] >= until)
    pane.append(make("p", {className: "fault", textContent: `values were recorded up to step ${model.step[model.column[until - 1]]} only`}));
  const first = subgroup * model.size, lanes = [];
  for (let each = first; each < Math.min(model.lanes, first + model.size); each++) lanes.push(each);
  const head = make("tr", {}, make("th", {textContent: "lane", scope: "col"}),
    ...lanes.map(each => make("th", {textContent: each, scope: "col", className: each === lane ? "mine" : ""})));
  const body = [];
  model.items.forEach((item, number) => {
    if (!item.name && item.kind === "result" && model.run.values.kept !== "all") return;
    const values = valuesAt(model, number, t, lanes);
    if (!values.size) return;
    const fresh = [...values.values()].some(one => one.changed);
    const name = item.name || item.what.replace(/^Op/, "");
    const row = make("tr", {className: fresh ? "fresh" : ""}, make("th", {scope: "row", title: `${item.kind}: ${item.type || ""}`, textContent: name}));
    for (const each of lanes) {
      const one = values.get(each);
      const classes = [one && one.changed ? "changed" : "", each === lane ? "mine" : ""].filter(Boolean).join(" ");
      row.append(make("td", {className: classes, textContent: one ? shortly(one.value) + (one.changed ? " •" : "") : ""}));
    }
    body.push([fresh ? 0 : 1, row]);
  });
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body.map(one => one[1])));
  pane.append(body.length ? table : make("p", {className: "dim", textContent: "nothing has a value yet"}));
}

const MOST_WORDS = 512;

export function drawMemory(pane, model, t) {
  pane.replaceChildren();
  for (const [number, memory] of (model.run.memories || []).entries()) {
    const {words, changed} = memoryAt(model, number, t), unit = memory.kind === "image" ? "texel" : "word";
    const where = memory.kind === "workgroup" ? " (workgroup)" : ` (set ${memory.set}, binding ${memory.binding})${memory.kind === "image" ? `: ${memory.type}` : ""}`;
    pane.append(make("h3", {textContent: `${memory.name}${where}`}));
    const cells = make("div", {className: "words"});
    if (memory.across > 1 && memory.across <= 32) {
      cells.classList.add("texels");
      cells.style.gridTemplateColumns = `repeat(${memory.across},max-content)`;
    }
    words.slice(0, MOST_WORDS).forEach((word, at) => {
      const lane = changed.get(at);
      cells.append(make("span", {
        className: lane === undefined ? "" : "changed", title: lane === undefined ? `${unit} ${at}` : `${unit} ${at}, stored now by lane ${lane}`,
        textContent: memory.kind === "buffer" ? wordText(word, memory.type) : shortly(word),
      }));
    });
    pane.append(cells);
    const size = memory.size === undefined ? words.length : memory.size;
    if (size > MOST_WORDS) pane.append(make("p", {className: "dim", textContent: `${size - MOST_WORDS} more ${unit}s`}));
  }
  if (!pane.children.length) pane.append(make("p", {className: "dim", textContent: "no memory was recorded"}));
}

/// The subgroup that values are of: the chosen lane's, else the first that runs.
export function subgroupOf(model, t, lane) {
  if (lane >= 0) return Math.floor(lane / model.size);
  for (let number = 0; number < model.subgroups; number++)
    if (!isEmpty(inSubgroup(model, maskAt(model, "running", t), number))) return number;
  return 0;
}
