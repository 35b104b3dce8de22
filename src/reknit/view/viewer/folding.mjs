// A function's graph with some of its constructs folded: each of these is one box, and lines go to and from that.

/// The box of a folded construct has this number instead of a block's, as its row in the tree does.
export const numberOf = construct => -2 - construct;
export const constructOf = number => (number <= -2 ? -2 - number : -1);

/// By construct: the outermost one around it, itself included, that is in `closed`; -1 if none is.
function outermost(constructs, closed) {
  const found = new Int32Array(constructs.length).fill(-2);
  constructs.forEach((_, start) => {
    const way = [];
    let at = start;
    while (at >= 0 && found[at] === -2) {
      way.push(at);
      at = constructs[at][1];
    }
    let above = at < 0 ? -1 : found[at];
    for (const each of way.reverse()) found[each] = above = above >= 0 ? above : closed.has(each) ? each : -1;
  });
  return found;
}

/// By construct: how many blocks and tangled operations are in it, nested ones counted.
export function countsOf(one) {
  const found = one.constructs.map(() => ({blocks: 0, tangled: 0})), tangled = new Set(one.tangled);
  one.within.forEach((inner, block) => {
    for (let at = inner; at >= 0; at = one.constructs[at][1]) {
      found[at].blocks++;
      if (tangled.has(block)) found[at].tangled++;
    }
  });
  return found;
}

/// `boxes` [number, lines] and `edges` for the layout; `box` is by block the number of its box.
export function folded(one, closed, counts) {
  const top = outermost(one.constructs, closed), box = new Int32Array(one.boxes.length), boxes = [], known = new Map();
  one.boxes.forEach((lines, block) => {
    const construct = one.within[block] < 0 ? -1 : top[one.within[block]];
    if (construct < 0) {
      box[block] = boxes.length;
      boxes.push([block, lines]);
    } else {
      if (!known.has(construct)) {
        known.set(construct, boxes.length);
        boxes.push([numberOf(construct), foldedLines(one.constructs[construct][0], counts[construct])]);
      }
      box[block] = known.get(construct);
    }
  });
  const edges = [], seen = new Map();
  for (const [source, target, kind, word] of one.edges) {
    const from = box[source], to = box[target], key = from * boxes.length + to;
    const folds = boxes[from][0] < 0 || boxes[to][0] < 0, before = edges[seen.get(key)];
    if (from === to && folds) continue; // within what is folded
    if (folds && before) {
      if (before[2] !== kind) before[2] = "step";
      before[3] = "";
    } else {
      seen.set(key, edges.length);
      edges.push([from, to, kind, boxes[from][0] < 0 ? "" : word]);
    }
  }
  return {boxes, edges, box};
}

function foldedLines(text, {blocks, tangled}) {
  const lines = [`▸ ${text}`, `${blocks} block${blocks === 1 ? "" : "s"}`];
  return tangled ? [...lines, `${tangled} with tangled operations`] : lines;
}

/// The constructs around a block, the innermost first.
export function around(one, block) {
  const found = [];
  for (let at = one.within[block]; at >= 0; at = one.constructs[at][1]) found.push(at);
  return found;
}

/// The rows of the tree that are not inside of a folded construct.
export function openRows(tree, closed) {
  const found = [];
  let deepest = Infinity;
  for (const row of tree) {
    if (row[0] > deepest) continue;
    deepest = closed.has(constructOf(row[2])) ? row[0] : Infinity;
    found.push(row);
  }
  return found;
}
