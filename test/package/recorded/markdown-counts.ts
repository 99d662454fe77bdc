/** The formulas of Markdown, without white space. */
interface Formulas {
  inline: string[];
  /** One entry per row of a displayed group, with its cells joined. */
  rows: string[];
  /** TeX without delimiters in listings and fenced tables. */
  bare: string[];
}

/** A normal form of TeX, for comparison. */
export function normalise(tex: string): string {
  return tex
    .replace(/%[ \t]*\n\s*/g, '')
    .replace(/\\displaystyle(?![a-zA-Z])/g, '')
    .replace(/\\vert(?![a-zA-Z])/g, '|')
    .replace(/\\Vert(?![a-zA-Z])/g, '\\|')
    .replace(/\\[()]|\$/g, '')
    .replace(/[\s&\u00ad\u200b-\u200f\u2060-\u2064]/g, '')
    .normalize('NFC');
}

/** The formulas of Markdown, by their dollar signs. */
function formulasOfMarkdown(markdown: string): Formulas {
  const formulas: Formulas = { inline: [], rows: [], bare: [] };
  const plain = markdown.replace(/^(?:> ?)+/gm, '');
  const withoutCode = plain.replace(/^([ >]*)(`{3,})[^\n]*\n[\s\S]*?\n[ >]*\2$/gm, (code) => {
    formulas.bare.push(normalise(code));
    return '';
  });
  const withoutBlocks = withoutCode.replace(
    /^[^\S\n]*(?:[-*>] |\d+[.)] )*\$\$\n([\s\S]*?)\n[^\S\n]*\$\$$/gm,
    (_, block: string) => {
      const body = block
        .replace(/\\tag\*?\{.*\}/g, '')
        .replace(/^\s*\\(?:begin|end)\{aligned\}$/gm, '')
        .replace(/ \\qquad /g, ' ');
      for (const line of body.split(/ \\\\\n/)) {
        const tex = normalise(line);
        if (tex !== '') formulas.rows.push(tex);
      }
      return '';
    },
  );
  const TOKEN = /\\[\s\S]|(`+)[^`][\s\S]*?[^`]?\1(?!`)|(\$+)([\s\S]*?[^$])\2(?!\$)/g;
  for (const [, , dollars, tex] of withoutBlocks.matchAll(TOKEN)) {
    if (dollars !== undefined && tex !== undefined) formulas.inline.push(normalise(tex));
  }
  return formulas;
}

/** The words of a formula. */
export function wordsOfTex(tex: string): string {
  return ` ${[...tex.matchAll(/\\text\{([^{}]*)\}/g)].map(([, words]) => words).join(' ')} `;
}

export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').match(/[\p{L}\p{N}]{2,}/gu) ?? [];
}

/** Letters and digits, to compare a heading with the line that it became. */
export function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
}

/** Headings, and the bold words that start a paragraph. */
export function headingsOf(markdown: string): Set<string> {
  const lines = markdown.match(/^#+ .*$|\*\*.+?\*\*/gm) ?? [];
  return new Set(lines.map((line) => plain(line.replace(/\$[^$]*\$|\[\^[^\]]*\]/g, ''))));
}

/** Markdown without formulas, URLs and note marks. */
export function proseOf(markdown: string): string {
  return markdown
    .replace(/\$\$[\s\S]*?\$\$|(?<!\\)\$(?:\\[\s\S]|[^$\\])*\$/g, wordsOfTex)
    .replace(/\]\([^)]*\)/g, '] ')
    .replace(/\[\^[^\]]*\]:?/g, ' ')
    .replace(/\\[!-~]/g, ' ')
    .replace(/[*`]/g, '');
}

/** The tables of a text, including fenced ones, as rows of cells. */
export function tablesOf(markdown: string): string[][][] {
  const tables = markdown.match(/^[ >]*\|.*\n[ >]*(?:\| - ?)+\|(?:\n[ >]*\|.*)*/gm) ?? [];
  const fenced = [...markdown.matchAll(/```text\n([\s\S]*?)```/g)]
    .map(([, body = '']) => body)
    .filter((body) => / \| /.test(body));
  const cells = (line: string) => line.split(/(?<!\\)\|/);
  return [...tables, ...fenced].map((table) =>
    table
      .split('\n')
      .filter((line) => !/^[ >]*(?:\| - ?)+\|$/.test(line))
      .map(cells),
  );
}

export function worksOf(markdown: string): number {
  const works = /^# References\n([\s\S]*?)(?=^# |$(?![\s\S]))/m.exec(markdown)?.[1] ?? '';
  return works.match(/^- /gm)?.length ?? 0;
}

/** Formulas of the page that are in the text: inline ones exactly, others inside a displayed block. */
export function foundFormulas(formulas: readonly string[], markdown: string): number {
  const { inline, rows, bare } = formulasOfMarkdown(markdown);
  const left = new Map<string, number>();
  for (const tex of inline) left.set(tex, (left.get(tex) ?? 0) + 1);
  let pool = [...rows, ...bare].join('\n');
  const longestFirst = [...formulas].sort((one, other) => other.length - one.length);
  return longestFirst.filter((tex) => {
    const count = left.get(tex) ?? 0;
    if (count > 0) {
      left.set(tex, count - 1);
      return true;
    }
    if (!pool.includes(tex)) return false;
    pool = pool.replace(tex, () => '\u0001');
    return true;
  }).length;
}
