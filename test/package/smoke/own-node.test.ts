import { checkInstalled } from './installed.ts';

checkInstalled({ node: undefined, npm: undefined });
