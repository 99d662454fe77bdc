import { createHash } from 'node:crypto';
import { readCode } from '../test/imports.ts';

/*
 * `npm run sample [SEED]`: draws comments, messages and test titles for a reader to judge their English. A
 * seed draws the same ones from the same tree.
 */

type Excerpt = [at: number, text: string];

const COMMENT = /\/\*.*?\*\/|(?:^ *\/\/[^\n]*\n)+/gms;
const MARKS = /^\s*(?:\/\*\*?|\/\/|\*(?!\/))|\*\/$/gm;
const STRING = /(['`])(?:\\.|(?!\1)[^\n\\])*\1/g;
/** Matches the indentation and the title of a block or a test, including one below a table. */
const TITLE =
  /^( *)(?:(describe)\w*(?:\.skipIf\([^\n]*?\)(?=\())?|it\b|\]\)(?=\())[^'"`\n]*?\(\s*(['"`])((?:\\.|(?!\3).)+)\3/gm;

function findComments(code: string): Excerpt[] {
  return [...code.matchAll(COMMENT)].map((match) => [match.index, match[0].replace(MARKS, '')]);
}

/** Strings that are sentences or parts of them, without SQL. */
function findMessages(code: string): Excerpt[] {
  const bare = code.replace(COMMENT, (comment) => comment.replace(/\S/g, ' '));
  return [...bare.matchAll(STRING)]
    .filter(([text]) => !/\b(?:SELECT|FROM|WHERE|INSERT|UPDATE)\b/.test(text))
    .map((match) => [match.index, match[0]]);
}

/** The titles of tests, each preceded by those of its blocks. */
function findTitles(code: string): Excerpt[] {
  let blocks: { depth: number; title: string }[] = [];
  return [...code.matchAll(TITLE)].flatMap((match): Excerpt[] => {
    const [, { length: depth } = '', block, , title = ''] = match;
    blocks = blocks.filter((outer) => outer.depth < depth);
    const whole = [...blocks.map((outer) => outer.title), title].join(' > ');
    if (block === undefined) return [[match.index, whole]];
    blocks.push({ depth, title });
    return [];
  });
}

function draw(name: string, count: number, folder: string, find: (code: string) => Excerpt[]) {
  const lines = readCode(folder).flatMap(({ path, text: code }) =>
    find(code).flatMap(([at, excerpt]) => {
      const text = excerpt.replace(/\s+/g, ' ').trim();
      const words = text.replace(/\$\{[^}]*\}/g, '').split(' ');
      if (words.filter((word) => /^[\W_]*[A-Za-z]{2}/.test(word)).length < 4) return [];
      const rank = createHash('sha256').update(`${seed} ${path} ${text}`).digest('hex');
      return [`${rank} ${path}:${code.slice(0, at).split('\n').length}  ${text}`];
    }),
  );
  const drawn = lines.toSorted().slice(0, count);
  process.stdout.write(`\n${name}\n${drawn.map((line) => line.slice(65)).join('\n')}\n`);
}

const [seed = '1'] = process.argv.slice(2);
draw('comments', 60, 'src', findComments);
draw('messages', 60, 'src', findMessages);
draw('titles', 30, 'test', findTitles);
