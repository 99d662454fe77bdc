import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import * as z from 'zod';

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  author: z
    .union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])
    .optional(),
});

/** The author of a package whose manifest names someone else. */
const HOLDERS: Readonly<Record<string, string>> = {
  'onnxruntime-common': 'Microsoft Corporation',
};

/** Licences that packages name but do not include. */
const LICENCES: Readonly<Record<string, string>> = {
  ISC: `Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`,
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`,
};

/** The notices that licences of bundled libraries require: names, versions and licence texts. */
export function renderNotices(metafiles: readonly Metafile[]): string {
  const folders = new Set(
    metafiles.flatMap(({ inputs }) =>
      Object.keys(inputs).flatMap((input) => folderOf(input) ?? []),
    ),
  );
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license, author } = manifest.parse(
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
    );
    const file = readdirSync(folder).find((each) => /^licen[cs]e([.-]|$)/i.test(each));
    const holder = HOLDERS[name] ?? author;
    const standard = LICENCES[license ?? ''];
    if (file === undefined && (holder === undefined || standard === undefined)) {
      throw new Error(`${name} names no licence or no author: add it to scripts/build/notices.ts`);
    }
    const text =
      file === undefined
        ? `${license} License\n\nCopyright (c) ${holder}\n\n${standard}`
        : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version} (${license ?? 'see its package'})\n\n${text}`.trim();
  });
  return `The program contains these libraries. unpdf itself contains pdf.js of the Mozilla Foundation (Apache-2.0).\n\n${parts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
}

/** `node_modules/[…/node_modules/]name` or `…/@scope/name`, if that is a package. */
function folderOf(input: string): string | undefined {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [];
  return folder !== undefined && existsSync(join(folder, 'package.json')) ? folder : undefined;
}
