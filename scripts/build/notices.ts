import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import * as z from 'zod';

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
});

/** What the licences of bundled libraries ask for: their names, versions and licence texts. */
export function renderNotices(metafiles: readonly Metafile[]): string {
  const folders = new Set(
    metafiles.flatMap(({ inputs }) =>
      Object.keys(inputs).flatMap((input) => folderOf(input) ?? []),
    ),
  );
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license } = manifest.parse(
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
    );
    const file = readdirSync(folder).find((each) => /^licen[cs]e(\.|$)/i.test(each));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version} (${license ?? 'see its package'})\n\n${text}`.trim();
  });
  return `The program contains these libraries. unpdf itself contains pdf.js of the Mozilla Foundation (Apache-2.0).\n\n${parts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
}

/** `node_modules/[…/node_modules/]name` or `…/@scope/name`, where that is a package. */
function folderOf(input: string): string | undefined {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [];
  return folder !== undefined && existsSync(join(folder, 'package.json')) ? folder : undefined;
}
