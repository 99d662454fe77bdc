import { ServiceError } from '../../core/errors.ts';

/** Why a request was broken off before its body was complete, with a status of its own. */
export type BrokenStatus = 400 | 408 | 503;

const MESSAGES: Readonly<Record<BrokenStatus, string>> = {
  400: 'The body is broken: it does not follow its own framing.',
  408: 'The request was not complete in time.',
  503: 'The server is shutting down. Call again when it is back.',
};

/** Refuses a request whose rest will not be read; the connection ends with the answer. */
export class BrokenRequest extends ServiceError {
  readonly status: BrokenStatus;

  constructor(status: BrokenStatus) {
    super(status === 503 ? 'service_unavailable' : 'invalid_request', MESSAGES[status]);
    this.status = status;
  }
}
