// The program in an address: JSON, deflated, in base64 for addresses. Whoever made the address may be anyone.

const MAX_LINK = 1 << 20; // characters
const MAX_JSON = 1 << 21; // bytes, unpacked: twice what is a program's text at most
const MAX_TEXT = 400_000; // characters, as reknit.editor.playground has it
const FORMATS = ["slang", "hlsl", "rk", "spvasm"];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

async function through(stream, bytes, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    length += step.value.length;
    if (length > most) {
      await reader.cancel().catch(() => {});
      throw new Error(`it unpacks to more than ${most} bytes`);
    }
    parts.push(step.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function packed(value) {
  const data = new TextEncoder().encode(JSON.stringify(value));
  const bytes = await through(new CompressionStream("deflate-raw"), data, Infinity);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpacked(text) {
  if (text.length > MAX_LINK) throw new Error(`it has more than ${MAX_LINK} characters`);
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const packing = Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
  const bytes = await through(new DecompressionStream("deflate-raw"), packing, MAX_JSON);
  return program(JSON.parse(new TextDecoder().decode(bytes)));
}

function program(given) {
  if (typeof given !== "object" || given === null) throw new Error("it is no program");
  const { format, text, size = 32, buffers = {} } = given;
  if (!FORMATS.includes(format)) throw new Error(`its format is none of ${FORMATS.join(", ")}`);
  if (typeof text !== "string" || text.length > MAX_TEXT) throw new Error(`its text is none of up to ${MAX_TEXT} characters`);
  if (!SIZES.includes(size)) throw new Error("its subgroup size is none");
  const fine = (words) => Array.isArray(words) && words.every(Number.isInteger);
  if (typeof buffers !== "object" || buffers === null || Array.isArray(buffers) || !Object.values(buffers).every(fine)) {
    throw new Error("its buffers are not words by name");
  }
  return { format, text, size, buffers };
}
