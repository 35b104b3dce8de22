// Of the document on standard input: by column what happens, what `total` and the second memory hold.

import {readFileSync} from "node:fs";
const base = process.argv[2];
const {readRun} = await import(base + "/states.mjs"), {readValues, valuesAt, memoryAt} = await import(base + "/values.mjs");
const {sentences, operations, operationWords} = await import(base + "/words.mjs");
const doc = JSON.parse(readFileSync(0, "utf8")), model = readRun(doc, 0);
readValues(model);
const total = model.items.findIndex(one => one.name === "total");
console.log(JSON.stringify(Array.from({length: model.columns}, (_, t) => ({
  block: model.program.blocks[model.block[t]].name,
  said: sentences(model, t).map(one => one.text),
  tangled: operations(model, t).flatMap(operationWords),
  total: [0, 1, 2, 3].map(lane => total >= 0 && valuesAt(model, total, t, [0, 1, 2, 3]).get(lane)),
  memory: memoryAt(model, 1, t).words,
}))));
