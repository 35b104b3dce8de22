// Of each {one, closed} on standard input, a function of a document and folded constructs: what the page draws.

import {readFileSync} from "node:fs";
const {laidOut} = await import(process.argv[2] + "/layout.mjs");
const {countsOf, folded} = await import(process.argv[2] + "/folding.mjs");
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(({one, closed}) => {
  const {boxes, edges, box} = folded(one, new Set(closed), countsOf(one));
  return {graph: laidOut(boxes, edges), box: [...box]};
})));
