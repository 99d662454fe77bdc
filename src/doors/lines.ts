import { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** No request is this long; a line beyond it is dropped, so that memory stays bounded. In bytes. */
const MAX_LINE_BYTES = 8 * 1024 ** 2;
const NEWLINE = 10;

/**
 * Lets whole lines through, a last one without its line break included, and drops what is longer
 * than any request: the SDK would end the connection over it. The stream ends only when all of it
 * has been taken and `beforeEnd` has settled, and the next line waits until there is `room`: a client
 * that asks faster than it reads is held back by its own pipe, not by our memory.
 */
export function wholeLines(
  log: (line: string) => void,
  flow: { room: () => Promise<void>; beforeEnd: () => Promise<void> },
): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isDropping = false;

  function add(part: Buffer): void {
    if (isDropping) return;
    parts.push(part);
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) return;
    log(`protocol: a line of more than ${MAX_LINE_BYTES / 1024 ** 2} MiB was dropped`);
    isDropping = true;
    parts = [];
  }

  function endLine(): Buffer | undefined {
    const line = isDropping || bytes === 0 ? undefined : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    isDropping = false;
    return line;
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const passOn = async (): Promise<void> => {
        let start = 0;
        for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
          add(chunk.subarray(start, end + 1));
          const line = endLine();
          start = end + 1;
          if (line === undefined) continue;
          this.push(line);
          await nextTurn();
          await flow.room();
        }
        if (start < chunk.length) add(chunk.subarray(start));
      };
      passOn().then(() => done(), done);
    },
    flush(done) {
      const line = endLine();
      if (line !== undefined) this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
      const endWhenTaken = () => {
        // After a broken pipe nobody takes anything any more.
        if (this.destroyed) done();
        else if (this.readableLength > 0) setImmediate(endWhenTaken);
        else flow.beforeEnd().then(() => done(), done);
      };
      setImmediate(endWhenTaken);
    },
  });
}
