import { checkInstalled } from './installed.ts';

checkInstalled({ node: 24, npm: 12 });
