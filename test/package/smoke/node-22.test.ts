import { it } from 'vitest';
import { checkInstalled } from './installed.ts';

// Before a release only: with E2E_NODE=22, npm 10 installs the package, but nothing starts it with npx.
if (process.env.LONG_TESTS === '1') checkInstalled({ node: 22, npm: 10 });
else it.skip('the package is installed with Node 22 and npm 10: LONG_TESTS=1', () => {});
