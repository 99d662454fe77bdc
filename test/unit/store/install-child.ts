import { installFile } from '../../../src/store/install.ts';

/** A process of its own that says when it begins to install a file. */
const [source = '', target = ''] = process.argv.slice(2);
process.stdout.write('begin\n');
await installFile(source, target);
