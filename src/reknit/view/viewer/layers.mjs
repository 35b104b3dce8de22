// Where the boxes of a graph go: in layers from the entry down, as view/layers.py says and does it.

const SPACE = 26, BETWEEN = 46, CLOSE = 26, TRACK = 6, GAPS = 4, SWEEPS = 6, PLACINGS = 10;
export const LANE = 14;

/// All nodes in reverse postorder of `edges`, each [source, target], and which of these go back in it.
export function drawingOrder(count, edges) {
  const targets = Array.from({length: count}, () => []), seen = new Uint8Array(count), order = [];
  for (const [source, target] of edges) targets[source].push(target);
  for (let start = 0; start < count; start++) {
    if (seen[start]) continue;
    const found = [], walk = [[start, targets[start].length]];
    seen[start] = 1;
    while (walk.length) {
      const top = walk[walk.length - 1];
      if (top[1] === 0) {
        found.push(top[0]);
        walk.pop();
        continue;
      }
      const next = targets[top[0]][--top[1]];
      if (!seen[next]) {
        seen[next] = 1;
        walk.push([next, targets[next].length]);
      }
    }
    for (let at = found.length - 1; at >= 0; at--) order.push(found[at]);
  }
  const place = new Int32Array(count);
  order.forEach((node, at) => (place[node] = at));
  return {order, back: edges.map(([source, target]) => place[target] <= place[source])};
}

/// `sizes` are [width, height], the first `boxes` of them boxes, the others words at lines; `order` as drawingOrder gives
/// it. What it returns has the names that view/layers.py has.
export function layers(sizes, edges, back, order, boxes) {
  const g = {
    edges, boxes, widths: sizes.map(one => one[0]), heights: sizes.map(one => one[1]), lane: edges.map(() => -1),
    chains: edges.map(() => []), trackOut: edges.map(() => 0), trackIn: edges.map(() => 0), tops: [],
  };
  g.layer = longestWays(sizes.length, edges, back, order);
  const {above, below} = thread(g, back);
  g.rows = Array.from({length: Math.max(-1, ...chunked(g.layer)) + 1}, () => []);
  for (const node of order) g.rows[g.layer[node]].push(node);
  for (let node = sizes.length; node < g.layer.length; node++) g.rows[g.layer[node]].push(node);
  sortRows(g.rows, above, below);
  g.x = places(g, above, below);
  g.rowHeights = g.rows.map(row => Math.max(...chunked(row.map(node => g.heights[node]))));
  assignLanes(g);
  placeRows(g);
  let left = Infinity, right = -Infinity;
  g.x.forEach((x, node) => (left = Math.min(left, x - g.widths[node] / 2)));
  if (left === Infinity) left = 0;
  g.x = g.x.map(x => x - left);
  g.y = g.layer.map((layer, node) => g.tops[layer] + (g.rowHeights[layer] - g.heights[node]) / 2);
  g.x.forEach((x, node) => (right = Math.max(right, x + g.widths[node] / 2)));
  g.inner = right === -Infinity ? 0 : right;
  const lanes = g.lane.reduce((most, lane) => Math.max(most, lane), -1) + 1;
  g.width = lanes ? g.inner + (lanes + 1) * LANE : g.inner;
  return g;
}

/// The highest of each 4096 numbers: a call takes only so many arguments.
function chunked(numbers) {
  const found = [];
  for (let at = 0; at < numbers.length; at += 4096) found.push(Math.max(...numbers.slice(at, at + 4096)));
  return found;
}

function longestWays(count, edges, back, order) {
  const targets = Array.from({length: count}, () => []), layer = new Array(count).fill(0);
  edges.forEach(([source, target], at) => back[at] || targets[source].push(target));
  for (const node of order) for (const target of targets[node]) layer[target] = Math.max(layer[target], layer[node] + 1);
  return layer;
}

/// A node without size in every layer that an edge passes; edges that would need too many run at the side.
function thread(g, back) {
  const spans = g.edges.map(([source, target], at) => (back[at] ? 0 : g.layer[target] - g.layer[source]));
  let room = GAPS * g.edges.length, limit = 0;
  for (const span of [...spans].sort((a, b) => a - b)) {
    room -= Math.max(0, span - 1);
    if (room < 0) break;
    limit = Math.max(limit, span);
  }
  const above = g.layer.map(() => []), below = g.layer.map(() => []);
  g.edges.forEach(([source, target], at) => {
    if (back[at] || spans[at] > limit) {
      g.lane[at] = 0;
      return;
    }
    let last = source;
    for (let layer = g.layer[source] + 1; layer < g.layer[target]; layer++) {
      const node = g.layer.length;
      g.layer.push(layer);
      g.widths.push(0);
      g.heights.push(0);
      above.push([last]);
      below.push([]);
      below[last].push(node);
      g.chains[at].push(node);
      last = node;
    }
    above[target].push(last);
    below[last].push(target);
  });
  return {above, below};
}

/// Sweeps down and up, sorting each layer by the middle of the neighbours' places; the order with the fewest crossings.
function sortRows(rows, above, below) {
  const place = new Int32Array(above.length), keys = new Float64Array(above.length);
  for (const row of rows) row.forEach((node, at) => (place[node] = at));
  let best = rows.map(row => [...row]), fewest = crossings(rows, below, place);
  for (let turn = 0; turn < SWEEPS; turn++) {
    const down = turn % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      for (const node of row) {
        const near = down ? above[node] : below[node];
        let sum = 0;
        for (const other of near) sum += place[other];
        keys[node] = near.length ? sum / near.length : place[node];
      }
      row.sort((a, b) => keys[a] - keys[b] || place[a] - place[b]);
      row.forEach((node, at) => (place[node] = at));
    }
    const found = crossings(rows, below, place);
    if (found < fewest) {
      fewest = found;
      best = rows.map(row => [...row]);
    }
  }
  best.forEach((row, at) => (rows[at] = row));
}

function crossings(rows, below, place) {
  let count = 0;
  for (const row of rows) {
    const ends = [];
    for (const node of row) if (below[node].length) ends.push(...below[node].map(other => place[other]).sort((a, b) => a - b));
    count += inversions(ends);
  }
  return count;
}

function inversions(numbers) {
  let count = 0;
  for (let width = 1; width < numbers.length; width *= 2) {
    const merged = [];
    for (let start = 0; start < numbers.length; start += 2 * width) {
      const middle = Math.min(start + width, numbers.length), stop = Math.min(start + 2 * width, numbers.length);
      let at = start;
      for (let right = middle; right < stop; right++) {
        while (at < middle && numbers[at] <= numbers[right]) merged.push(numbers[at++]);
        count += middle - at;
        merged.push(numbers[right]);
      }
      while (at < middle) merged.push(numbers[at++]);
    }
    numbers = merged;
  }
  return count;
}

/// Horizontal middles: neighbours pull, the order within a layer stays.
function places(g, above, below) {
  const x = new Array(g.layer.length).fill(0), {widths} = g;
  for (const row of g.rows) {
    let at = 0;
    for (const node of row) {
      x[node] = at + widths[node] / 2;
      at += widths[node] + SPACE;
    }
    for (const node of row) x[node] -= (at - SPACE) / 2;
  }
  for (let turn = 0; turn < PLACINGS; turn++) {
    const down = turn % 2 === 0;
    for (const row of down ? g.rows : [...g.rows].reverse()) {
      const wished = row.map(node => {
        const [near, far] = down ? [above[node], below[node]] : [below[node], above[node]];
        const pulls = turn >= PLACINGS - 2 ? [...above[node], ...below[node]] : near.length ? near : far;
        let sum = 0;
        for (const other of pulls) sum += x[other];
        return pulls.length ? sum / pulls.length : x[node];
      });
      const found = closestPlaces(wished, row.map(node => widths[node]), row.map(node => (node >= g.boxes ? 4 : 1)));
      row.forEach((node, at) => (x[node] = found[at]));
    }
  }
  return x;
}

/// Middles closest to `wished` of boxes that keep their order and SPACE between them.
export function closestPlaces(wished, widths, weights) {
  const offsets = [], groups = [], found = [];
  let at = 0;
  widths.forEach((width, index) => {
    if (index) at += (widths[index - 1] + width) / 2 + SPACE;
    offsets.push(at);
  });
  wished.forEach((wish, index) => {
    let total = weights[index], mean = wish - offsets[index], count = 1;
    while (groups.length && groups[groups.length - 1][1] > mean) {
      const [weight, middle, many] = groups.pop();
      mean = (weight * middle + total * mean) / (weight + total);
      total += weight;
      count += many;
    }
    groups.push([total, mean, count]);
  });
  for (const [, mean, count] of groups) for (let each = 0; each < count; each++) found.push(mean + offsets[found.length]);
  return found;
}

/// What leads to one node shares a lane. Short ones first; each right of all that are there already between its layers.
function assignLanes(g) {
  const spans = new Map();
  g.edges.forEach(([source, target], at) => {
    if (g.lane[at] < 0) return;
    const ends = [g.layer[source] + 1, g.layer[target]], [low, high] = spans.get(target) || ends;
    spans.set(target, [Math.min(low, ...ends), Math.max(high, ...ends)]);
  });
  const highest = new Highest(g.rows.length + 1), lanes = new Map();
  const sorted = [...spans].sort((a, b) => a[1][1] - a[1][0] - (b[1][1] - b[1][0]) || a[1][0] - b[1][0] || a[1][1] - b[1][1] || a[0] - b[0]);
  for (const [target, [low, high]] of sorted) {
    lanes.set(target, highest.within(low, high + 1));
    highest.raiseTo(low, high + 1, lanes.get(target) + 1);
  }
  g.edges.forEach(([, target], at) => g.lane[at] >= 0 && (g.lane[at] = lanes.get(target)));
}

/// The highest number so far in a stretch of places, starting from 0: a segment tree.
class Highest {
  constructor(count) {
    this.size = 1;
    while (this.size < count) this.size *= 2;
    this.all = new Int32Array(2 * this.size);
    this.some = new Int32Array(2 * this.size);
  }

  visit(start, stop, inside, across) {
    const work = [[1, 0, this.size]];
    while (work.length) {
      const [node, low, high] = work.pop();
      if (stop <= low || high <= start) continue;
      if (start <= low && high <= stop) {
        inside(node);
        continue;
      }
      across(node);
      const middle = (low + high) >> 1;
      work.push([2 * node, low, middle], [2 * node + 1, middle, high]);
    }
  }

  within(start, stop) {
    let highest = 0;
    this.visit(start, stop, node => (highest = Math.max(highest, this.some[node])), node => (highest = Math.max(highest, this.all[node])));
    return highest;
  }

  raiseTo(start, stop, value) {
    const raise = node => (this.some[node] = Math.max(this.some[node], value));
    this.visit(start, stop, node => {
      raise(node);
      this.all[node] = Math.max(this.all[node], value);
    }, raise);
  }
}

/// Room above each layer for the stretches to and from the side, each on its own track; those to one node share theirs.
function placeRows(g) {
  const tracks = Array.from({length: g.rows.length + 1}, () => []), arrived = new Set(), ins = new Map();
  g.edges.forEach(([source, target], at) => {
    if (g.lane[at] < 0) return;
    tracks[g.layer[source] + 1].push([true, at]);
    if (arrived.has(target)) return;
    arrived.add(target);
    tracks[g.layer[target]].push([false, target]);
  });
  const bare = g.rows.map(row => row.every(node => node >= g.boxes));
  let at = 0;
  for (let layer = 0; layer <= g.rows.length; layer++) {
    const here = tracks[layer], last = layer === g.rows.length;
    here.forEach(([leaves, number], place) => {
      const y = at + 10 + TRACK * place;
      if (leaves) g.trackOut[number] = y;
      else ins.set(number, y);
    });
    if (last) {
      at += TRACK * here.length + (here.length ? 10 : 0);
      break;
    }
    if (layer) at += bare[layer - 1] || bare[layer] ? CLOSE : BETWEEN;
    at += TRACK * here.length + (here.length ? 12 : 0);
    g.tops.push(at);
    at += g.rowHeights[layer];
  }
  g.height = at;
  g.edges.forEach(([, target], edge) => (g.trackIn[edge] = ins.get(target) || 0));
}
