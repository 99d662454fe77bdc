import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const css = readFileSync(new URL('../../../../src/doors/views/views.css', import.meta.url), 'utf8');

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** Linear RGB as eyes see it that lack one kind of cone (Machado, Oliveira and Fernandes 2009). */
const EYES: Readonly<Record<string, Matrix>> = {
  trichromat: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanope: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranope: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanope: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** From linear RGB to Oklab, by way of its cone responses. */
const TO_CONES: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_OKLAB: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
/** Far above what is just noticeable, about 0.02. */
const APART = 0.11;

function times(matrix: Matrix, [x, y, z]: Triple): Triple {
  const row = ([a, b, c]: Triple) => a * x + b * y + c * z;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

function each([x, y, z]: Triple, change: (value: number) => number): Triple {
  return [change(x), change(y), change(z)];
}

function linear(hex: string): Triple {
  const at = (start: number) => {
    const part = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return [at(1), at(3), at(5)];
}

function seenBy(eye: Matrix, hex: string): Triple {
  const seen = each(times(eye, linear(hex)), (value) => Math.min(1, Math.max(0, value)));
  return times(TO_OKLAB, each(times(TO_CONES, seen), Math.cbrt));
}

function luminance(hex: string): number {
  const [red, green, blue] = linear(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe.each([
  ['light', 1, '#ffffff'],
  ['dark', 2, '#17191d'],
])('the colours of a plot, %s', (_, group, ground) => {
  const colours = [...css.matchAll(/--series-\d: light-dark\((#\w{6}), (#\w{6})\)/g)].map((found) =>
    z.string().parse(found[group]),
  );

  it.each(Object.entries(EYES))('are told apart by a %s', (_eye, eye) => {
    expect(colours).toHaveLength(2);
    for (const [at, one] of colours.entries()) {
      for (const other of colours.slice(at + 1)) {
        const distance = Math.hypot(
          ...seenBy(eye, one).map((part, axis) => part - (seenBy(eye, other)[axis] ?? 0)),
        );
        expect(distance, `${one} and ${other}`).toBeGreaterThan(APART);
      }
    }
  });

  it('stand out from the ground by 3 to 1', () => {
    for (const colour of colours) {
      const [low, high] = [luminance(colour), luminance(ground)].sort((a, b) => a - b);
      expect(((high ?? 0) + 0.05) / ((low ?? 0) + 0.05), colour).toBeGreaterThan(3);
    }
  });
});
