// The picture of lanes by time as SVG: what draws on a canvas draws on this, too.

import {LEFT, TOP, drawLanes} from "./lanes.mjs";

const WIDE = 28, NARROW = 4, ROOM = 1600, ROW = 18, COLUMNS = 4000; // px a column and a lane; columns

const tenth = value => Math.round(value * 10) / 10;
const escaped = text => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
const ANCHORS = {left: "start", center: "middle", right: "end"};

/// The part of a canvas's context that `drawLanes` uses, for columns that are at least a pixel wide.
class SvgPen {
  constructor(width, height) {
    this.parts = [`<svg xmlns="http://www.w3.org/2000/svg" width="${tenth(width)}" height="${tenth(height)}" viewBox="0 0 ${tenth(width)} ${tenth(height)}">`];
    this.globalAlpha = 1;
    this.path = "";
  }

  rectangle(x, y, width, height, paint) {
    this.parts.push(`<rect x="${tenth(x)}" y="${tenth(y)}" width="${tenth(width)}" height="${tenth(height)}" ${paint}/>`);
  }

  fillRect(x, y, width, height) {
    this.rectangle(x, y, width, height, `fill="${this.fillStyle}"${this.globalAlpha < 1 ? ` fill-opacity="${this.globalAlpha}"` : ""}`);
  }

  strokeRect(x, y, width, height) {
    this.rectangle(x, y, width, height, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth || 1}"`);
  }

  fillText(text, x, y) {
    const [, size, family] = /([\d.]+)px (.*)$/.exec(this.font), weight = this.font.startsWith("bold") ? ' font-weight="bold"' : "";
    const place = `x="${tenth(x)}" y="${tenth(y)}" text-anchor="${ANCHORS[this.textAlign]}" dominant-baseline="central"`;
    this.parts.push(`<text ${place} font-size="${size}" font-family="${escaped(family)}"${weight} fill="${this.fillStyle}">${escaped(text)}</text>`);
  }

  beginPath() {
    this.path = "";
  }

  moveTo(x, y) {
    this.path += `M${tenth(x)} ${tenth(y)}`;
  }

  lineTo(x, y) {
    this.path += `L${tenth(x)} ${tenth(y)}`;
  }

  stroke() {
    this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`);
  }

  // What is drawn ends where the picture does.
  save() {}
  rect() {}
  clip() {}
  restore() {}

  text() {
    return [...this.parts, "</svg>\n"].join("\n");
  }
}

/// All columns that the filter leaves, or as many as can be shown from the first that is seen on; both results.
export function svgOf(viewer) {
  const {model, other, shown, ink} = viewer, others = other ? viewer.otherShown : [], first = shown.length > COLUMNS ? Math.max(0, Math.floor(viewer.from)) : 0;
  const columns = shown.slice(first, first + COLUMNS), second = others.slice(first, first + COLUMNS);
  const longest = Math.max(columns.length, second.length), per = Math.min(WIDE, Math.max(NARROW, ROOM / longest));
  const tall = TOP + model.lanes * ROW + (model.subgroups - 1) * 6 + 6, width = LEFT + longest * per + 2;
  const pen = new SvgPen(width, other ? 2 * tall : tall), view = {...viewer, from: 0, per, at: viewer.at - first, hover: null};
  pen.fillStyle = ink.bg;
  pen.fillRect(0, 0, width, other ? 2 * tall : tall);
  drawLanes(pen, model, columns, view, 0, width, tall, ink);
  if (other) drawLanes(pen, other, second, view, tall, width, tall, ink);
  return pen.text();
}

export function download(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
