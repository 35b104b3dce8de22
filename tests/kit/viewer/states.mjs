// Of each document on standard input: the states of all lanes by column, and the frames that are open there.

import {readFileSync} from "node:fs";
const {readRun, stateOf, framesAfter} = await import(process.argv[2] + "/states.mjs");
const found = JSON.parse(readFileSync(0, "utf8")).map(doc => {
  const model = readRun(doc, 0), states = [], frames = [];
  for (let t = 0; t < model.columns; t++) {
    states.push(Array.from({length: model.lanes}, (_, lane) => stateOf(model, t, lane)).join(""));
    frames.push(framesAfter(model, model.first[t]).map(one => [one.number, Array.from(one.left), Array.from(one.arrived)]));
  }
  return {states, frames};
});
console.log(JSON.stringify(found));
