// What a person would do to the page, and what it then says. One expression.

(() => {
  const key = (name, more = {}) => { document.dispatchEvent(new KeyboardEvent("keydown", {key: name, ...more})); draw(); };
  const text = id => document.getElementById(id).textContent, seen = {};
  draw();
  seen.first = [text("now"), text("happening")];
  key("ArrowRight"); seen.second = text("now");
  key("ArrowRight", {shiftKey: true}); seen.event = text("now");
  key("End"); seen.last = text("now");
  key("Home"); seen.home = text("now");
  key("ArrowDown"); seen.lane = viewer.lane;
  document.getElementById("tangled").checked = true;
  document.getElementById("filter").dispatchEvent(new Event("input")); draw();
  seen.count = text("count");
  document.getElementById("tangled").checked = false;
  document.getElementById("filter").dispatchEvent(new Event("input"));
  const grid = document.getElementById("grid"), box = grid.getBoundingClientRect();
  const point = (x, y) => grid.onpointermove({target: grid, clientX: box.left + x, clientY: box.top + y, buttons: 0});
  point(46 + 1.5 * viewer.per, 24);
  seen.pointed = [...document.querySelectorAll("#source .hover")].map(one => +one.dataset.line.split(":")[1]);
  seen.block = document.querySelector("#tree .hover").textContent.split(":")[0];
  seen.meets = [...document.querySelectorAll("#tree .meets")].map(one => one.textContent.split(":")[0]);
  grid.onpointerleave();
  seen.left = document.querySelectorAll(".hover, .meets").length;
  key("5"); seen.tabs = [...document.querySelectorAll("#tabs [role=tab]")].map(one => one.getAttribute("aria-selected"));
  document.getElementById("over").value = "0";
  document.getElementById("over").dispatchEvent(new Event("change")); draw();
  seen.differs = text("differs"); seen.step = text("now");
  key("Escape");
  document.querySelector("[data-line='0:102']").click(); draw();
  seen.line = text("now"); seen.lit = [...document.querySelectorAll("#source .on")].map(one => +one.dataset.line.split(":")[1]);
  document.querySelector("[data-pane=memory]").click(); draw();
  seen.memory = [...document.querySelectorAll("#memory .words")].map(one => one.innerText.split(/\s+/).join(" "));
  document.querySelector("[data-pane=graph]").click(); draw();
  seen.graph = document.getElementById("graph").hidden;
  seen.svg = svgOf(viewer);
  seen.colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", viewer.ink.whole];
  seen.spoken = text("spoken");
  seen.labels = [...document.querySelectorAll("button, input, select, canvas, section")].filter(one =>
    !one.textContent.trim() && !one.getAttribute("aria-label") && !one.labels?.length && !one.ariaHidden).map(one => one.outerHTML);
  return seen;
})()
