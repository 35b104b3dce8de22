// The picture of lanes by time. Colour and shape say togetherness; a block has a colour only where lanes are apart.
//
//   WHOLE filled, pale   PART filled, strong, with a light edge   WAIT a bar in the middle   READY an outline   ENDED nothing

import {ENDED, PART, READY, WAIT, WHOLE, stateOf} from "./states.mjs";

const APART = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5cc9", "#8c6d1f", "#2f8fbf", "#a23b4a"];
export const LEFT = 46, TOP = 20;
const CHUNK = 32;

/// Where rows stand: {row: height of one, y(lane)}.
export function rowsOf(model, top, height) {
  const gaps = (model.subgroups - 1) * 6, row = Math.min(24, Math.max(1.5, (height - TOP - 4 - gaps) / model.lanes));
  return {row, y: lane => top + TOP + lane * row + Math.floor(lane / model.size) * 6};
}

export function colourOf(model, block) {
  if (!model.colours) model.colours = new Map();
  if (!model.colours.has(block)) model.colours.set(block, APART[model.colours.size % APART.length]);
  return model.colours.get(block);
}

/// Draws the columns `shown` of a model from place `from` on, each `per` wide, into the strip at `top`.
export function drawLanes(pen, model, shown, view, top, width, height, ink) {
  const {from, per, at, lane} = view, {row, y} = rowsOf(model, top, height), room = width - LEFT;
  pen.font = "11px ui-monospace, monospace";
  pen.textBaseline = "middle";
  const every = Math.max(1, Math.ceil(12 / row));
  for (let each = 0; each < model.lanes; each++) {
    if (each % every && each !== lane) continue;
    pen.fillStyle = each === lane ? ink.hot : ink.dim;
    pen.textAlign = "right";
    pen.fillText(each === lane ? `▸${each}` : each, LEFT - 6, y(each) + row / 2);
  }
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, top, room, height);
  pen.clip();
  if (per >= 1) drawColumns(pen, model, shown, view, top, room, row, y, ink);
  else drawDense(pen, model, shown, view, room, row, y, ink);
  pen.restore();
  const x = LEFT + (at - from + 0.5) * per;
  if (x >= LEFT - 1 && x <= width + 1) {
    pen.strokeStyle = ink.fg;
    pen.lineWidth = 1;
    pen.strokeRect(Math.round(x - Math.max(per, 3) / 2) + 0.5, top + 0.5, Math.max(per, 3), height - 1);
  }
  if (lane >= 0) {
    pen.strokeStyle = ink.hot;
    pen.strokeRect(LEFT + 0.5, y(lane) - 0.5, room - 1, Math.max(row, 2));
  }
}

function drawColumns(pen, model, shown, {from, per, hover}, top, room, row, y, ink) {
  const last = Math.min(shown.length - 1, Math.floor(from + room / per) + 1), gap = per > 5 ? 1 : 0, thin = row > 5 ? 1 : 0;
  for (let place = Math.max(0, Math.floor(from)); place <= last; place++) {
    const t = shown[place], x = LEFT + (place - from) * per, block = model.block[t];
    for (let lane = 0; lane < model.lanes; ) {
      const state = stateOf(model, t, lane);
      let next = lane + 1;
      while (next < model.lanes && next % model.size && stateOf(model, t, next) === state) next++;
      const above = y(lane), tall = (next - lane) * row - thin;
      drawState(pen, state, x, above, per - gap, tall, colourOf, model, block, ink);
      if ((state === WHOLE || state === PART) && per >= 24 && row > 10) {
        pen.fillStyle = state === PART ? "#fff" : ink.fg;
        pen.textAlign = "center";
        const places = model.program.blocks[block].places;
        pen.fillText(places.length ? places[0][1] : model.program.blocks[block].name.slice(0, 4), x + per / 2, above + Math.min(tall, row) / 2);
      }
      lane = next;
    }
    if (hover && hover.has(block)) {
      pen.fillStyle = ink.accent;
      pen.fillRect(x, top + TOP - 4, per, 3);
    }
    if (per >= 4 && model.notable[t]) drawMark(pen, model.notable[t], x + per / 2, top + TOP - 10, ink);
    if (place > 0 && model.group[t] !== model.group[shown[place - 1]]) {
      pen.fillStyle = ink.fg;
      pen.fillRect(x - 1, top, 1, 1e4);
    }
  }
}

function drawState(pen, state, x, y, width, height, colour, model, block, ink) {
  if (state === WHOLE) {
    pen.fillStyle = ink.whole;
    pen.fillRect(x, y, width, height);
  } else if (state === PART) {
    pen.fillStyle = colour(model, block);
    pen.fillRect(x, y, width, height);
    if (width > 4) {
      pen.fillStyle = "rgba(255,255,255,.55)";
      pen.fillRect(x, y, 2, height);
    }
  } else if (state === WAIT) {
    pen.fillStyle = ink.wait;
    pen.globalAlpha = 0.75;
    for (let at = 0; at < height; at += 8) pen.fillRect(x, y + at + Math.min(8, height - at) * 0.3, width + 1, Math.min(8, height - at) * 0.4);
    pen.globalAlpha = 1;
  } else if (state === READY && width > 3) {
    pen.strokeStyle = ink.ready;
    pen.lineWidth = 1;
    pen.strokeRect(x + 0.5, y + 0.5, width - 1, Math.max(1, height - 1));
  } else if (state === READY) {
    pen.fillStyle = ink.ready;
    pen.globalAlpha = 0.35;
    pen.fillRect(x, y, width, height);
    pen.globalAlpha = 1;
  }
}

/// A fork where lanes part, a fork turned around where they meet, "!" at a fault or a conflict.
function drawMark(pen, kind, x, y, ink) {
  if (kind & 4) {
    pen.fillStyle = ink.hot;
    pen.font = "bold 12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillText("!", x, y);
  }
  for (const way of [1, -1]) {
    if (!(kind & (way === 1 ? 1 : 2)) || kind & 4) continue;
    pen.strokeStyle = way === 1 ? ink.hot : ink.accent;
    pen.lineWidth = 1.3;
    pen.beginPath();
    pen.moveTo(x - 3 * way, y);
    pen.lineTo(x, y);
    pen.lineTo(x + 3 * way, y - 3);
    pen.moveTo(x, y);
    pen.lineTo(x + 3 * way, y + 3);
    pen.stroke();
  }
}

// --- more columns than pixels: each pixel is the mix of what its lane did there ---------------------------------------

/// How often each state is in each chunk of columns: counts[((chunk * lanes) + lane) * 5 + state].
function chunks(model, shown) {
  if (model.counted === shown) return model.counts;
  const counts = new Uint8Array(Math.ceil(shown.length / CHUNK) * model.lanes * 5);
  for (let place = 0; place < shown.length; place++)
    for (let lane = 0; lane < model.lanes; lane++)
      counts[(((place / CHUNK) | 0) * model.lanes + lane) * 5 + stateOf(model, shown[place], lane)]++;
  model.counted = shown;
  model.counts = counts;
  return counts;
}

const rgb = text => [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16));
const mix = (a, b, part) => a.map((value, at) => value * part + b[at] * (1 - part));

function drawDense(pen, model, shown, {from, per}, room, row, y, ink) {
  const columns = Math.max(1, Math.floor(room)), counts = chunks(model, shown), image = new ImageData(columns, model.lanes);
  const paper = rgb(ink.bg), colours = [];
  colours[READY] = mix(rgb(ink.ready), paper, 0.35);
  colours[WHOLE] = rgb(ink.whole);
  colours[WAIT] = mix(rgb(ink.wait), paper, 0.5);
  colours[ENDED] = paper;
  colours[PART] = rgb(APART[0]);
  const sums = new Float64Array(5);
  for (let x = 0; x < columns; x++) {
    const begin = Math.max(0, Math.floor(from + x / per)), end = Math.min(shown.length, Math.max(begin + 1, Math.floor(from + (x + 1) / per)));
    if (begin >= shown.length) break;
    for (let lane = 0; lane < model.lanes; lane++) {
      sums.fill(0);
      if (end - begin < 2 * CHUNK) for (let place = begin; place < end; place++) sums[stateOf(model, shown[place], lane)]++;
      else
        for (let chunk = Math.floor(begin / CHUNK); chunk < end / CHUNK; chunk++)
          for (let state = 0; state < 5; state++) sums[state] += counts[(chunk * model.lanes + lane) * 5 + state];
      const total = sums[0] + sums[1] + sums[2] + sums[3] + sums[4], at = 4 * (lane * columns + x);
      for (let part = 0; part < 3; part++) {
        let value = 0;
        for (let state = 0; state < 5; state++) value += sums[state] * colours[state][part];
        image.data[at + part] = value / total;
      }
      image.data[at + 3] = 255;
    }
  }
  const sheet = document.createElement("canvas");
  sheet.width = columns;
  sheet.height = model.lanes;
  sheet.getContext("2d").putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  for (let lane = 0; lane < model.lanes; lane += model.size) {
    const count = Math.min(model.size, model.lanes - lane);
    pen.drawImage(sheet, 0, lane, columns, count, LEFT, y(lane), columns, count * row);
  }
}

/// All columns at once: how many lanes run, and the window that is seen below.
export function drawOverview(pen, model, shown, view, width, height, ink) {
  const room = width - LEFT, shownAt = Math.min(room, (room / view.per / shown.length) * room), x0 = LEFT + (view.from / shown.length) * room;
  if (model.busyOf !== shown) {
    model.busyOf = shown;
    model.busy = Float32Array.from(shown, t => {
      let count = 0;
      for (let word = 0; word < model.width; word++) {
        let bits = model.running[t * model.width + word];
        for (; bits; bits &= bits - 1) count++;
      }
      return count / model.lanes;
    });
  }
  pen.fillStyle = ink.whole;
  for (let x = 0; x < room; x++) {
    const begin = Math.floor((x / room) * shown.length), end = Math.max(begin + 1, Math.floor(((x + 1) / room) * shown.length));
    const step = Math.max(1, Math.floor((end - begin) / 32));
    let sum = 0, count = 0;
    for (let place = begin; place < end; place += step, count++) sum += model.busy[place];
    const tall = (sum / count) * (height - 8);
    pen.fillRect(LEFT + x, height - 4 - tall, 1, tall);
  }
  pen.fillStyle = ink.dim;
  pen.font = "10px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillText("busy", 8, height / 2 + 3);
  pen.strokeStyle = ink.fg;
  pen.strokeRect(x0 + 0.5, 1.5, Math.max(4, shownAt - 1), height - 3);
  pen.fillStyle = ink.hot;
  pen.fillRect(LEFT + ((view.at + 0.5) / shown.length) * room, 0, 1.5, height);
}

/// The model, place and lane under the pointer.
export function under(event, viewer) {
  const box = event.target.getBoundingClientRect(), {other} = viewer, tall = other ? box.height / 2 : box.height;
  const y = event.clientY - box.top, lower = other && y >= tall, model = lower ? other : viewer.model;
  const rows = rowsOf(model, lower ? tall : 0, tall), x = event.clientX - box.left - LEFT;
  let lane = -1;
  for (let each = 0; each < model.lanes; each++) if (y >= rows.y(each) && y < rows.y(each) + rows.row) lane = each;
  return {model, lane, place: Math.floor(viewer.from + x / viewer.per), x};
}
