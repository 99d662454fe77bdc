import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { DIMENSIONS } from '../../src/search/vectors.ts';

/**
 * The committed vectors of the starter cards, so that the build needs no model. Each line has a card's key, a
 * digest of its text, and 384 components as base64 of int8. The scale is not stored, because vectors have
 * length 1.
 */
export interface StarterVectors {
  /** Stamp of the model that computed them. */
  model: string;
  entries: Map<string, { textDigest: string; vector: Float32Array }>;
}

const HEAD = '# model: ';

export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Throws an Error that names the faulty line. */
export function readStarterVectors(path: string): StarterVectors {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  if (!head.startsWith(HEAD)) throw new Error(`${path}: the first line must name the model`);
  const entries: StarterVectors['entries'] = new Map();
  for (const [index, line] of lines.entries()) {
    const [key, textDigest, encoded] = line.split(' ');
    const vector = encoded === undefined ? undefined : decode(encoded);
    if (key === undefined || textDigest === undefined || vector === undefined) {
      throw new Error(`${path}:${index + 2}: not "key digest vector"`);
    }
    entries.set(key, { textDigest, vector });
  }
  return { model: head.slice(HEAD.length), entries };
}

export function writeStarterVectors(path: string, vectors: StarterVectors): void {
  const lines = [...vectors.entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => `${key} ${entry.textDigest} ${encode(entry.vector)}`);
  writeFileSync(path, `${HEAD}${vectors.model}\n${lines.join('\n')}\n`);
}

/** The vector of `key`; throws if it is missing or outdated. */
export function vectorOf(vectors: StarterVectors, key: string, text: string): Float32Array {
  const entry = vectors.entries.get(key);
  if (entry === undefined || entry.textDigest !== digestText(text)) {
    throw new Error(
      `the vector of ${key} is missing or older than its text: run \`npm run starter\``,
    );
  }
  return entry.vector;
}

function encode(vector: Float32Array): string {
  const largest = vector.reduce((max, component) => Math.max(max, Math.abs(component)), 0);
  const bytes = Int8Array.from(vector, (component) => Math.round((component / largest) * 127));
  return Buffer.from(bytes.buffer).toString('base64');
}

function decode(encoded: string): Float32Array | undefined {
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== DIMENSIONS) return undefined;
  const components = Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  const length = Math.sqrt(components.reduce((sum, component) => sum + component * component, 0));
  return length === 0 ? undefined : components.map((component) => component / length);
}
