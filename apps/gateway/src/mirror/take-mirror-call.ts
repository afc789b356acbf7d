import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateLimitHeaders } from '../limits/rate-limit-headers.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import { clientAddress } from '../transport/client-address.js';
import { MirrorError } from './mirror-error.js';

/**
 * Counts a request to a mirror endpoint as one call of its client, and tells in the headers of the answer what is left.
 *
 * @throws MirrorError 429 that says when to try again.
 */
export async function takeMirrorCall(
  limiter: RateLimiter,
  trustedProxyHops: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const verdict = await limiter.take(clientAddress(request.raw, trustedProxyHops), 1);
  reply.headers(rateLimitHeaders(verdict, limiter.policy));
  if (verdict.admitted === 0) throw new MirrorError(429, `Too many requests: ${verdict.refusal}`);
}
