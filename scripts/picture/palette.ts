import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Maximum number of colours in an indexed PNG. */
const MOST = 256;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * The same picture with 256 colours, a fifth of the size: the most common are kept, and the others, shades
 * along the edges of letters, become the nearest of them. Accepts Chromium's PNGs: eight bits, RGB or RGBA,
 * not interlaced.
 */
export function toPalette(png: Buffer): Buffer {
  const chunks = readChunks(png);
  const head = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(13);
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const channels = head[9] === 6 ? 4 : 3;
  const data = chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data);
  const pixels = unfilter(inflateSync(Buffer.concat(data)), width * channels, channels);
  const colours = Array.from({ length: width * height }, (_, at) =>
    pixels.readUIntBE(at * channels, 3),
  );
  const palette = commonest(colours);
  const indexOf = nearestIn(palette);
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of colours.entries()) {
    rows[at + Math.floor(at / width) + 1] = indexOf(colour);
  }
  const table = Buffer.alloc(palette.length * 3);
  for (const [at, colour] of palette.entries()) table.writeUIntBE(colour, at * 3, 3);
  const newHead = Buffer.from(head);
  newHead[8] = 8;
  newHead[9] = 3;
  return Buffer.concat([
    SIGNATURE,
    writeChunk('IHDR', newHead),
    writeChunk('PLTE', table),
    writeChunk('IDAT', deflateSync(rows, { level: 9 })),
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
}

function readChunks(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Undoes the filters of PNG, which store each byte as its difference from its neighbours. */
function unfilter(raw: Buffer, stride: number, step: number): Buffer {
  const rows = raw.length / (stride + 1);
  const out = Buffer.alloc(stride * rows);
  for (let row = 0; row < rows; row += 1) {
    const kind = raw[row * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = row * stride + x;
      const left = x < step ? 0 : (out[at - step] ?? 0);
      const up = row === 0 ? 0 : (out[at - stride] ?? 0);
      const corner = x < step || row === 0 ? 0 : (out[at - stride - step] ?? 0);
      const byte = raw[row * (stride + 1) + 1 + x] ?? 0;
      out[at] = (byte + predict(kind, left, up, corner)) & 0xff;
    }
  }
  return out;
}

function predict(kind: number, left: number, up: number, corner: number): number {
  if (kind === 1) return left;
  if (kind === 2) return up;
  if (kind === 3) return (left + up) >> 1;
  if (kind !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function commonest(colours: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([colour]) => colour);
}

function nearestIn(palette: readonly number[]): (colour: number) => number {
  const known = new Map(palette.map((colour, index) => [colour, index]));
  return (colour) => {
    const found = known.get(colour);
    if (found !== undefined) return found;
    const distances = palette.map((each) => distance(each, colour));
    const index = distances.indexOf(Math.min(...distances));
    known.set(colour, index);
    return index;
  };
}

function distance(a: number, b: number): number {
  const parts = [16, 8, 0].map((shift) => ((a >> shift) & 0xff) - ((b >> shift) & 0xff));
  return parts.reduce((sum, part) => sum + part * part, 0);
}
