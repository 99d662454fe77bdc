import { Transform } from 'node:stream';

/** Longest line, in bytes. A longer one is dropped, which bounds memory; no request is this long. */
const MAX_LINE_BYTES = 8 * 1024 ** 2;
const NEWLINE = 10;

/** What the reader of the lines decides. */
export interface LineFlow {
  /** Whether a line is passed on. */
  takes(line: Buffer): boolean;
  /** Told once of a line that is longer than so many MiB; the line is dropped. */
  onTooLong(mebibytes: number): void;
  /** Resolves when the next line may be passed on. */
  room(): Promise<void>;
  /** Awaited before the stream ends. */
  beforeEnd(): Promise<void>;
}

/**
 * Passes whole lines on, one at a time, and drops lines that are too long, over which the SDK would
 * end the connection. A last line may lack its line break. The next line waits for `room`, so a
 * client that asks faster than it reads fills its own pipe and not our memory. The stream ends when
 * everything has been read and `beforeEnd` has resolved.
 */
export function wholeLines(flow: LineFlow): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isDropping = false;

  function add(part: Buffer): void {
    if (isDropping) return;
    parts.push(part);
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) return;
    flow.onTooLong(MAX_LINE_BYTES / 1024 ** 2);
    isDropping = true;
    parts = [];
  }

  /** The line that was read, with a line break; undefined if it is not passed on. */
  function endLine(): Buffer | undefined {
    const line = isDropping || bytes === 0 ? undefined : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    isDropping = false;
    return line !== undefined && flow.takes(line) ? line : undefined;
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
        // After a broken pipe nobody reads any more.
        if (this.destroyed) done();
        else if (this.readableLength > 0) setImmediate(endWhenTaken);
        else flow.beforeEnd().then(() => done(), done);
      };
      setImmediate(endWhenTaken);
    },
  });
}
