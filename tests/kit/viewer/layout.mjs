// Of each {boxes, edges} on standard input: the graph that the viewer lays out.

import {readFileSync} from "node:fs";
const {laidOut} = await import(process.argv[2] + "/layout.mjs");
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(one => laidOut(one.boxes, one.edges))));
