import { once } from 'node:events';
import { migrations } from '../../../src/app/store.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';

/** A child process that opens a store, reports that, and migrates it on request. */
const [path = ''] = process.argv.slice(2);
const db = openForWriting(path);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
migrate(db, migrations, new Date());
db.close();
process.exit(0);
