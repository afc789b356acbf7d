import { BridgeError, type ErrorCode } from '@causeway/protocol';
import { Catch, HttpException, type ArgumentsHost, type DynamicModule, type ExceptionFilter } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Logger, PinoLogger } from 'nestjs-pino';

const BODY_LIMIT_BYTES = 64 * 1024;
/** When a client should ask again, for errors that pass within a block or two (specification: 1 to 5 seconds). */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = { SIGNATURE_VERIFICATION_UNAVAILABLE: 2 };

/**
 * Creates the HTTP server of a module. The caller lets it listen; until then requests can be injected.
 *
 * @param trustedProxyHops how many entries of X-Forwarded-For our own proxies wrote.
 */
export async function createServer(module: DynamicModule, trustedProxyHops: number): Promise<NestFastifyApplication> {
  const trustProxy = (_address: string, hop: number) => hop < trustedProxyHops;
  const adapter = new FastifyAdapter({ bodyLimit: BODY_LIMIT_BYTES, forceCloseConnections: true, trustProxy });
  // Only Fastify's own JSON parser stays: every other content type is refused with 415.
  adapter.getInstance().removeContentTypeParser('text/plain');
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  app.enableShutdownHooks();
  return app;
}

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/**
 * Answers every failure as `{ error, message }` with a code of the specification. Details of a fault are only logged.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: PinoLogger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const error = toBridgeError(exception, `${request.method} ${request.url.split('?')[0]}`);
    // Without a cause nothing failed: the bridge is paused, or a smart account is not deployed yet.
    if (error.httpStatus >= 500 && error.cause !== undefined) this.logger.error({ err: exception }, error.message);
    const reply = http.getResponse<FastifyReply>().status(error.httpStatus);
    const retryAfterSeconds = RETRY_AFTER_SECONDS[error.code];
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
    void reply.send(error.toBody());
  }
}

function toBridgeError(exception: unknown, endpoint: string): BridgeError {
  if (exception instanceof BridgeError) return exception;
  const status = statusOfException(exception);
  const code = status === null ? undefined : BY_STATUS[status];
  switch (code) {
    case 'NOT_FOUND':
      return new BridgeError(code, `${endpoint} is not an endpoint of this API`);
    case 'VALIDATION_ERROR':
      return new BridgeError(code, 'body is not well-formed JSON', { field: 'body' });
    case 'PAYLOAD_TOO_LARGE':
      return new BridgeError(code, 'body is larger than this API accepts');
    case 'UNSUPPORTED_MEDIA_TYPE':
      return new BridgeError(code, 'body must be sent as application/json');
    case undefined:
      return new BridgeError('INTERNAL_ERROR', 'The service failed; nothing was changed. Try again shortly', {
        cause: exception,
      });
    default:
      return new BridgeError(code, `${endpoint} cannot be used like this`);
  }
}

/** The status of an exception of Nest or of Fastify, whose body parser throws before Nest runs. */
function statusOfException(exception: unknown): number | null {
  if (exception instanceof HttpException) return exception.getStatus();
  if (exception instanceof Error && 'statusCode' in exception && typeof exception.statusCode === 'number') {
    return exception.statusCode;
  }
  return null;
}
