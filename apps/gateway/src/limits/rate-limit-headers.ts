import type { RateVerdict } from './rate-limiter.js';

/**
 * The headers that tell a client of its budget (draft-ietf-httpapi-ratelimit-headers, RFC 9110 section 10.2.3), in whole seconds, rounded up.
 *
 * @returns nothing for a client to whom no limit applies.
 */
export function rateLimitHeaders({ budget, retryAfterMs }: RateVerdict, policy: string): Record<string, string> {
  if (budget === null) return {};
  return {
    'ratelimit-limit': String(budget.limit),
    'ratelimit-remaining': String(budget.remaining),
    'ratelimit-reset': String(seconds(budget.resetMs)),
    'ratelimit-policy': policy,
    ...(retryAfterMs > 0 ? { 'retry-after': String(seconds(retryAfterMs)) } : {}),
  };
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1_000);
}
