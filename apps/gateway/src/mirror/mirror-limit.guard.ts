import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIGURATION, type Configuration } from '../config/configuration.js';
import { rateLimitHeaders } from '../limits/rate-limit-headers.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import { clientAddress } from '../transport/client-address.js';
import { MirrorError } from './mirror-error.js';

/** A request to a mirror endpoint counts as one call of its client. */
@Injectable()
export class MirrorLimitGuard implements CanActivate {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly limiter: RateLimiter,
  ) {}

  /** @throws MirrorError 429 that says when to try again. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const address = clientAddress(http.getRequest<FastifyRequest>().raw, this.configuration.trustedProxyHops);
    const verdict = await this.limiter.take(address, 1);
    http.getResponse<FastifyReply>().headers(rateLimitHeaders(verdict, this.limiter.policy));
    if (verdict.admitted === 0) throw new MirrorError(429, `Too many requests: ${verdict.refusal}`);
    return true;
  }
}
