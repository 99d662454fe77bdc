import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { InvalidResponseError } from '../../../upstream/errors.ts';
import { cutItems } from './xml-cut.ts';
import { MAX_REPAIRS, repairXml, XmlFault } from './xml-repair.ts';

export interface XmlElement {
  /** Without its prefix: no name that we read occurs in two namespaces of arXiv's documents. */
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** Its own text, excluding its children's. */
  text: string;
  children: XmlElement[];
}

export interface XmlShape {
  root: { name: string; uri: string };
  /** Names of the elements to convert besides the items. */
  wanted: ReadonlySet<string>;
  /** Name of the element for one paper; broken ones are skipped. */
  item: string;
  /** Global patterns of the tags that can follow the last item, the most reliable first. */
  followers: readonly RegExp[];
}

/** arXiv's documents have a depth of 7. */
const MAX_DEPTH = 50;
/** Elements and attributes of an item, or of all that is around the items; 3,000 authors have some 12,000. */
const MAX_ELEMENTS = 50_000;
/** Characters of the same; those authors have less than a million. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** Characters parsed before other calls have their turn: 15 ms or less, whatever they are. */
const SLICE = 32 * 1024;
/** Each is parsed by itself. A page of 2,500 records with more has a format that we do not know. */
const MAX_BROKEN = 1_000;

/**
 * Parses an XML document without its items, then each item by itself, and converts each outermost
 * wanted element. Entities that the document declares are never expanded. Items that are malformed or
 * exceed the limits are `broken`, with a reason in our words, and the others are still read; `openEnded`
 * is that of `cutItems`. Throws an InvalidResponseError where the document around the items is
 * malformed, truncated, over the limits or has another root. Takes linear time, and lets the event loop
 * turn meanwhile.
 */
export async function readXml<T>(
  body: Buffer,
  { root, wanted, item, followers }: XmlShape,
  convert: (element: XmlElement) => T,
) {
  const { frame, items, openEnded } = cutItems(body.toString('utf8'), item, followers);
  const parts = await parseElements(frame, { root, wanted }, convert).catch((error: unknown) => {
    if (!(error instanceof XmlFault)) throw error;
    throw new InvalidResponseError(`arXiv sent ${error.message}.`, { cause: error });
  });
  const broken: { source: string; reason: string }[] = [];
  const only = { root: null, wanted: new Set([item]) };
  const repairs = { left: MAX_REPAIRS };
  for (const source of items) {
    try {
      parts.push(...(await parseElements(source, only, convert, repairs)));
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error;
      broken.push({ source, reason: error.message });
      if (broken.length > MAX_BROKEN) {
        throw new InvalidResponseError('arXiv sent a page of too many malformed records.');
      }
    }
  }
  return { parts, broken, openEnded };
}

async function parseElements<T>(
  text: string,
  { root, wanted }: { root: XmlShape['root'] | null; wanted: ReadonlySet<string> },
  convert: (element: XmlElement) => T,
  repairs = { left: MAX_REPAIRS },
): Promise<T[]> {
  if (text.length > MAX_LENGTH) throw new XmlFault('too much XML');
  // Resolving namespaces walks all open elements at every tag, and only the root's matters.
  const parser = new SaxesParser({ xmlns: false, position: false });
  const parts: T[] = [];
  const open: XmlElement[] = [];
  let depth = 0;
  let count = 0;
  const addOne = () => {
    count += 1;
    if (count > MAX_ELEMENTS) throw new XmlFault('too many XML elements');
  };
  const addText = (more: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  parser.on('error', () => {
    throw new XmlFault('malformed XML');
  });
  parser.on('attribute', addOne);
  parser.on('opentag', (tag) => {
    addOne();
    depth += 1;
    if (depth > MAX_DEPTH) throw new XmlFault('XML nested too deeply');
    if (depth === 1 && root !== null) {
      expectRoot(tag, root);
      return;
    }
    const name = localName(tag.name);
    const parent = open.at(-1);
    if (parent === undefined && !wanted.has(name)) return;
    const element = { name, attributes: tag.attributes, text: '', children: [] };
    parent?.children.push(element);
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    depth -= 1;
    const element = open.pop();
    if (element !== undefined && open.length === 0) parts.push(convert(element));
  });
  const repaired = repairXml(text, repairs);
  for (let at = 0; at < repaired.length; at += SLICE) {
    await yieldToEventLoop();
    parser.write(repaired.slice(at, at + SLICE));
  }
  parser.close();
  return parts;
}

function expectRoot({ name, attributes }: SaxesTagPlain, root: XmlShape['root']): void {
  const local = localName(name);
  const prefix = name.slice(0, -local.length);
  const uri = attributes[prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`];
  if (local !== root.name || uri !== root.uri) {
    throw new InvalidResponseError(`arXiv sent something other than ${root.name}.`);
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The first child with this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The text of the first child with this name, '' without one. */
export function textOf(element: XmlElement | undefined, name: string): string {
  return childOf(element, name)?.text ?? '';
}
