(() => {
  const click = what => document.querySelector(what).click(), text = id => document.getElementById(id).textContent;
  const rows = () => [...document.querySelectorAll("#tree .row")], buttons = () => [...document.querySelectorAll("#tree .row button")];
  const seen = {whole: viewer.graph.nodes.length, rows: buttons().map(one => one.parentNode.textContent.slice(1).split(" ")[0])};
  const at = node => [graph.x + viewer.graph.nodes[node][0] * graph.scale, graph.y + viewer.graph.nodes[node][1] * graph.scale];
  const inner = viewer.one.within.findIndex(each => each >= 0 && viewer.one.constructs[each][0].startsWith("loop"));
  const before = at(viewer.box[inner]);
  buttons()[1].click();
  const after = at(viewer.box[inner]);
  seen.stays = Math.hypot(after[0] - before[0], after[1] - before[1]) < 1;
  seen.loop = viewer.graph.nodes.length;
  seen.box = viewer.graph.nodes[viewer.box[inner]][5];
  seen.spoken = text("spoken");
  seen.expanded = buttons()[1].parentNode.getAttribute("aria-expanded");
  click("[data-do=foldAll]");
  seen.all = viewer.graph.nodes.length;
  seen.edges = viewer.graph.edges.map(edge => edge.slice(0, 2));
  seen.bars = viewer.graph.nodes.map(node => graph.look(node[4]).bar !== "");
  const scope = document.getElementById("scope");
  scope.value = "subgroup";
  scope.onchange();
  const find = document.getElementById("text");
  find.value = "GroupNonUniform";
  find.oninput();
  seen.found = viewer.found.length;
  seen.opened = viewer.graph.nodes.length;
  graph.hovered(viewer.found[0], viewer.box[viewer.found[0]], new MouseEvent("pointermove", {clientX: 10, clientY: 10}));
  seen.tip = text("tip");
  seen.inner = rows().length;
  const canvas = document.getElementById("flow"), key = name => canvas.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
  seen.keys = ["Enter", "Enter"].map(name => {
    key(name);
    return text("spoken").split(" ").pop();
  });
  seen.labels = [...document.querySelectorAll("button, input, select, canvas, [role=tree]")].filter(one =>
    !one.textContent.trim() && !one.getAttribute("aria-label") && !one.ariaLabel && !one.labels?.length && one.getAttribute("aria-hidden") !== "true").map(one => one.outerHTML);
  return seen;
})()
