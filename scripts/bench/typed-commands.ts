import * as z from 'zod';

/** JSON in a text, as far as the page shows it. */
const replySchema = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('no JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.object({
      meta: z.object({ verdict: z.string().optional(), notice: z.string().optional() }).optional(),
      error: z.object({ message: z.string() }).optional(),
    }),
  );

/** A command of the README, as it is typed. */
export interface TypedCommand {
  command: string;
  /** Whether it runs until it is stopped, in a terminal of its own. */
  isServer: boolean;
}

/**
 * The commands in the text of the README in its order, each once: the lines of its shell blocks, those
 * after `$` in its exchange, and `npx` and `npm` commands within sentences and tables.
 */
export function readCommands(text: string): TypedCommand[] {
  const places = text.matchAll(
    /^```sh\n(?<block>[\s\S]*?)^```|^\$ (?<line>.*)$|`(?<inline>(?:npx -y quantshelf|npm ci)[^`\n]*)`/gm,
  );
  const commands = [...places].flatMap(({ groups = {} }) =>
    [groups.block?.split('\n'), groups.line, groups.inline].flat().filter((line) => line?.trim()),
  );
  return [...new Set(commands)].flatMap((line) => {
    const command = line?.replace(/\s+# .*$/, '').trim() ?? '';
    return [{ command, isServer: /\bquantshelf serve\b/.test(command) }];
  });
}

/** Why a command of the README is not typed in an empty home; undefined where it is. */
export function whyNotTyped(command: string): string | undefined {
  if (command.startsWith('npm ci')) return 'in a copy of the source; CI runs it';
  return undefined;
}

const LENGTH = 120;

/** What a command said, on one line of at most 120 characters: of a reply, its verdict and notice. */
export function summarise(stdout: string, stderr: string): string {
  const reply = readReply(stdout);
  const [first = ''] = [stdout, stderr].flatMap((text) => text.split('\n').filter(hasText));
  const said = reply ?? first;
  const points = [...said.trim()];
  if (points.length <= LENGTH) return said.trim();
  const cut = points.slice(0, LENGTH - 1).join('');
  return `${cut.replace(/(?<=\s)\S*$/, '')}…`;
}

function hasText(line: string): boolean {
  return line.trim() !== '';
}

function readReply(text: string): string | undefined {
  const read = replySchema.safeParse(text);
  if (!read.success) return undefined;
  const { meta, error } = read.data;
  const parts = [
    meta?.verdict && `verdict ${meta.verdict}`,
    meta?.notice && `notice: ${meta.notice}`,
    error && `error: ${error.message}`,
  ];
  return parts.filter(Boolean).join('; ') || 'a reply without notice';
}
