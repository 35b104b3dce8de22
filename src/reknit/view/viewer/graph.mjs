// The graph of a function: boxes and lines where the document puts them, moved and zoomed; only what is seen is drawn.

import {fitted} from "./page.mjs";

const STROKE = {back: "#b3261e", fallthrough: "#d55e00", break: "#7a5cc9", continue: "#7a5cc9", critical: "#cc79a7", fake: "#999"};

/// Where a path ends.
function endOf(path) {
  let x = 0, y = 0;
  for (const [, command, numbers] of path.matchAll(/([MLCQVH])([^MLCQVH]*)/g)) {
    const values = numbers.trim().split(/[\s,]+/).map(Number);
    if (command === "V") y = values[0];
    else if (command === "H") x = values[0];
    else [x, y] = values.slice(-2);
  }
  return [x, y];
}

/// A picture on a canvas. `look(block, number)` gives how a box is drawn: {fill, dashed, double, bar}. Boxes are numbered;
/// `block` is what the document says of one, the number of its block, -1 for none.
export class Graph {
  constructor(canvas, {chosen, hovered}) {
    this.canvas = canvas;
    this.chosen = chosen;
    this.hovered = hovered;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.look = () => ({fill: ""});
    this.found = new Set();
    this.current = -1;
    this.listen();
  }

  show(graph, fits = true) {
    if (this.graph === graph) return;
    this.graph = graph;
    this.paths = [];
    this.ends = [];
    this.spans = graph.edges.map(edge => {
      const a = graph.nodes[edge[0]], b = graph.nodes[edge[1]];
      return {top: Math.min(a[1], b[1]) - 40, bottom: Math.max(a[1] + a[3], b[1] + b[3]) + 40};
    });
    if (fits) this.fit();
  }

  fit() {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    if (!width || !this.graph) return;
    this.scale = Math.min(1.2, Math.max(0.0002, Math.min(width / this.graph.width, height / this.graph.height)));
    this.x = (width - this.graph.width * this.scale) / 2;
    this.y = Math.max(4, (height - this.graph.height * this.scale) / 2);
  }

  zoom(by, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.0002, this.scale * by));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.changed();
  }

  /// Brings a box into the middle if it is not seen.
  reveal(node) {
    const [x, y, width, height] = this.graph.nodes[node], {clientWidth, clientHeight} = this.canvas;
    const left = this.x + x * this.scale, top = this.y + y * this.scale;
    if (left < 0 || top < 0 || left + width * this.scale > clientWidth || top + height * this.scale > clientHeight) {
      this.x = clientWidth / 2 - (x + width / 2) * this.scale;
      this.y = clientHeight / 2 - (y + height / 2) * this.scale;
    }
  }

  /// It was moved, zoomed or searched: a page that shows more than the graph draws all of it.
  changed() {
    if (this.drawn) this.drawn();
    else this.draw();
  }

  draw(ink = this.ink) {
    this.ink = ink;
    if (!this.graph || !this.canvas.clientWidth) return;
    if (!this.fitted) {
      this.fitted = true;
      this.fit();
    }
    const {pen, width, height} = fitted(this.canvas), {nodes, edges} = this.graph, {scale} = this;
    const top = -this.y / scale, bottom = (height - this.y) / scale, left = -this.x / scale, right = (width - this.x) / scale;
    pen.translate(this.x, this.y);
    pen.scale(scale, scale);
    pen.lineWidth = Math.max(1.2, 0.6 / scale);
    if (scale > 0.04) edges.forEach(([, , look], at) => {
      if (this.spans[at].bottom < top || this.spans[at].top > bottom) return;
      const [x, y] = (this.ends[at] ??= endOf(edges[at][3]));
      pen.strokeStyle = pen.fillStyle = STROKE[look] || ink.dim;
      pen.setLineDash(look === "back" ? [6, 3] : look === "fallthrough" ? [2, 3] : []);
      pen.stroke((this.paths[at] ??= new Path2D(edges[at][3])));
      pen.beginPath(); // all lines arrive at a box from above
      pen.moveTo(x, y);
      pen.lineTo(x - 4, y - 8);
      pen.lineTo(x + 4, y - 8);
      pen.fill();
    });
    pen.setLineDash([]);
    pen.font = "11px ui-monospace, monospace";
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    pen.fillStyle = ink.fg;
    if (scale > 0.4) for (const [, , , , word, x, y] of edges) if (word && y > top - 20 && y < bottom) pen.fillText(word, x + 4, y + 11);
    pen.textBaseline = "top";
    nodes.forEach((node, number) => {
      if (node[1] + node[3] < top || node[1] > bottom || node[0] + node[2] < left || node[0] > right) return;
      this.drawBox(pen, node, number);
    });
  }

  drawBox(pen, [x, y, wide, tall, block, lines], number) {
    const {ink, scale} = this, here = block !== -1 && block === this.current, found = this.found.has(number), look = this.look(block, number);
    pen.fillStyle = look.fill || ink.panel;
    pen.fillRect(x, y, wide, tall);
    if (look.bar) {
      pen.fillStyle = look.bar;
      pen.fillRect(x, y, Math.min(wide, Math.max(5, 2 / scale)), tall);
    }
    if (scale < 0.04 && !here && !found) return;
    pen.strokeStyle = here || found ? ink.hot : ink.dim;
    pen.lineWidth = (here || found ? 2.5 : 1) / Math.min(1, Math.max(scale, 0.4));
    pen.setLineDash(look.dashed ? [6, 3] : []);
    pen.strokeRect(x, y, wide, tall);
    if (look.double) pen.strokeRect(x + 3, y + 3, wide - 6, tall - 6);
    pen.setLineDash([]);
    if (scale <= 0.3) return;
    pen.font = "12px ui-monospace, monospace";
    lines.forEach((line, at) => {
      pen.fillStyle = at ? ink.dim : ink.fg;
      pen.fillText(line, x + 8, y + 9 + 17 * at, wide - 12);
    });
  }

  nodeAt(event) {
    if (!this.graph) return -1;
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.x) / this.scale, y = (event.clientY - box.top - this.y) / this.scale;
    return this.graph.nodes.findIndex(([left, top, wide, tall]) => x >= left && x <= left + wide && y >= top && y <= top + tall);
  }

  /// The boxes with a text in them; the first is brought into view.
  search(text) {
    const wanted = text.toLowerCase();
    this.found = new Set();
    if (text)
      this.graph.nodes.forEach((node, number) => {
        if (node[5].some(line => line.toLowerCase().includes(wanted))) this.found.add(number);
      });
    if (this.found.size) this.reveal([...this.found][0]);
    this.changed();
    return this.found.size;
  }

  listen() {
    const {canvas} = this;
    let from = null;
    canvas.onpointerdown = event => {
      from = {x: event.clientX, y: event.clientY, moved: false};
      canvas.setPointerCapture(event.pointerId);
    };
    canvas.onpointermove = event => {
      if (from === null) {
        const node = this.nodeAt(event);
        this.hovered(node < 0 ? -1 : this.graph.nodes[node][4], node, event);
        return;
      }
      this.x += event.clientX - from.x;
      this.y += event.clientY - from.y;
      from = {x: event.clientX, y: event.clientY, moved: from.moved || Math.abs(event.movementX) + Math.abs(event.movementY) > 2};
      this.changed();
    };
    canvas.onpointerup = event => {
      const node = from && !from.moved ? this.nodeAt(event) : -1;
      from = null;
      if (node >= 0) this.chosen(this.graph.nodes[node][4], event.shiftKey ? -1 : 1, node, event);
    };
    canvas.onpointerleave = () => this.hovered(-1, -1, null);
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey || !event.shiftKey) this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
      else {
        this.x -= event.deltaY;
        this.changed();
      }
    }, {passive: false});
    canvas.addEventListener("keydown", event => {
      const moves = {ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40]}[event.key];
      if (moves) {
        this.x += moves[0];
        this.y += moves[1];
        this.changed();
      } else if (event.key === "+" || event.key === "=") this.zoom(1.25);
      else if (event.key === "-") this.zoom(0.8);
      else if (event.key === "f") {
        this.fit();
        this.changed();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
