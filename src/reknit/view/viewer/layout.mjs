// A graph's boxes and lines in a plane, as view/graph_layout.py says and does it: for what is folded it is made anew.

import {LANE, drawingOrder, layers} from "./layers.mjs";

const MARGIN = 14, SIGN = 7.25, LINE = 17, PADDING = 8, LABEL_SIGN = 6.7, LABEL_HEIGHT = 15, INSET = 8, PORT = 22;

/// The size of a box with these lines.
export const sizeOf = lines => [Math.max(...lines.map(line => line.length)) * SIGN + 2 * PADDING, lines.length * LINE + 2 * PADDING];

/// `boxes` are [block, lines], `edges` [source, target, kind, word]; gives what a document's graph is.
export function laidOut(boxes, edges) {
  const sizes = boxes.map(([, lines]) => sizeOf(lines)), {order, back} = drawingOrder(boxes.length, edges);
  const first = [], second = [], lines = [], goesBack = [], words = boxes.map(() => []);
  edges.forEach(([source, target, , word], at) => {
    first.push(lines.length);
    if (word) {
      words[source].push(sizes.length);
      lines.push([source, sizes.length]);
      goesBack.push(false);
      source = sizes.length;
      sizes.push([word.length * LABEL_SIGN + 8, LABEL_HEIGHT]);
    }
    second.push(lines.length);
    lines.push([source, target]);
    goesBack.push(back[at]);
  });
  const g = layers(sizes, lines, goesBack, order.flatMap(box => [box, ...words[box]]), boxes.length), top = LINE + 2 * MARGIN;
  g.top = top;
  assignPorts(g, sizes);
  const place = node => [MARGIN + g.x[node] - sizes[node][0] / 2, top + g.y[node]];
  return {
    width: g.width + 2 * MARGIN, height: top + g.height + 2 * MARGIN,
    nodes: boxes.map(([block, text], node) => [...place(node), ...sizes[node], block, text]),
    edges: edges.map(([source, target, kind, word], at) => {
      const end = lineOf(g, second[at], 1);
      return first[at] === second[at] ? [source, target, kind, end, ""]
        : [source, target, kind, lineOf(g, first[at], 0) + end, word, ...place(lines[first[at]][1])];
    }),
  };
}

/// Where along a border each line starts and ends, from left to right as the other ends stand.
function assignPorts(g, sizes) {
  const out = sizes.map(() => []), into = sizes.map(() => []);
  g.out = [];
  g.in = [];
  g.edges.forEach(([source, target], at) => {
    const chain = g.chains[at], far = g.lane[at] >= 0 ? g.width + 1e6 - g.lane[at] : 0;
    out[source].push([far || g.x[chain.length ? chain[0] : target], at]);
    into[target].push([far || g.x[chain.length ? chain[chain.length - 1] : source], at]);
  });
  for (const [rows, ports] of [[out, g.out], [into, g.in]])
    rows.forEach((ends, node) => {
      ends.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const step = Math.min(PORT, (sizes[node][0] - 2 * INSET) / Math.max(1, ends.length));
      ends.forEach(([, at], place) => (ports[at] = g.x[node] + (place - (ends.length - 1) / 2) * step));
    });
}

const n = value => Math.round(value * 10) / 10;

function lineOf(g, at, short) {
  const [source, target] = g.edges[at], {top} = g;
  let x = MARGIN + g.out[at], y = top + g.y[source] + g.heights[source], row = g.layer[source];
  const x1 = MARGIN + g.in[at], y1 = top + g.y[target] - short;
  if (g.lane[at] >= 0) {
    const side = MARGIN + g.inner + (g.lane[at] + 1) * LANE, down = top + g.trackOut[at], up = top + g.trackIn[at];
    return rounded([[x, y], [x, down], [side, down], [side, up], [x1, up], [x1, y1]]);
  }
  let path = `M${n(x)} ${n(y)}`;
  y = top + g.tops[row] + g.rowHeights[row];
  path += `V${n(y)}`;
  for (const node of g.chains[at]) {
    row = g.layer[node];
    const next = MARGIN + g.x[node], above = top + g.tops[row];
    path += curve(x, y, next, above);
    [x, y] = [next, above + g.rowHeights[row]];
    path += `V${n(y)}`;
  }
  return path + curve(x, y, x1, top + g.tops[g.layer[target]]) + `V${n(y1)}`;
}

function curve(x0, y0, x1, y1) {
  if (Math.abs(x0 - x1) < 0.1) return `V${n(y1)}`;
  const half = (y1 - y0) / 2;
  return `C${n(x0)} ${n(y0 + half)} ${n(x1)} ${n(y1 - half)} ${n(x1)} ${n(y1)}`;
}

/// Straight lines with round corners, each along an axis.
function rounded(points) {
  let path = `M${n(points[0][0])} ${n(points[0][1])}`;
  for (let at = 1; at < points.length - 1; at++) {
    const here = points[at], a = toward(here, points[at - 1]), b = toward(here, points[at + 1]);
    path += `L${n(a[0])} ${n(a[1])}Q${n(here[0])} ${n(here[1])} ${n(b[0])} ${n(b[1])}`;
  }
  const last = points[points.length - 1];
  return path + `L${n(last[0])} ${n(last[1])}`;
}

function toward(here, there) {
  const length = Math.abs(there[0] - here[0]) + Math.abs(there[1] - here[1]), part = length ? Math.min(6, length / 2) / length : 0;
  return [here[0] + (there[0] - here[0]) * part, here[1] + (there[1] - here[1]) * part];
}
