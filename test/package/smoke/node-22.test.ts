import { checkInstalled } from './installed.ts';

checkInstalled({ node: 22, npm: 10 });
