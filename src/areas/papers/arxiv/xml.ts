import { SaxesParser } from 'saxes';
import { BadAnswer } from '../../../upstream/polite.ts';

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
}

/** Not allowed in XML even when escaped; one of them in an abstract would bar a whole page for good. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Reads an XML document and hands over each wanted element, whole, as soon as it ends; elements
 * inside of it belong to it. Entities other than XML's own five are not known, declared or
 * not. Throws a BadAnswer for anything malformed, cut short or of another root.
 */
export function readXml(
  body: Buffer,
  { root, wanted }: XmlShape,
  visit: (element: XmlElement) => void,
): void {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const open: XmlElement[] = [];
  let rootSeen = false;
  const addText = (text: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.on('error', () => {
    throw new BadAnswer('arXiv sent malformed XML.');
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (!rootSeen) {
      rootSeen = true;
      if (local !== root.name || uri !== root.uri) {
        throw new BadAnswer(`arXiv sent something other than ${root.name}.`);
      }
      return;
    }
    const parent = open.at(-1);
    if (parent === undefined && !wanted.has(local)) return;
    const element = { name: local, attributes: valuesOf(attributes), text: '', children: [] };
    parent?.children.push(element);
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined && open.length === 0) visit(element);
  });
  parser.write(body.toString('utf8').replace(FORBIDDEN, '')).close();
}

const NONE: Readonly<Record<string, string>> = {};

function valuesOf(attributes: Readonly<Record<string, { value: string }>>) {
  let values: Record<string, string> | undefined;
  for (const name in attributes) {
    values ??= {};
    values[name] = attributes[name]?.value ?? '';
  }
  return values ?? NONE;
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
