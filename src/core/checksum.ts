import { crc32 } from 'node:zlib';
import { type ServiceError, serviceUnavailable } from './errors.ts';

/** CRC-32 of the parts one after the other: finds bits that changed on the disk, not tampering. */
export function checksumOf(...parts: readonly (string | Uint8Array)[]): number {
  let sum = 0;
  for (const part of parts) sum = crc32(part, sum);
  return sum;
}

/** Whether a stored checksum contradicts the content; one that is missing does. */
export function isDamaged(
  stored: number | null,
  ...parts: readonly (string | Uint8Array)[]
): boolean {
  return stored !== checksumOf(...parts);
}

/** For the caller of an operation; `what` begins the sentence, `sync` is what mends it. */
export function damagedError(what: string, sync: string): ServiceError {
  return serviceUnavailable(
    `${what} on the disk: the checksum does not fit. Run \`${sync}\`, which gets it again, then repeat the ` +
      'call; `quantshelf doctor --deep` names all that is damaged.',
  );
}
