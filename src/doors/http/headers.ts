import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Env } from './request-context.ts';

/** Security headers of every answer. HTTPS is for the proxy that terminates TLS to enforce. */
export const securityHeaders = secureHeaders({ strictTransportSecurity: false });

/**
 * The page runs its own files and calls its own server, nothing else. Trusted Types forbid turning
 * text into markup, so nothing that was fetched can become part of the page.
 */
export const pageHeaders = secureHeaders({
  strictTransportSecurity: false,
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
  },
});

/** Our own headers, on every answer; those of the rate limit once a call was counted. */
export const commonHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  const { requestId, quota } = c.var.request;
  const { headers } = c.res;
  headers.set('X-API-Version', '1');
  headers.set('X-Request-Id', requestId);
  headers.set('Cache-Control', 'no-store');
  if (quota === undefined) return;
  headers.set('RateLimit-Limit', String(quota.limit));
  headers.set('RateLimit-Remaining', String(quota.remaining));
  headers.set('RateLimit-Reset', String(quota.resetSeconds));
};
