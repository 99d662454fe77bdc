import { isAbsolute, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  parse as parseToml,
  patch as patchToml,
  stringify as stringifyToml,
} from '@decimalturn/toml-patch';
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { parseDocument, stringify as stringifyYaml } from 'yaml';
import hostFile from '../../data/hosts.json' with { type: 'json' };
import type { Config } from '../config.ts';

type Json = string | number | boolean | readonly string[];

/** An MCP host: its label for users, and how its settings declare a server. */
export interface Host {
  label: string;
  /** Settings path by platform, with folder placeholders in braces. */
  files: { linux: string; darwin: string; win32: string };
  /** Alternative name of the settings file, in the same folder. */
  otherName?: string;
  /** `json`, `toml` or `yaml`. */
  format: string;
  /** Key of the object that lists the servers. */
  servers: string;
  /** The server's entry, with placeholders in braces, which `entryOf` fills in. */
  entry: Readonly<Record<string, string | number | boolean>>;
}

/** The format that most hosts read, used for unknown hosts. */
export const GENERIC_HOST = {
  format: 'json',
  servers: 'mcpServers',
  entry: { command: '{command}', args: '{args}' },
} as const satisfies Pick<Host, 'format' | 'servers' | 'entry'>;

/** The server's name in host settings. */
export const SERVER_NAME = 'quantshelf';

export const HOSTS = hostFile.hosts;

/** Default folder for each placeholder in settings paths, except `{home}`. */
export const FOLDERS: Readonly<Record<string, string>> = hostFile.folders;

/** Finds a host by name, ignoring case; undefined if unknown. */
export function hostOf(name: string): Host | undefined {
  return Object.entries<Host>(HOSTS).find(([each]) => each === name.toLowerCase())?.[1];
}

/** Path of a host's settings; `moved` has the folders that environment variables set. */
export function settingsPath(
  { files }: Pick<Host, 'files'>,
  platform: NodeJS.Platform,
  home: string,
  moved: Config['hostFolders'] = {},
): string {
  const path = files[platform === 'win32' || platform === 'darwin' ? platform : 'linux'];
  const placed = path.replace(/\{(\w+)\}/, (whole, name: string) => {
    const folder = moved[name];
    return folder !== undefined && isAbsolute(folder) ? folder : (FOLDERS[name] ?? whole);
  });
  return join(placed.replace('{home}', () => home));
}

/** The entry that a host lists under `SERVER_NAME`. On Windows, npx is a script and needs the shell. */
export function entryOf(
  { entry }: Pick<Host, 'entry'>,
  platform: NodeJS.Platform,
): Readonly<Record<string, Json>> {
  const isWindows = platform === 'win32';
  const command = isWindows ? 'cmd' : 'npx';
  const args = [...(isWindows ? ['/c', 'npx'] : []), '-y', 'quantshelf'];
  const values: ReadonlyMap<unknown, Json> = new Map<unknown, Json>([
    ['{command}', command],
    ['{args}', args],
    ['{words}', [command, ...args]],
    ['{all}', ['*']],
  ]);
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, values.get(value) ?? value]),
  );
}

type Entry = ReturnType<typeof entryOf>;
type Form = Pick<Host, 'format' | 'servers'>;

/** Thrown if settings cannot be extended; the message says why. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

interface Syntax {
  render(settings: object): string;
  /** Throws a SettingsError if the text is malformed. */
  read(text: string): unknown;
  /** Returns the text with `entry` in `servers` under `SERVER_NAME`, replacing an older entry. */
  insert(text: string, servers: string, entry: object): string;
}

const YAML_FORM = { lineWidth: 0 } as const;

const json: Syntax = {
  render: (settings) => JSON.stringify(settings, null, 2),
  read: readJson,
  insert(text, servers, entry) {
    const before = text.trim() === '' ? '{}\n' : text;
    // If the key `servers` is repeated, an edit would change its first value, which may not be an object.
    const root = parseTree(before);
    const list = root && findNodeAtLocation(root, [servers]);
    const isEditable = list === undefined || list.type === 'object';
    return isEditable ? insertIntoJson(before, [servers, SERVER_NAME], entry) : before;
  },
};

const toml: Syntax = { render: renderToml, read: readToml, insert: insertIntoToml };

const yaml: Syntax = {
  render: (settings) => stringifyYaml(settings, YAML_FORM).trimEnd(),
  read: (text) => readYaml(text).toJS(),
  insert(text, servers, entry) {
    const document = readYaml(text);
    document.setIn([servers, SERVER_NAME], document.createNode(entry));
    const after = document.toString(YAML_FORM);
    return text.includes('\r\n') ? after.replaceAll('\n', '\r\n') : after;
  },
};

const SYNTAXES: Readonly<Record<string, Syntax>> = { toml, yaml };

/** The part of a host's settings that lists QuantShelf, in the file's syntax. */
export function renderSettings({ format, servers }: Form, entry: Entry): string {
  const { render } = SYNTAXES[format] ?? json;
  return render({ [servers]: { [SERVER_NAME]: entry } });
}

/**
 * The text of a settings file with QuantShelf added, and whether it was listed before. Keeps everything else,
 * including comments and the user's additions to the entry, such as `env` with a key. Throws a SettingsError
 * if the text is malformed, or lists servers in a form that cannot be extended.
 */
export function addToSettings(text: string, { format, servers }: Form, entry: Entry) {
  const syntax = SYNTAXES[format] ?? json;
  // Some Windows editors begin a file with a byte order mark, which not every parser accepts.
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(bom.length);
  const before = asObject(syntax.read(body) ?? {}, 'its content is not an object');
  const list = asObject(Reflect.get(before, servers) ?? {}, `its "${servers}" is not an object`);
  const stored: unknown = Reflect.get(list, SERVER_NAME);
  const target = { ...(Array.isArray(stored) ? {} : Object(stored)), ...entry };
  const isUpdate = stored !== undefined;
  if (isDeepStrictEqual(stored, target)) return { text, isUpdate };
  const after = syntax.insert(body, servers, target);
  const expected = { ...before, [servers]: { ...list, [SERVER_NAME]: target } };
  if (isDeepStrictEqual(readAgain(syntax, after), expected)) return { text: bom + after, isUpdate };
  throw new SettingsError(
    `"${servers}", or "${SERVER_NAME}" in it, appears more than once or in a form that cannot be extended`,
  );
}

/** Parses an edited text; undefined if the edit broke the syntax. */
function readAgain(syntax: Syntax, text: string): unknown {
  try {
    return syntax.read(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown, otherwise: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new SettingsError(otherwise);
}

/** Sets a value in JSON at a path, matching the existing indentation and line breaks. */
function insertIntoJson(text: string, path: string[], value: unknown): string {
  const indent = /\n(\t| +)"/.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: indent !== '\t',
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

function readJson(text: string): unknown {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split('\n').length;
  throw new SettingsError(`line ${line} is not valid JSON (${printParseErrorCode(first.error)})`);
}

function renderToml(settings: object): string {
  // The header of the outer table is redundant.
  return stringifyToml(settings, { inlineTableStart: 2 })
    .replace(/^\[\w+\]\n+/, '')
    .trimEnd();
}

/** Appends a table if possible; otherwise patches the existing list of servers. */
function insertIntoToml(text: string, servers: string, entry: object): string {
  const settings = Object(parseToml(text));
  const list = Object(settings[servers]);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const table = `${renderToml({ [servers]: { [SERVER_NAME]: entry } })}\n`.replaceAll('\n', eol);
  const appended = text.trim() === '' ? table : `${text.trimEnd()}${eol}${eol}${table}`;
  if (!Object.hasOwn(list, SERVER_NAME) && readAgain(toml, appended) !== undefined) return appended;
  return patchToml(text, { ...settings, [servers]: { ...list, [SERVER_NAME]: entry } });
}

function readToml(text: string): unknown {
  try {
    // Dates and large numbers are compared as text.
    const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
    return JSON.parse(JSON.stringify(parseToml(text), plain));
  } catch (error) {
    if (!(error instanceof Error && 'line' in error)) throw error;
    throw new SettingsError(`line ${error.line} is not valid TOML`);
  }
}

function readYaml(text: string) {
  const document = parseDocument(text, { prettyErrors: true });
  const [first] = document.errors;
  if (first === undefined) return document;
  throw new SettingsError(`line ${first.linePos?.[0].line ?? 1} is not valid YAML`);
}
