import { Transform } from 'node:stream';

/** No request is this long; a line beyond it is dropped, so that memory stays bounded. In bytes. */
const MAX_LINE_BYTES = 8 * 1024 ** 2;
const NEWLINE = 10;

/**
 * Lets whole lines through, a last one without its line break included, and drops what is longer
 * than any request: the SDK would end the connection over it. The stream ends only when all of it
 * has been taken and `beforeEnd` has settled.
 */
export function wholeLines(log: (line: string) => void, beforeEnd: () => Promise<void>): Transform {
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
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end + 1));
        const line = endLine();
        if (line !== undefined) this.push(line);
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
      done();
    },
    flush(done) {
      const line = endLine();
      if (line !== undefined) this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
      const endWhenTaken = () => {
        if (this.readableLength > 0) setImmediate(endWhenTaken);
        else beforeEnd().then(() => done(), done);
      };
      setImmediate(endWhenTaken);
    },
  });
}
