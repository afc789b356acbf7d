import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { MirrorError } from '../mirror/mirror-error.js';
import { refusalOf } from './refusal-of.js';

/** Every failure of what is no call, unknown paths included, leaves in a form of the gateway's own. The unexpected is logged and not told. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (exception instanceof MirrorError) {
      void reply.status(exception.getStatus()).send(exception.getResponse());
      return;
    }
    const { status, headers, body } = refusalOf(statusOf(exception), http.getRequest<FastifyRequest>().url);
    if (status >= 500) this.logger.error({ err: exception }, 'A request failed unexpectedly');
    void reply.status(status).headers(headers).send(body);
  }
}

/** The status that NestJS or Fastify gave it; 500 for anything else. */
function statusOf(exception: unknown): number {
  if (exception instanceof HttpException) return exception.getStatus();
  if (exception instanceof Error && 'statusCode' in exception && typeof exception.statusCode === 'number') {
    return exception.statusCode;
  }
  return 500;
}
