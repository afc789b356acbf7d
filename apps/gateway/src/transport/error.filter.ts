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
    this.answer(exception, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Refuses a request for an error of NestJS, of Fastify or of the gateway's own. */
  answer(exception: unknown, { url }: FastifyRequest, reply: FastifyReply): void {
    if (exception instanceof MirrorError) {
      void reply.status(exception.getStatus()).send(exception.getResponse());
      return;
    }
    const { status, headers, body } = refusalOf(statusOf(exception), url);
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
