import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter } from '../limits/rate-limiter.js';
import { takeMirrorCall } from '../mirror/take-mirror-call.js';
import { answerOrigin } from './answer-origin.js';
import type { Cors } from './cors.js';
import type { ErrorFilter } from './error.filter.js';
import { isMirrorPath } from './is-mirror-path.js';

/** What refuses the requests that cannot be routed. */
export interface UnroutedRequestsParts {
  readonly cors: Cors;
  readonly limiter: RateLimiter;
  readonly errors: ErrorFilter;
  readonly trustedProxyHops: number;
}

/**
 * Requests whose path Fastify's router cannot read, or will not for its length. Neither its hooks nor the guards of NestJS see them; they get the same
 * CORS headers all the same, and count as calls where others do.
 */
export class UnroutedRequests {
  constructor(private readonly parts: UnroutedRequestsParts) {}

  /**
   * Never rejects.
   *
   * @param fault why it cannot be routed, as Fastify tells it.
   */
  async refuse(fault: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { cors, limiter, errors, trustedProxyHops } = this.parts;
    if (answerOrigin(cors, request, reply)) return;
    try {
      if (isMirrorPath(request.url)) await takeMirrorCall(limiter, trustedProxyHops, request, reply);
      errors.answer(fault, request, reply);
    } catch (error) {
      errors.answer(error, request, reply);
    }
  }
}
