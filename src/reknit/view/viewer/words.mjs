// What happens in a column, in sentences.

import {listOf, lanesOf, named, without, isEmpty} from "./masks.mjs";
import {ENDED, PART, READY, WAIT, framesAfter, inSubgroup, maskAt, stateOf, subgroupMask, waitOf} from "./states.mjs";

const MEETING = {
  sel: "the end of the selection", loop: "the end of the loop", iter: "the loop's continue target",
  call: "the return of the call", case: "the label that is reached by fallthrough",
};

/// "line 14 (%merge)": where a block stands.
export function blockName(model, number) {
  if (number < 0) return "the end";
  const block = model.program.blocks[number], line = block.places.length ? block.places[0][1] : 0;
  return line ? `line ${line} (${block.name})` : block.name;
}

export const meetingName = (model, frame) =>
  frame.target < 0 ? "the end" : `${MEETING[frame.kind]}, ${blockName(model, frame.target)}`;

const verb = (mask, one, many) => `${named(mask)} ${lanesOf(mask).length === 1 ? one : many}`;

/// "all 16 lanes", "5 of 16 lanes: 1–5"; of several subgroups how many of each, since a strip shows which.
export function partsOf(model, mask) {
  const found = [];
  for (let number = 0; number < model.subgroups; number++) {
    const lanes = lanesOf(inSubgroup(model, mask, number)), all = lanesOf(subgroupMask(model, number)).length;
    if (lanes.length) found.push({number, lanes, all});
  }
  const counts = ({lanes, all}) => (lanes.length === all ? `all ${all}` : `${lanes.length} of ${all}`);
  if (model.subgroups === 1) return found.map(one => `${counts(one)} lanes: ${listOf(one.lanes)}`).join();
  if (found.length === 1) return `${counts(found[0])} lanes of subgroup ${found[0].number}: ${listOf(found[0].lanes)}`;
  return `${lanesOf(mask).length} lanes: ${found.map(one => `${counts(one)} of subgroup ${one.number}`).join(", ")}`;
}

/// One for each event of column t that is worth saying: {text, kind}; kind is split, wait, join, leave, fault or "".
export function sentences(model, t) {
  const {run, doc} = model, {events} = run, found = [];
  for (let event = model.first[t] + 1; event < model.first[t + 1]; event++) {
    const kind = doc.kinds[events.kind[event]], mask = model.masks[events.mask[event]];
    const note = run.notes[event] || "";
    if (kind === "split") found.push({kind, text: splitWords(model, event, mask)});
    else if (kind === "arrive" && events.block[event] < 0) found.push({kind: "leave", text: verb(mask, "has ended: it returned", "have ended: they returned")});
    else if (kind === "arrive") found.push({kind: "wait", text: arriveWords(model, event, mask)});
    else if (kind === "join") {
      const where = meetingName(model, model.frames[events.frame[event]]);
      found.push({kind, text: verb(mask, `goes on from ${where}: nobody else is awaited there`, `go on together from ${where}: all that were awaited are there`)});
    } else if (kind === "escape" && model.frames[events.frame[event]].parent >= 0) {
      const where = meetingName(model, model.frames[events.frame[event]]);
      found.push({kind: "leave", text: `${verb(mask, "is", "are")} no longer awaited at ${where}`});
    } else if (kind === "dispatch") found.push({kind: "", text: `${verb(mask, "calls", "call")} through the witness table ${note}`});
    else if (kind === "end") found.push({kind: "leave", text: `${verb(mask, "has ended", "have ended")} (${ENDS[note] || note})`});
    else if (kind === "unite") found.push({kind: "join", text: `${verb(mask, "is", "are")} together at ${note}`});
    else if (kind === "helper") found.push({kind: "leave", text: verb(mask, "becomes a helper invocation", "become helper invocations")});
  }
  for (const [event, words] of run.choices) if (model.column[event] === t) found.push({kind: "choice", text: `chosen, the rules leave it open: ${words}`});
  for (const [event, lane, code, message] of run.faults) if (model.column[event] === t) found.push({kind: "fault", text: `lane ${lane}: ${message} (${code})`});
  for (const [event, lane, what, before, other, first, where, race] of run.conflicts || []) {
    const at = model.column[event], then = model.column[before], rule = `nothing orders the two${race ? ": a data race" : ""}`;
    if (at === t) found.push({kind: "fault", text: `lane ${lane}: ${what} on ${where}, which lane ${other} accessed in step ${model.step[then]} (${first}): ${rule}`});
    else if (then === t) found.push({kind: "fault", text: `lane ${other}: ${first} on ${where}, which lane ${lane} accesses in step ${model.step[at]} (${what}): ${rule}`});
  }
  if (run.stopped && t === model.columns - 1) found.push({kind: "fault", text: `the run stops: ${run.stopped}`});
  return found;
}

const ENDS = {
  terminate: "OpTerminateInvocation", kill: "OpKill", quad: "only helpers were left in their quad", return: "they returned",
};

function splitWords(model, event, mask) {
  const {splits} = model.run, ways = splits.ways[splits.way[splits.event.indexOf(event)]];
  const parts = ways.map(([block, number, value]) => `${named(model.masks[number])} to ${blockName(model, block)} (${value})`);
  return `${named(mask)} split: ${parts.join("; ")}`;
}

function arriveWords(model, event, mask) {
  const number = model.run.events.frame[event], frame = model.frames[number], where = meetingName(model, frame);
  const open = framesAfter(model, event).find(each => each.number === number);
  const missing = open ? without(open.left, open.arrived) : null;
  if (!missing || isEmpty(missing)) return `${verb(mask, "arrives", "arrive")} at ${where}: nobody else is awaited`;
  return `${verb(mask, "waits", "wait")} at ${where} for ${named(missing)}`;
}

/// What ran together in column t and what it was: {what, scope, groups: [{lanes, value}]}.
export function operations(model, t) {
  return (model.tangledAt.get(t) || []).map(record => {
    const {values, rows} = model.run, item = model.items[values.item[record]], mask = model.masks[values.mask[record]];
    const row = values.row[record] < 0 ? null : rows[values.row[record]], lanes = lanesOf(mask);
    const size = item.scope === "workgroup" ? model.lanes : item.scope === "quad" ? 4 : model.size, groups = new Map();
    lanes.forEach((lane, at) => {
      const number = Math.floor(lane / size);
      if (!groups.has(number)) groups.set(number, {lanes: [], values: []});
      groups.get(number).lanes.push(lane);
      groups.get(number).values.push(row === null ? "" : String(Array.isArray(row) ? row[at] : row));
    });
    return {item, groups: [...groups.values()]};
  });
}

export function operationWords({item, groups}) {
  return groups.map(({lanes, values}) => {
    const all = values.every(value => value === values[0]);
    const gave = values[0] === "" ? "" : all ? ` gave ${values[0]}` : " gave " + values.map((value, at) => `${lanes[at]}: ${value}`).join(", ");
    return `${item.what.replace(/^Op/, "")} by lane${lanes.length === 1 ? "" : "s"} ${listOf(lanes)}${gave}`;
  });
}

/// The column in one sentence, for those who hear it.
export function spoken(model, t) {
  if (!model.columns) return "nothing was run";
  const more = sentences(model, t).map(each => each.text);
  return [`step ${model.step[t]}: ${blockName(model, model.block[t])} is run by ${partsOf(model, maskAt(model, "running", t))}`, ...more].join(". ");
}

/// Why a lane is in the state that it is in.
export function laneWords(model, t, lane) {
  const state = stateOf(model, t, lane), head = `lane ${lane}, step ${model.step[t]}: `;
  if (state === ENDED) return head + "ended";
  if (state === READY) return head + "could run; another tangle was chosen";
  if (state === WAIT) {
    const wait = waitOf(model, t, lane);
    if (!wait) return head + "waits";
    return `${head}waits since step ${model.step[wait.since]} at ${meetingName(model, wait.frame)} for ${named(wait.missing)}`;
  }
  return `${head}runs ${blockName(model, model.block[t])} with ${named(maskAt(model, "running", t))}${state === PART ? ", without some of its subgroup" : ""}`;
}
