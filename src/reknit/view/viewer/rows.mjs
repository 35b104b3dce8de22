// A long list of rows of one height: only those that are seen have elements.

import {make} from "./page.mjs";

const HEIGHT = 19, MORE = 12; // px; rows above and below what is seen

/// `made(row, number)` gives the element of a row.
export class Rows {
  constructor(pane, made) {
    this.pane = pane;
    this.made = made;
    this.rows = [];
    this.room = make("div", {role: "presentation"});
    pane.replaceChildren(this.room);
    pane.addEventListener("scroll", () => this.draw());
    this.room.style.position = "relative";
  }

  show(rows) {
    this.rows = rows;
    this.room.style.height = `${rows.length * HEIGHT}px`;
    this.draw();
  }

  draw() {
    const {scrollTop, clientHeight} = this.pane, first = Math.max(0, Math.floor(scrollTop / HEIGHT) - MORE);
    const last = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / HEIGHT) + MORE), seen = [];
    for (let at = first; at < last; at++) {
      const row = this.made(this.rows[at], at);
      row.style.top = `${at * HEIGHT}px`;
      seen.push(row);
    }
    this.room.replaceChildren(...seen);
  }

  reveal(number) {
    const top = number * HEIGHT, {scrollTop, clientHeight} = this.pane;
    if (top < scrollTop || top + HEIGHT > scrollTop + clientHeight) this.pane.scrollTop = top - clientHeight / 2;
    this.draw();
  }
}
