import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openReadOnly } from '../../src/store/open.ts';
import { makeHome, quantshelf, root, runProcess, storeIn } from './support.ts';

const PAGE = readFileSync(join(root, 'docs', 'python.md'), 'utf8');
const snippets = [...PAGE.matchAll(/```(python|r|sh)\n([\s\S]*?)```/g)].map(
  ([, language = '', code = '']) => ({ language, code }),
);

/** An interpreter with a snippet's modules, and its flag to run text; undefined if there is none. */
function findInterpreter({ language, code }: (typeof snippets)[number]) {
  const names = [...code.matchAll(/^(?:import|library\()\s*(\w+)|(\w+)::/gm)].map(
    ([, loaded, used]) => loaded ?? used,
  );
  const load = names.map((name) => (language === 'r' ? `library(${name})` : `import ${name}`));
  // Debian installs packages for the system's Python, even if another one comes first in PATH.
  const commands = language === 'r' ? ['Rscript'] : ['python3', '/usr/bin/python3'];
  const flag = language === 'r' ? '-e' : '-c';
  const command = commands.find(
    (each) => spawnSync(each, [flag, load.join(';')], { stdio: 'ignore' }).status === 0,
  );
  return command === undefined ? undefined : ([command, flag] as const);
}

const home = makeHome();
beforeAll(async () => {
  const lines = snippets.filter(({ language }) => language === 'sh');
  expect(lines).toHaveLength(1);
  for (const line of lines.flatMap(({ code }) => code.trim().split('\n'))) {
    const words = line.split(' ').slice(1);
    const out = words.at(-1) ?? '';
    const finished = await quantshelf([...words.slice(0, -1), join(home, out)], home);
    expect(finished, line).toMatchObject({ code: 0 });
  }
});

for (const snippet of snippets.filter(({ language }) => language !== 'sh')) {
  const { language, code: text } = snippet;
  const loaded = text.match(/pandas|duckdb|RSQLite/)?.[0] ?? 'the standard library';
  it(`the ${language} snippet in docs/python.md that uses ${loaded} prints its rows`, async ({
    skip,
  }) => {
    const [command, flag] =
      findInterpreter(snippet) ?? skip(`${language} or ${loaded} is not here`);
    const { code, stdout, stderr } = await runProcess(command, [flag, text], { cwd: home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n').length).toBeGreaterThan(1);
  });
}

it('docs/python.md names every column of the SQL views of papers and markets', () => {
  const db = openReadOnly(storeIn(home));
  for (const view of ['papers', 'paper_sections', 'events', 'event_markets']) {
    const columns = db.prepare(`SELECT * FROM ${view}`).columns();
    const row = PAGE.split('\n').find((line) => line.startsWith(`| \`${view}\``)) ?? '';
    const names = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name).slice(1);
    expect(names, view).toEqual(columns.map(({ name }) => name));
  }
  db.close();
});
