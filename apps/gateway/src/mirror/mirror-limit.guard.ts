import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIGURATION, type Configuration } from '../config/configuration.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import { takeMirrorCall } from './take-mirror-call.js';

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
    const { trustedProxyHops } = this.configuration;
    await takeMirrorCall(
      this.limiter,
      trustedProxyHops,
      http.getRequest<FastifyRequest>(),
      http.getResponse<FastifyReply>(),
    );
    return true;
  }
}
