import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { InvalidResponseError } from '../../../upstream/errors.ts';

/** A fault in the XML, possibly confined to one item; the message is ours. */
class XmlFault extends Error {}

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
}

/** arXiv's largest pages: 2,500 records, or 20,000 in a list of headers only. */
const MAX_ITEMS = 20_000;

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
 * exceed the limits are `broken`, with a reason in our words, and the others are still read. Throws an
 * InvalidResponseError where the document around the items is malformed, truncated, over the limits or
 * has another root. Takes linear time, and lets the event loop turn meanwhile.
 */
export async function readXml<T>(
  body: Buffer,
  { root, wanted, item }: XmlShape,
  convert: (element: XmlElement) => T,
) {
  const { frame, items } = cutItems(body.toString('utf8'), item);
  const parts = await parseElements(frame, { root, wanted }, convert).catch((error: unknown) => {
    if (!(error instanceof XmlFault)) throw error;
    throw new InvalidResponseError(`arXiv sent ${error.message}.`, { cause: error });
  });
  const broken: { source: string; reason: string }[] = [];
  const only = { root: null, wanted: new Set([item]) };
  for (const source of items) {
    try {
      parts.push(...(await parseElements(source, only, convert)));
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error;
      broken.push({ source, reason: error.message });
      if (broken.length > MAX_BROKEN) {
        throw new InvalidResponseError('arXiv sent a page of too many malformed records.');
      }
    }
  }
  return { parts, broken };
}

/** Cuts a document into its items, each from its start tag to the first end tag, and what is around them. */
function cutItems(text: string, item: string): { frame: string; items: string[] } {
  const prefix = '(?:[\\w.-]+:)?';
  const end = new RegExp(`</${prefix}${item}\\s*>`);
  const starts: number[] = [];
  for (const { index } of text.matchAll(new RegExp(`<${prefix}${item}(?![\\w.-])`, 'g'))) {
    starts.push(index);
    if (starts.length > MAX_ITEMS) {
      throw new InvalidResponseError('arXiv sent a page of too many records.');
    }
  }
  let frame = text.slice(0, starts[0]);
  const items = starts.map((start, at) => {
    const source = text.slice(start, starts[at + 1]);
    const tag = end.exec(source);
    const length = tag === null ? source.length : tag.index + tag[0].length;
    frame += source.slice(length);
    return source.slice(0, length);
  });
  return { frame, items };
}

async function parseElements<T>(
  text: string,
  { root, wanted }: { root: XmlShape['root'] | null; wanted: ReadonlySet<string> },
  convert: (element: XmlElement) => T,
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
  for (let at = 0; at < text.length; at += SLICE) {
    await yieldToEventLoop();
    parser.write(text.slice(at, at + SLICE));
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
