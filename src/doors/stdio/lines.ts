import { Transform } from 'node:stream';
import { END_BYTES } from './messages.ts';

/**
 * Longest line, in bytes. A longer one is dropped, which bounds memory and the time to parse it; the
 * longest arguments are some thousand characters.
 */
const MAX_LINE_BYTES = 1024 ** 2;
const NEWLINE = 10;

/** What the reader of the lines decides. */
export interface LineFlow {
  /** Whether a line is passed on. */
  takes(line: Buffer): boolean;
  /** Told at the end of a line that is longer than so many MiB, and was dropped but for its two ends. */
  onTooLong(mebibytes: number, ends: Buffer): void;
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
    parts.push(part);
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) return;
    const kept = Buffer.concat(parts);
    // Copies, which do not hold the whole in memory.
    parts = [kept.subarray(0, END_BYTES), kept.subarray(-END_BYTES)].map((end) => Buffer.from(end));
    isDropping = true;
  }

  /** The line that was read, with a line break; undefined if it is not passed on. */
  function endLine(): Buffer | undefined {
    const line = Buffer.concat(parts);
    const isTooLong = isDropping;
    parts = [];
    bytes = 0;
    isDropping = false;
    if (isTooLong) flow.onTooLong(MAX_LINE_BYTES / 1024 ** 2, line);
    return !isTooLong && line.length > 0 && flow.takes(line) ? line : undefined;
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
