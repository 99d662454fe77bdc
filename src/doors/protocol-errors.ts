import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type { ErrorCode } from '../core/errors.ts';
import type { Failed } from '../core/run.ts';
import { cut } from '../core/text.ts';

/** Characters of a URI that an error repeats. */
const MAX_URI = 2_000;
/** What the caller can mend. */
const OF_CALLER: readonly ErrorCode[] = ['invalid_request', 'not_found', 'forbidden'];

/** A failure as JSON-RPC has it; our own code and the request id are its data. */
export function toProtocolError({ envelope: { error } }: Failed): ProtocolError {
  const { code, message, param, requestId } = error;
  return new ProtocolError(
    OF_CALLER.includes(code) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    message,
    { code, ...(param === undefined ? {} : { param }), requestId },
  );
}

/** The same for a resource: the protocol has an error of its own for one that is not there. */
export function toResourceError(uri: string, failed: Failed): ProtocolError {
  const { code, message } = failed.envelope.error;
  return code === 'not_found' || code === 'invalid_request'
    ? new ResourceNotFoundError(cut(uri, MAX_URI), message)
    : toProtocolError(failed);
}

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
