import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { InvalidResponseError } from '../../../../upstream/errors.ts';
import { cutItems } from './cut.ts';
import { repairXml, XmlFault } from './repair.ts';

export interface XmlElement {
  /** Without its prefix: in arXiv's documents no two namespaces share a name that we read. */
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** Its own text, without that of its children. */
  text: string;
  children: XmlElement[];
}

export interface XmlShape {
  root: { name: string; uri: string };
  /** Names of the elements to hand over. */
  wanted: ReadonlySet<string>;
  /** The one of them that stands for a paper: where it is broken, the rest is read without it. */
  item: string;
  /** Global patterns of the tags that can follow the last item, the surest first. */
  behind: readonly RegExp[];
}

/** An item that is no well-formed XML, or that no honest record looks like. */
export interface BrokenItem {
  /** As it came. */
  source: string;
  /** In our words, such as 'malformed XML'. */
  reason: string;
}

export interface XmlReading<T> {
  /** What was made of each wanted element, in no promised order. */
  parts: T[];
  broken: BrokenItem[];
  /** The last item lacks its end tag, so what stood behind it may be lost with it. */
  openEnded: boolean;
}

/** arXiv's own documents are 7 deep. */
const MAX_DEPTH = 50;
/** In one element that is handed over; a record of 3,000 authors has some 12,000. */
const MAX_ELEMENTS = 50_000;

/**
 * Reads an XML document and makes a part of each wanted element, whole; elements inside of it belong
 * to it. Entities that the document declares are never expanded. Broken items are named, the others
 * are read all the same. Throws a InvalidResponseError where the document around them is malformed, cut short or
 * of another root. Time is linear in its length.
 */
export function readXml<T>(
  body: Buffer,
  shape: XmlShape,
  convert: (element: XmlElement) => T,
): XmlReading<T> {
  const text = body.toString('utf8');
  const { root, wanted } = shape;
  try {
    const parts = parseElements(text, { root, wanted }, convert);
    return { parts, broken: [], openEnded: false };
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    return readAroundBroken(text, shape, convert);
  }
}

/** The document without its items must be whole; each item is read by itself. */
function readAroundBroken<T>(
  text: string,
  { root, wanted, item, behind }: XmlShape,
  convert: (element: XmlElement) => T,
): XmlReading<T> {
  const { frame, items, openEnded } = cutItems(text, item, behind);
  const parts = parseFrame(frame, { root, wanted }, convert);
  const broken: BrokenItem[] = [];
  const only = { root: null, wanted: new Set([item]) };
  for (const source of items) {
    try {
      parts.push(...parseElements(source, only, convert));
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error;
      broken.push({ source, reason: error.message });
    }
  }
  return { parts, broken, openEnded };
}

function parseFrame<T>(
  frame: string,
  expected: Pick<XmlShape, 'root' | 'wanted'>,
  convert: (element: XmlElement) => T,
): T[] {
  try {
    return parseElements(frame, expected, convert);
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    throw new InvalidResponseError(`arXiv sent ${error.message}.`, { cause: error });
  }
}

function parseElements<T>(
  text: string,
  { root, wanted }: { root: XmlShape['root'] | null; wanted: ReadonlySet<string> },
  convert: (element: XmlElement) => T,
): T[] {
  // Namespaces cost a walk up all open elements for every tag, and only the root's matters.
  const parser = new SaxesParser({ xmlns: false, position: false });
  const parts: T[] = [];
  const open: XmlElement[] = [];
  let depth = 0;
  let count = 0;
  const addText = (more: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  parser.on('error', () => {
    throw new XmlFault('malformed XML');
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new XmlFault('XML nested too deep');
    if (depth === 1 && root !== null) {
      expectRoot(tag, root);
      return;
    }
    const name = localName(tag.name);
    const parent = open.at(-1);
    if (parent === undefined && !wanted.has(name)) return;
    count += 1;
    if (count > MAX_ELEMENTS) throw new XmlFault('XML of too many elements');
    const element = { name, attributes: tag.attributes, text: '', children: [] };
    parent?.children.push(element);
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    depth -= 1;
    const element = open.pop();
    if (element === undefined || open.length > 0) return;
    count = 0;
    parts.push(convert(element));
  });
  parser.write(repairXml(text)).close();
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

/** The first child of that name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The text of the first child of that name, '' without one. */
export function textOf(element: XmlElement | undefined, name: string): string {
  return childOf(element, name)?.text ?? '';
}
