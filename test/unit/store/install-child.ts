import { installFile } from '../../../src/store/install.ts';

/** A child process that reports when it starts to install a file. */
const [source = '', target = ''] = process.argv.slice(2);
process.stdout.write('begin\n');
await installFile(source, target);
