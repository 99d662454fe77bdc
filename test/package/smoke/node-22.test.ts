import { it } from 'vitest';
import { checkInstalled } from './installed.ts';

// The bundle runs on this Node in every run of the tests, and everything else with E2E_NODE=22.
if (process.env.LONG_TESTS === '1') checkInstalled({ node: 22, npm: 10 });
else it.skip('the package is installed with Node 22 and npm 10 (LONG_TESTS=1)', () => {});
