/** Some hosts send null for "no arguments"; the SDK would refuse it in its own words. */
export function withArguments<T>(message: T): T {
  if (typeof message !== 'object' || message === null || !('params' in message)) return message;
  const { params } = message;
  if (typeof params !== 'object' || params === null || !('arguments' in params)) return message;
  if (params.arguments !== null) return message;
  const { arguments: _, ...rest } = params;
  return { ...message, params: rest };
}
