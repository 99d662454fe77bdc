import { LOCAL_ACCOUNT, openAccount } from '../../../src/accounts/accounts.ts';
import { openForWriting } from '../../../src/store/open.ts';

/** A process of its own that tries to spend one credit so many times, and prints how many it got. */
const [path = '', tries = '0'] = process.argv.slice(2);
const db = openForWriting(path);
const account = openAccount(db, LOCAL_ACCOUNT, () => new Date());
const taken = Array.from({ length: Number(tries) }, (_, index) =>
  account.charge({ operation: 'drain', credits: 1, requestId: `${process.pid}-${index}` }),
).filter((left) => left !== null);
process.stdout.write(`${taken.length}\n`);
db.close();
