import { type Fields, fieldsOf } from './answer.ts';

// Colours, fonts and radii as the host sets them. Fonts that would have to be loaded are left out.

const VARIABLE = /^--(color|font|border|shadow)-[a-z0-9-]+$/;
/** Values that would make the browser load something. */
const LOADING = /url|image|src\(|@/i;
const SIDES = ['top', 'right', 'bottom', 'left'];

/** Applies what has changed of the host's context. */
export function followHost(root: HTMLElement, { theme, styles, safeAreaInsets }: Fields): void {
  if (theme === 'light' || theme === 'dark') root.style.colorScheme = theme;
  for (const [name, value] of listVariables(styles)) {
    if (value === '') root.style.removeProperty(name);
    else root.style.setProperty(name, value);
  }
  const insets = fieldsOf(safeAreaInsets);
  for (const side of SIDES) {
    const inset = insets[side];
    if (typeof inset === 'number') root.style.setProperty(`--inset-${side}`, `${inset}px`);
  }
}

/** The variables that may be set, with an empty value for those that the host takes back. */
export function listVariables(styles: unknown): [name: string, value: string][] {
  return Object.entries(fieldsOf(fieldsOf(styles).variables)).flatMap(([name, value]) => {
    if (!VARIABLE.test(name)) return [];
    const isSafe = typeof value === 'string' && !LOADING.test(value);
    return [[name, isSafe ? value : '']];
  });
}
