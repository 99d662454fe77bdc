import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readInvocation } from '../../../src/cli/program.ts';

/* What can be known of the Dockerfile without Docker; test/package/docker.test.ts builds it where it can. */

interface Instruction {
  name: string;
  rest: string;
}

const instructions = readFileSync('Dockerfile', 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Instruction => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return { name, rest };
  });
const lastFrom = instructions.findLastIndex(({ name }) => name === 'FROM');
/** The stage that runs. */
const final = instructions.slice(lastFrom);
const only = (name: string) => {
  const found = final.filter((one) => one.name === name);
  expect(found, name).toHaveLength(1);
  return found[0]?.rest ?? '';
};
const words = (json: string) => z.array(z.string()).parse(JSON.parse(json));
const manifest = z
  .object({ bin: z.record(z.string(), z.string()), scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

it('runs on a Node that needs no compiler', () => {
  for (const { rest } of instructions.filter(({ name }) => name === 'FROM')) {
    // The tag of a major version is its newest release.
    const [, major] = /^node:(\d+)-slim(?: AS \w+)?$/.exec(rest) ?? [];
    expect([22, 24]).toContain(Number(major));
  }
});

it('copies what is there, from a stage that is there', () => {
  const stages = instructions.flatMap(({ name, rest }) =>
    name === 'FROM' ? (/ AS (\w+)$/.exec(rest)?.[1] ?? []) : [],
  );
  for (const { rest } of instructions.filter(({ name }) => name === 'COPY')) {
    const [, stage, source = ''] = /^(?:--from=(\w+) )?(\S+) \S+$/.exec(rest) ?? [];
    if (stage === undefined) expect(existsSync(source), source).toBe(true);
    else expect(stages).toContain(stage);
  }
});

it('runs scripts of the package, and leaves out what a build must not see', () => {
  const text = instructions.map(({ rest }) => rest).join('\n');
  const scripts = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
  expect(scripts).toEqual(['build']);
  expect(manifest.scripts).toHaveProperty('build');
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', '**/node_modules', 'dist', '*.sqlite*']));
});

describe('what runs', () => {
  it('is not root, and keeps the shelf in a volume of its own', () => {
    expect(only('USER')).toBe('node');
    expect(only('ENV')).toBe(`QUANTSHELF_HOME=${only('VOLUME')}`);
    expect(only('RUN')).toContain(`install -d -o node -g node -m 700 ${only('VOLUME')}`);
  });

  it('serves on every address of the container, on the port that it exposes', () => {
    const [program = '', ...rest] = words(only('ENTRYPOINT'));
    expect(rest).toEqual([]);
    expect(Object.keys(manifest.bin)).toEqual([program]);
    const invocation = readInvocation(words(only('CMD')), () => {});
    expect(invocation).toMatchObject({
      name: 'serve',
      host: '0.0.0.0',
      port: Number(only('EXPOSE')),
    });
  });

  it('is asked for its health on that port', () => {
    expect(only('HEALTHCHECK')).toContain(`http://127.0.0.1:${only('EXPOSE')}/health`);
  });
});
