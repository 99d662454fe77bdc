import { SaxesParser } from 'saxes';
import { InvalidResponseError } from '../../../upstream/failures.ts';

export interface XmlElement {
  /** Without its prefix: no name that we read occurs in two namespaces of arXiv's documents. */
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** Its own text, excluding its children's. */
  text: string;
  children: XmlElement[];
}

/** Characters of a text; 3,000 authors have under a million. */
const MAX_LENGTH = 2_000_000;

/**
 * The root of a text, or undefined where there is none. Entities that the document declares are never
 * expanded. Throws an InvalidResponseError for what is malformed or too long.
 */
export function parseXml(text: string): XmlElement | undefined {
  if (text.length > MAX_LENGTH) throw new InvalidResponseError('arXiv sent too much XML.');
  // Resolving namespaces walks all open elements at every tag.
  const parser = new SaxesParser({ xmlns: false, position: false });
  let root: XmlElement | undefined;
  const open: XmlElement[] = [];
  const addText = (more: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  parser.on('error', () => {
    throw new InvalidResponseError('arXiv sent malformed XML.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name: name.slice(name.indexOf(':') + 1), attributes, text: '', children: [] };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
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
