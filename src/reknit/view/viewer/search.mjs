// Which column is meant: by line, by lane, by what happens; and where two runs begin to differ.

import {has, and, isEmpty} from "./masks.mjs";
import {maskAt, subgroupMask} from "./states.mjs";

/// The columns that a filter leaves: {idle, subgroup, lane, line, tangled}, all that is not asked for -1 or false.
export function shownColumns(model, filter) {
  const found = [], group = filter.subgroup >= 0 ? subgroupMask(model, filter.subgroup) : null;
  const blocks = model.program.blocks.map(block => {
    if (!filter.idle && block.idle) return false;
    return !filter.text || says(block, filter.text);
  });
  for (let t = 0; t < model.columns; t++) {
    if (!blocks[model.block[t]]) continue;
    const mask = maskAt(model, "running", t);
    if (group && isEmpty(and(mask, group))) continue;
    if (filter.lane >= 0 && !has(mask, filter.lane)) continue;
    if (filter.tangled && !model.tangledAt.has(t)) continue;
    found.push(t);
  }
  return Int32Array.from(found.length ? found : model.columns ? [0] : []);
}

/// Whether a filter's text is a line of a block, in its name, or in its instructions.
function says(block, text) {
  if (/^\d+$/.test(text)) return block.places.some(place => place[1] === +text);
  return [block.name, ...block.code].some(line => line.toLowerCase().includes(text.toLowerCase()));
}

/// The place in `shown` of column t, or of the one before it.
export function placeOf(shown, t) {
  let low = 0, high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/// From place `at` on (way 1) or back (-1): the first place of which `wanted` holds, or `at`.
export function seek(shown, at, way, wanted) {
  for (let next = at + way; next >= 0 && next < shown.length; next += way) if (wanted(shown[next])) return next;
  return at;
}

export const depthOf = (model, t) => (model.frame[t] < 0 ? 0 : model.frames[model.frame[t]].depth);

/// The lane that steps are about: the chosen one if it runs, else the first that does.
export function leader(model, t, lane) {
  const mask = maskAt(model, "running", t);
  if (lane >= 0 && has(mask, lane)) return lane;
  for (let each = 0; each < model.lanes; each++) if (has(mask, each)) return each;
  return 0;
}

/// Over: the leader's next column that is no deeper. Out: the next that is less deep.
export function stepOver(model, shown, at, lane, out) {
  const t = shown[at], who = leader(model, t, lane), depth = depthOf(model, t) - (out ? 1 : 0);
  return seek(shown, at, 1, next => has(maskAt(model, "running", next), who) && depthOf(model, next) <= depth);
}

export const onLine = (model, t, line, file = 0) =>
  model.program.blocks[model.block[t]].places.some(place => place[1] === line && place[0] === file);

/// The first column that is not the same in both, -1 if none: another block, other lanes, or the end of one.
export function firstDifference(one, other) {
  const least = Math.min(one.columns, other.columns);
  for (let t = 0; t < least; t++) {
    if (one.program.blocks[one.block[t]].name !== other.program.blocks[other.block[t]].name) return t;
    for (let word = 0; word < one.width; word++)
      if (one.running[t * one.width + word] !== other.running[t * one.width + word]) return t;
  }
  return one.columns === other.columns ? -1 : least;
}

/// The choice that a run made last before column t, or in the step before it; "" without one.
export function choiceBefore(model, t) {
  let found = "";
  for (const [event, words] of model.run.choices) if (event < model.first[Math.min(t, model.columns)]) found = words;
  return found;
}
