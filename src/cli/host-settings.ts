import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  findNodeAtLocation,
  format,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { parse as parseToml, stringify, TomlError } from 'smol-toml';
import { type entryOf, type Host, SERVER_NAME } from './hosts.ts';

type Entry = ReturnType<typeof entryOf>;

/** The settings cannot be extended; the message says why. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The part of a host's settings that lists QuantShelf, in the form of its file. */
export function renderSettings(host: Host, entry: Entry): string {
  const settings = { [host.servers]: { [SERVER_NAME]: entry } };
  return host.format === 'toml' ? stringify(settings).trimEnd() : JSON.stringify(settings, null, 2);
}

/**
 * The text of a settings file with QuantShelf listed; everything else stays as it is, comments and
 * form included. The same text if it is listed so already. Throws a SettingsError when the text is
 * not well-formed, or lists servers in a way that cannot be extended.
 */
export function addToSettings(text: string, host: Host, entry: Entry): string {
  // Editors of Windows begin a file with this mark, which no parser takes.
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const add = host.format === 'toml' ? addToToml : addToJson;
  return bom + add(text.slice(bom.length), host, entry);
}

function addToJson(text: string, { servers }: Host, entry: Entry): string {
  const before = text.trim() === '' ? '{}\n' : text;
  const settings = readJson(before);
  const held = at(settings, servers);
  const wanted = withOwn(held, entry);
  if (isDeepStrictEqual(held, wanted)) return text;
  const list: unknown = Reflect.get(settings, servers);
  if (list !== undefined && (typeof list !== 'object' || list === null || Array.isArray(list))) {
    throw new SettingsError(`its "${servers}" is not an object`);
  }
  // What is edited is the first of a name, what hosts read is the last.
  const root = parseTree(before);
  const edited = root && findNodeAtLocation(root, [servers]);
  const isEditable = edited === undefined || edited.type === 'object';
  const after = isEditable ? insertIntoJson(before, [servers, SERVER_NAME], wanted) : before;
  if (isDeepStrictEqual(at(readJson(after), servers), wanted)) return after;
  throw new SettingsError(
    `it names "${servers}", or "${SERVER_NAME}" among them, more than once; keep one`,
  );
}

/** JSON with a value at a path, laid out as the rest is; only the value itself is laid out. */
function insertIntoJson(text: string, path: string[], value: unknown): string {
  const edits = modify(text, path, value, {});
  const after = applyEdits(text, edits);
  const [edit] = edits;
  const isOneLine = !text.trim().includes('\n') && !/^\s*\{\s*\}\s*$/.test(text);
  if (edit === undefined || isOneLine) return after;
  const indent = /\n(\t| +)"/.exec(text)?.[1] ?? '  ';
  // With the gaps around it, where an object that was empty opens and closes.
  const range = { offset: edit.offset - 1, length: edit.content.length + 2 };
  const layout = format(after, range, {
    insertSpaces: indent !== '\t',
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  });
  return applyEdits(after, layout);
}
function readJson(text: string): object {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new SettingsError(`line ${line} is not valid JSON (${printParseErrorCode(first.error)})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SettingsError('it is not a JSON object');
  }
  return value;
}

/** Appends a table; what is there is not rewritten, since a writer of TOML would lose comments. */
function addToToml(text: string, host: Host, entry: Entry): string {
  const held = at(readToml(text), host.servers);
  if (held !== undefined && isDeepStrictEqual(held, withOwn(held, entry))) return text;
  if (held !== undefined) {
    throw new SettingsError(
      `it has a table [${host.servers}.${SERVER_NAME}] already; change that by hand`,
    );
  }
  const gap = text.trim() === '' ? '' : '\n\n';
  const table = `${gap}${renderSettings(host, entry)}\n`;
  const after = text.trimEnd() + (text.includes('\r\n') ? table.replaceAll('\n', '\r\n') : table);
  if (listsInToml(after, host, entry)) return after;
  throw new SettingsError(
    `its "${host.servers}" is no table that can be extended; write it as [${host.servers}.NAME]`,
  );
}

function listsInToml(text: string, { servers }: Host, entry: Entry): boolean {
  try {
    return isDeepStrictEqual(at(readToml(text), servers), entry);
  } catch {
    // What was well-formed before has lost that by the new table.
    return false;
  }
}

function readToml(text: string): unknown {
  try {
    // Copied: its tables have no prototype, which would make equal ones unequal.
    return JSON.parse(JSON.stringify(parseToml(text)));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new SettingsError(`line ${error.line} is not valid TOML`);
  }
}

/** The entry with what the user added to the one that is there, such as `env` with a key. */
function withOwn(held: unknown, entry: Entry): object {
  return { ...(typeof held === 'object' && !Array.isArray(held) ? held : {}), ...entry };
}

function at(settings: unknown, servers: string): unknown {
  const list: unknown = Reflect.get(Object(settings), servers);
  return Reflect.get(Object(list), SERVER_NAME);
}
