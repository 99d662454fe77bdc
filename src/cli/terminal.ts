/** The user's side of a command. */
export interface Terminal {
  /** A line for people, on stderr. */
  log(line: string): void;
  /** A line of the result, on stdout. */
  print(line: string): void;
  /**
   * Aborted with `reason` by the first SIGINT, SIGTERM or SIGHUP, which no longer ends the process by
   * itself; a second SIGINT or SIGTERM does.
   */
  stopSignal(reason: Error): AbortSignal;
}
