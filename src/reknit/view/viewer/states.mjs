// A run of the document, as one state for each lane and column. A column is a tangle that runs a block.
//
//   WHOLE  with all that are left of its subgroup       WAIT   has arrived where it meets others
//   PART   without some of them                         READY  could run; another tangle was chosen
//   ENDED

import {and, has, isEmpty, or, without, wordsOf} from "./masks.mjs";

export const READY = 0, WHOLE = 1, WAIT = 2, ENDED = 3, PART = 4;
export const PUSHES = ["sel", "loop", "iter", "call", "case"];

const CHECKPOINT = 1024; // events between two lists of open frames

/// Columns are counted from 0. `first[t]` is the event of column t; its others come up to `first[t + 1]`.
export function readRun(doc, number) {
  const run = doc.runs[number], events = run.events, count = events.kind.length;
  const lanes = doc.lanes, width = (lanes + 31) >> 5, program = doc.programs[run.program];
  const masks = doc.masks.map(hex => wordsOf(hex, width));
  const kinds = doc.kinds, RUN = kinds.indexOf("run");
  let columns = 0;
  for (let at = 0; at < count; at++) columns += events.kind[at] === RUN ? 1 : 0;
  const first = new Int32Array(columns + 1), step = new Int32Array(columns), block = new Int32Array(columns);
  const group = new Int32Array(columns), notable = new Uint8Array(columns), frame = new Int32Array(columns);
  const running = new Uint32Array(columns * width), waiting = new Uint32Array(columns * width);
  const ended = new Uint32Array(columns * width), column = new Int32Array(count);
  const frames = [], wait = new Uint32Array(width), end = new Uint32Array(width);
  let at = -1, real = 0, groupAt = -1;
  for (let event = 0; event < count; event++) {
    const kind = kinds[events.kind[event]], mask = masks[events.mask[event]];
    real += events.step[event];
    if (groupAt + 1 < run.groups.length && event === run.groups[groupAt + 1][0]) {
      groupAt++;
      wait.fill(0);
      end.fill(0);
    }
    if (kind === "run") {
      at++;
      first[at] = event;
      step[at] = real;
      block[at] = events.block[event];
      frame[at] = events.frame[event];
      group[at] = run.groups[groupAt][1];
      for (let word = 0; word < width; word++) {
        wait[word] &= ~mask[word];
        running[at * width + word] = mask[word];
        waiting[at * width + word] = wait[word];
        ended[at * width + word] = end[word];
      }
    } else if (PUSHES.includes(kind)) {
      const parent = events.frame[event];
      frames.push({kind, parent, target: events.block[event], event, mask, depth: parent < 0 ? 0 : frames[parent].depth + 1});
    } else if (kind === "split") notable[at] |= 1;
    else if (kind === "arrive") {
      const last = events.block[event] < 0;
      for (let word = 0; word < width; word++) (last ? end : wait)[word] |= mask[word];
    } else if (kind === "join" || kind === "unite") {
      notable[at] |= 2;
      for (let word = 0; word < width; word++) wait[word] &= ~mask[word];
    } else if (kind === "end" || (kind === "escape" && frames[events.frame[event]].parent < 0)) {
      for (let word = 0; word < width; word++) {
        end[word] |= mask[word];
        wait[word] &= ~mask[word];
      }
    }
    column[event] = Math.max(at, 0);
  }
  first[columns] = count;
  for (const [event] of run.faults) notable[column[event]] |= 4;
  for (const [event, , , before] of run.conflicts || []) for (const each of [event, before]) notable[column[each]] |= 4;
  const model = {
    doc, run, program, number, lanes, width, masks, columns, first, step, block, group, frame, notable, running, waiting,
    ended, column, frames, size: doc.subgroup_size, subgroups: Math.ceil(lanes / doc.subgroup_size),
  };
  model.together = togetherness(model);
  model.open = checkpoints(model);
  return model;
}

/// By column and subgroup: whether all that are left of it run.
function togetherness(model) {
  const {columns, width, lanes, size, subgroups, running, ended} = model;
  const found = new Uint8Array(columns * subgroups);
  const full = new Uint32Array(width);
  for (let lane = 0; lane < lanes; lane++) full[lane >> 5] |= 1 << (lane & 31);
  for (let t = 0; t < columns; t++)
    for (let one = 0; one < subgroups; one++) {
      let whole = 1;
      for (let lane = one * size; whole && lane < Math.min(lanes, (one + 1) * size); lane += 32) {
        const word = lane >> 5, part = size >= 32 ? 0xffffffff : ((2 ** size - 1) << (lane & 31)) >>> 0;
        const left = full[word] & part & ~ended[t * width + word];
        if ((left & ~running[t * width + word]) !== 0) whole = 0;
      }
      found[t * subgroups + one] = whole;
    }
  return found;
}

export function stateOf(model, t, lane) {
  const at = t * model.width + (lane >> 5), bit = lane & 31;
  if ((model.running[at] >>> bit) & 1)
    return model.together[t * model.subgroups + ((lane / model.size) | 0)] ? WHOLE : PART;
  if ((model.ended[at] >>> bit) & 1) return ENDED;
  return (model.waiting[at] >>> bit) & 1 ? WAIT : READY;
}

export const maskAt = (model, which, t) => model[which].subarray(t * model.width, (t + 1) * model.width);

// --- frames -----------------------------------------------------------------------------------------------------------

function apply(model, open, event) {
  const {events} = model.run, kind = model.doc.kinds[events.kind[event]];
  const mask = model.masks[events.mask[event]], number = events.frame[event];
  if (PUSHES.includes(kind)) {
    const pushed = model.pushed.get(event);
    open.set(pushed, {number: pushed, left: mask, arrived: mask.map(() => 0)});
    return;
  }
  const frame = open.get(number);
  if (frame === undefined) return;
  if (kind === "arrive") open.set(number, {...frame, arrived: or(frame.arrived, mask)});
  else if (kind === "join" || kind === "escape") {
    const rest = {...frame, left: without(frame.left, mask), arrived: without(frame.arrived, mask)};
    if (isEmpty(rest.left)) open.delete(number);
    else open.set(number, rest);
  }
}

function checkpoints(model) {
  model.pushed = new Map(model.frames.map((frame, number) => [frame.event, number]));
  const kept = [], open = new Map(), count = model.run.events.kind.length;
  for (let event = 0; event < count; event++) {
    if (event % CHECKPOINT === 0) kept.push(new Map(open));
    apply(model, open, event);
  }
  return kept;
}

/// The frames after an event: {number, left: who is awaited or there, arrived: who is there}, the innermost first.
export function framesAfter(model, event) {
  const at = Math.floor(event / CHECKPOINT), open = new Map(model.open[at]);
  for (let each = at * CHECKPOINT; each <= event; each++) apply(model, open, each);
  return [...open.values()].sort((a, b) => model.frames[b.number].depth - model.frames[a.number].depth || a.number - b.number);
}

/// The frame in which a lane waits in column t, null if it doesn't: {frame, since: column, missing: mask}.
export function waitOf(model, t, lane) {
  if (!has(maskAt(model, "waiting", t), lane)) return null;
  for (const open of framesAfter(model, model.first[t]))
    if (has(open.arrived, lane)) {
      const {events} = model.run, ARRIVE = model.doc.kinds.indexOf("arrive");
      let event = model.first[t];
      while (!(events.kind[event] === ARRIVE && events.frame[event] === open.number && has(model.masks[events.mask[event]], lane)))
        event--;
      return {frame: model.frames[open.number], since: model.column[event], missing: without(open.left, open.arrived)};
    }
  return null;
}

/// The lanes of a subgroup, as a mask.
export function subgroupMask(model, number) {
  const mask = new Uint32Array(model.width);
  for (let lane = number * model.size; lane < Math.min(model.lanes, (number + 1) * model.size); lane++)
    mask[lane >> 5] |= 1 << (lane & 31);
  return mask;
}

export const inSubgroup = (model, mask, number) => and(mask, subgroupMask(model, number));
