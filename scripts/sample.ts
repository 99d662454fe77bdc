import { createHash } from 'node:crypto';
import { readSources } from '../test/imports.ts';

/*
 * `npm run sample [SEED]`: draws comments, messages and test titles, whose English a reader then
 * judges. A seed draws the same ones from the same tree.
 */

type Found = [at: number, text: string];

const COMMENT = /\/\*.*?\*\/|(?:^ *\/\/[^\n]*\n)+/gms;
const MARKS = /^\s*(?:\/\*\*?|\/\/|\*(?!\/))|\*\/$/gm;
const STRING = /(['`])(?:\\.|(?!\1)[^\n\\])*\1/g;
/** The title of a block or a test, also below a table, behind its indentation. */
const TITLE = /^( *)(?:(describe)\b|it\b|\]\)(?=\())[^'"`\n]*?\(\s*(['"`])((?:\\.|(?!\3).)+)\3/gm;

function findComments(source: string): Found[] {
  return [...source.matchAll(COMMENT)].map((match) => [match.index, match[0].replace(MARKS, '')]);
}

/** Sentences and parts of them; no SQL. */
function findMessages(source: string): Found[] {
  const code = source.replace(COMMENT, (comment) => comment.replace(/\S/g, ' '));
  return [...code.matchAll(STRING)]
    .filter(([text]) => !/\b(?:SELECT|FROM|WHERE|INSERT|UPDATE)\b/.test(text))
    .map((match) => [match.index, match[0]]);
}

/** Each title after those of the blocks that it stands in. */
function findTitles(source: string): Found[] {
  let blocks: { depth: number; title: string }[] = [];
  return [...source.matchAll(TITLE)].flatMap((match): Found[] => {
    const [, { length: depth } = '', block, , title = ''] = match;
    blocks = blocks.filter((outer) => outer.depth < depth);
    const whole = [...blocks.map((outer) => outer.title), title].join(' > ');
    if (block === undefined) return [[match.index, whole]];
    blocks.push({ depth, title });
    return [];
  });
}

function draw(name: string, count: number, folder: string, find: (source: string) => Found[]) {
  const lines = readSources(folder).flatMap(({ path, text: source }) =>
    find(source).flatMap(([at, found]) => {
      const text = found.replace(/\s+/g, ' ').trim();
      const words = text.replace(/\$\{[^}]*\}/g, '').split(' ');
      if (words.filter((word) => /^[\W_]*[A-Za-z]{2}/.test(word)).length < 4) return [];
      const rank = createHash('sha256').update(`${seed} ${path} ${text}`).digest('hex');
      return [`${rank} ${path}:${source.slice(0, at).split('\n').length}  ${text}`];
    }),
  );
  const drawn = lines.toSorted().slice(0, count);
  process.stdout.write(`\n${name}\n${drawn.map((line) => line.slice(65)).join('\n')}\n`);
}

const [seed = '1'] = process.argv.slice(2);
draw('comments', 60, 'src', findComments);
draw('messages', 60, 'src', findMessages);
draw('titles', 30, 'test', findTitles);
