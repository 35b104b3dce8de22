// What lanes hold and what memory holds at a column, from the records of the document.

import {has, lanesOf} from "./masks.mjs";

/// Adds to a model what it needs: `records` by item, events as numbers instead of differences.
export function readValues(model) {
  const {run, program} = model, values = run.values;
  model.items = program.items || [];
  model.records = model.items.map(() => []);
  model.recordEvent = [];
  model.tangledAt = new Map(); // by column: the records of tangled operations
  model.storeEvent = [];
  if (!values) return;
  let event = 0;
  values.event.forEach((more, number) => {
    event += more;
    model.recordEvent.push(event);
    const item = values.item[number];
    model.records[item].push(number);
    if (model.items[item].kind === "tangled") {
      const t = model.column[event];
      if (!model.tangledAt.has(t)) model.tangledAt.set(t, []);
      model.tangledAt.get(t).push(number);
    }
  });
  event = 0;
  for (const more of run.stores.event) model.storeEvent.push((event += more));
}

/// The value of a record for a lane; undefined where the lane is not in it, null where it has none.
export function valueIn(model, record, lane) {
  const {values, rows} = model.run, mask = model.masks[values.mask[record]];
  if (!has(mask, lane)) return undefined;
  if (values.row[record] < 0) return null;
  const row = rows[values.row[record]];
  if (!Array.isArray(row)) return row;
  let at = 0;
  for (let before = 0; before < lane; before++) at += has(mask, before);
  return row[at];
}

const MOST = 4096; // records that are gone back for a value

/// An item's value in each of `lanes` after column t: {value, changed}, undefined where it has none yet.
export function valuesAt(model, item, t, lanes) {
  const records = model.records[item], last = model.first[t + 1] - 1, begun = groupStart(model, t);
  let low = 0, high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (model.recordEvent[records[middle]] <= last) low = middle + 1;
    else high = middle;
  }
  const found = new Map();
  for (let at = low - 1; at >= Math.max(0, low - MOST) && found.size < lanes.length; at--) {
    const event = model.recordEvent[records[at]];
    if (event < begun) break;
    const path = model.run.values.paths[records[at]];
    for (const lane of lanes) {
      if (found.has(lane)) continue;
      const value = valueIn(model, records[at], lane);
      if (value !== undefined)
        found.set(lane, {value: path ? `[${path.join("][")}] = ${value}` : value, changed: model.column[event] === t});
    }
  }
  return found;
}

function groupStart(model, t) {
  let begun = 0;
  for (const [event] of model.run.groups) if (event <= model.first[t]) begun = event;
  return begun;
}

/// The words of a memory after column t, and those that were stored in it: {words: Map or list, changed: Map}.
export function memoryAt(model, number, t) {
  const {run} = model, memory = run.memories[number], last = model.first[t + 1] - 1;
  const words = memory.words ? [...memory.words] : [], changed = new Map();
  for (let at = 0; at < model.storeEvent.length && model.storeEvent[at] <= last; at++) {
    if (run.stores.memory[at] !== number) continue;
    const places = run.rows[run.stores.at[at]], stored = run.rows[run.stores.row[at]];
    const now = model.column[model.storeEvent[at]] === t;
    const lanes = now ? lanesOf(model.masks[run.stores.mask[at]]) : [];
    places.forEach((place, index) => {
      words[place] = stored[index];
      if (now) changed.set(place, lanes[index]);
    });
  }
  return {words, changed};
}

const bits = new DataView(new ArrayBuffer(4));

/// A word of a buffer as its type has it.
export function wordText(word, type) {
  if (word === undefined) return "";
  if (type === "f32" && typeof word === "number") {
    bits.setUint32(0, word);
    return String(+bits.getFloat32(0).toPrecision(7));
  }
  if (type === "i32") return String(word | 0);
  return type === "" ? "0x" + word.toString(16) : String(word);
}
