import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
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
  root: string;
  /** Namespace of the root. */
  uri: string;
  /** Name of the element for one paper. */
  item: string;
}

/** arXiv's largest pages have 2,500 records. */
const MAX_ITEMS = 20_000;
/** arXiv's documents have a depth of 7. */
const MAX_DEPTH = 50;
/** Elements of one item, or of everything around the items; 3,000 authors have some 12,000. */
const MAX_ELEMENTS = 50_000;
/** Characters of one item, or of everything around the items; 3,000 authors have under a million. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** Characters parsed before other calls get a turn: 15 ms or less. */
const SLICE = 32 * 1024;

/**
 * Parses a document without its items, then each item by itself, and converts the items. A malformed
 * item is `broken`, with a reason in our words, and the others are still read. Entities that the
 * document declares are never expanded. Throws an InvalidResponseError where the document around the
 * items is malformed, truncated or has another root. Takes linear time.
 */
export async function readXml<T>(
  body: Buffer,
  { root: name, uri, item }: XmlShape,
  convert: (element: XmlElement) => T,
) {
  const { frame, sources } = cutItems(body.toString('utf8'), item);
  const root = await parseXml(frame).catch((error: unknown) => {
    if (!(error instanceof XmlFault)) throw error;
    throw new InvalidResponseError(`arXiv sent ${error.message}.`, { cause: error });
  });
  if (root?.name !== name || !Object.values(root.attributes).includes(uri)) {
    throw new InvalidResponseError(`arXiv sent something other than ${name}.`);
  }
  const items: T[] = [];
  const broken: { source: string; reason: string }[] = [];
  for (const source of sources) {
    try {
      const element = await parseXml(source);
      if (element !== undefined) items.push(convert(element));
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error;
      broken.push({ source, reason: error.message });
    }
  }
  return { root, items, broken };
}

/** Cuts a document into its items, each from its start tag to the first end tag, and what is around them. */
function cutItems(text: string, item: string): { frame: string; sources: string[] } {
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
  const sources = starts.map((start, at) => {
    const source = text.slice(start, starts[at + 1]);
    const tag = end.exec(source);
    const length = tag === null ? source.length : tag.index + tag[0].length;
    frame += source.slice(length);
    return source.slice(0, length);
  });
  return { frame, sources };
}

/** The root of a text; undefined for a text without an element. */
async function parseXml(text: string): Promise<XmlElement | undefined> {
  if (text.length > MAX_LENGTH) throw new XmlFault('too much XML');
  // Resolving namespaces walks all open elements at every tag.
  const parser = new SaxesParser({ xmlns: false, position: false });
  let root: XmlElement | undefined;
  const open: XmlElement[] = [];
  let count = 0;
  const addText = (more: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  parser.on('error', () => {
    throw new XmlFault('malformed XML');
  });
  parser.on('opentag', ({ name, attributes }) => {
    count += 1;
    if (count > MAX_ELEMENTS) throw new XmlFault('too many XML elements');
    if (open.length >= MAX_DEPTH) throw new XmlFault('XML nested too deeply');
    const element = { name: name.slice(name.indexOf(':') + 1), attributes, text: '', children: [] };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => open.pop());
  for (let at = 0; at < text.length; at += SLICE) {
    await yieldToEventLoop();
    parser.write(text.slice(at, at + SLICE));
  }
  parser.close();
  return root;
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
