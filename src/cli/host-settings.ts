import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
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
 * The text of a settings file with QuantShelf listed. Comments and all other settings stay; JSON beside
 * the new entry may be indented anew. The same text if it is listed so already. Throws a SettingsError when the text is not
 * well-formed, or lists servers in a way that cannot be extended.
 */
export function addToSettings(text: string, host: Host, entry: Entry): string {
  return host.format === 'toml' ? addToToml(text, host, entry) : addToJson(text, host, entry);
}

function addToJson(text: string, { servers }: Host, entry: Entry): string {
  const before = text.trim() === '' ? '{}\n' : text;
  const settings = readJson(before);
  if (isDeepStrictEqual(at(settings, servers), entry)) return text;
  const list: unknown = Reflect.get(settings, servers) ?? {};
  if (typeof list !== 'object' || Array.isArray(list)) {
    throw new SettingsError(`its "${servers}" is not an object`);
  }
  const indented = /\n(\t| +)\S/.exec(before)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: indented !== '\t',
    tabSize: indented === '\t' ? 1 : indented.length,
    eol: before.includes('\r\n') ? '\r\n' : '\n',
  };
  const after = applyEdits(
    before,
    modify(before, [servers, SERVER_NAME], entry, { formattingOptions }),
  );
  return after;
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
  if (isDeepStrictEqual(held, entry)) return text;
  if (held !== undefined) {
    throw new SettingsError(
      `it has a table [${host.servers}.${SERVER_NAME}] already; change that by hand`,
    );
  }
  const gap = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`;
  const after = `${gap}${renderSettings(host, entry)}\n`;
  if (!isDeepStrictEqual(at(readToml(after), host.servers), entry)) {
    throw new SettingsError(`its "${host.servers}" cannot be extended`);
  }
  return after;
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

function at(settings: unknown, servers: string): unknown {
  const list: unknown = Reflect.get(Object(settings), servers);
  return Reflect.get(Object(list), SERVER_NAME);
}
