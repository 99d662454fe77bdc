import { Transform } from 'node:stream';

/**
 * Longest line, in bytes: the longest arguments are some thousand characters, and the SDK reads a line
 * of this length full of members in a third of a second.
 */
export const MAX_LINE_BYTES = 256 * 1024;
const NEWLINE = 10;

export interface LineFlow {
  /** Told of a line that is too long, and was dropped. */
  onTooLong(): void;
  /** Resolves when the next line may be passed on. */
  room(): Promise<void>;
  /** Awaited before the stream ends. */
  beforeEnd(): Promise<void>;
}

/**
 * Passes whole lines on, one at a time, without those that are too long. A last line may lack its line
 * break. The next line waits for `room`, so a client that asks faster than it reads fills its own pipe
 * and not our memory.
 */
export function wholeLines({ onTooLong, room, beforeEnd }: LineFlow): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;

  function add(part: Buffer): void {
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) parts.push(part);
    else parts = [];
  }

  /** The line that has ended; undefined if it was dropped or is empty. */
  function takeLine(): Buffer | undefined {
    const isTooLong = bytes > MAX_LINE_BYTES;
    if (isTooLong) onTooLong();
    const line = isTooLong || bytes === 0 ? undefined : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    return line;
  }

  async function passOn(stream: Transform, chunk: Buffer): Promise<void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end + 1));
      start = end + 1;
      const line = takeLine();
      if (line === undefined) continue;
      stream.push(line);
      await room();
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passOn(this, chunk).then(() => done(), done);
    },
    flush(done) {
      const line = takeLine();
      if (line !== undefined) this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
      const endWhenTaken = () => {
        // After a broken pipe nobody reads any more.
        if (this.destroyed) done();
        else if (this.readableLength > 0) setImmediate(endWhenTaken);
        else beforeEnd().then(() => done(), done);
      };
      setImmediate(endWhenTaken);
    },
  });
}
