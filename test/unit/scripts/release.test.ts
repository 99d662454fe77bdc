import { expect, it } from 'vitest';
import { findReleaseFaults } from '../../../scripts/release.ts';

const READY = {
  version: '1.2.0',
  repository: 'https://example.org/quantshelf.git',
  homepage: 'https://example.org',
  bugs: 'https://example.org/issues',
};
const LOG = '# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-12-01\n\n### Added\n\n- A line.\n';

it('a version that is complete can be published', () => {
  expect(findReleaseFaults(READY, LOG)).toEqual([]);
  expect(findReleaseFaults(READY, LOG.replace('## Unreleased\n\n', ''))).toEqual([]);
});

it.each(['repository', 'homepage', 'bugs'])('not without its %s', (name) => {
  const faults = findReleaseFaults({ ...READY, [name]: undefined }, LOG);
  expect(faults).toEqual([expect.stringContaining(`"${name}"`)]);
});

it.each([
  ['no section of its own', LOG.replace('1.2.0', '1.1.0')],
  ['no day', LOG.replace(' - 2026-12-01', '')],
  ['lines that are of no version', LOG.replace('## 1.2.0', '- Another line.\n\n## 1.2.0')],
])('not with a changelog that has %s', (_, changelog) => {
  expect(findReleaseFaults(READY, changelog)).toEqual([expect.stringContaining('CHANGELOG.md')]);
});
