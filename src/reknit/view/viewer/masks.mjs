// Sets of lanes as 32-bit words: lane 37 is bit 5 of word 1.

export function wordsOf(hex, width) {
  const whole = BigInt("0x" + hex);
  return Uint32Array.from({length: width}, (_, at) => Number((whole >> BigInt(32 * at)) & 0xffffffffn));
}

export const has = (mask, lane) => (mask[lane >> 5] >>> (lane & 31)) & 1;

export const isEmpty = mask => mask.every(word => word === 0);

export const and = (a, b) => a.map((word, at) => word & b[at]);

export const without = (a, b) => a.map((word, at) => word & ~b[at]);

export const or = (a, b) => a.map((word, at) => word | b[at]);

export function lanesOf(mask) {
  const found = [];
  for (let lane = 0; lane < 32 * mask.length; lane++) if (has(mask, lane)) found.push(lane);
  return found;
}

/// "0–3, 7": neighbours are joined.
export function listOf(lanes) {
  const parts = [];
  for (let at = 0; at < lanes.length; at++) {
    const first = lanes[at];
    while (lanes[at + 1] === lanes[at] + 1) at++;
    parts.push(lanes[at] > first + 1 ? `${first}–${lanes[at]}` : lanes[at] > first ? `${first}, ${lanes[at]}` : `${first}`);
  }
  return parts.join(", ");
}

export function named(mask) {
  const lanes = lanesOf(mask);
  return lanes.length === 0 ? "no lane" : lanes.length === 1 ? `lane ${lanes[0]}` : `lanes ${listOf(lanes)}`;
}
