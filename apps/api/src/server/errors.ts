import { randomUUID } from 'node:crypto';
import { ChainError } from '@causeway/chain';
import type { SocketRefusal } from '@causeway/service/http';
import { BridgeError, getErrorDocsPath, linkToDocs, type ErrorCode } from '@causeway/protocol';
import { AdminError, type AdminErrorCode } from '@causeway/protocol/admin';
import { isDatabaseUnavailable } from '@causeway/store';
import { Catch, HttpException, Inject, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION } from '../infrastructure.js';
import { SilentSourceError } from '../last-known-value.js';
import { AnswerHeaders } from './answer-headers.js';

/** Seconds until a client should retry. The specification requires 1 to 5 for a signature that cannot be checked. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode | AdminErrorCode, number>> = {
  SIGNATURE_VERIFICATION_UNAVAILABLE: 2,
  SERVICE_UNAVAILABLE: 5,
  SERVICE_PAUSED: 60,
  RATE_LIMIT_EXCEEDED: 60,
};

/** Code and message for requests that no controller handles, by HTTP status. */
const BY_STATUS: Readonly<Record<number, readonly [code: ErrorCode, message: string]>> = {
  400: ['VALIDATION_ERROR', 'body is not well-formed JSON'],
  404: ['NOT_FOUND', 'This is not an endpoint of this API'],
  413: ['PAYLOAD_TOO_LARGE', 'body is larger than this API accepts'],
  414: ['URI_TOO_LONG', 'The URL is longer than this API accepts'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'body must be sent as application/json'],
};
const BELOW_HTTP = {
  400: ['VALIDATION_ERROR', 'request is not HTTP/1.1'],
  405: ['METHOD_NOT_ALLOWED', 'CONNECT is not supported, because this API is not a proxy'],
  408: ['REQUEST_TIMEOUT', 'The request took too long to arrive'],
  431: ['HEADERS_TOO_LARGE', 'The URL and the headers are longer than this API accepts'],
} as const;

const LONGEST_CAUSE = 500;
const LONGEST_STACK = 4_000;
const LONGEST_PATH = 200;

/**
 * Responds to every failure with `{ error, message }` (specification, Errors), and logs it in one line with the
 * response's request id: expected failures at `warn`, faults at `error` with the stack. Details of a fault are only
 * logged.
 */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: PinoLogger,
    private readonly headers: AnswerHeaders,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'docsUrl'>,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(exception, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Responds to a failure, including one from before Nest received the request. */
  answer(exception: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = toKnownError(exception);
    this.log(error, request.id, { method: request.method, path: getPath(request).slice(0, LONGEST_PATH) });
    const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
    // Codes of the admin API alone have no page.
    const help = error instanceof BridgeError ? this.helpLink(error.code) : undefined;
    const links = [reply.getHeader('link'), help].filter((link) => link !== undefined);
    if (links.length > 0) reply.header('link', links.join(', '));
    // Closes the connection so that the unread rest of a body is not parsed as the next request.
    if (!request.raw.complete) reply.header('connection', 'close');
    void reply
      .status(error.httpStatus)
      .headers(this.headers.of(request.id, request.headers.origin))
      .headers({ 'cache-control': 'no-store', ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) })
      .send(error.toBody());
  }

  /** Builds the refusal of invalid bytes, of an incomplete request, and of CONNECT. */
  makeRefusal(status: 400 | 405 | 408 | 431): SocketRefusal {
    const [code, message] = BELOW_HTTP[status];
    const error = new BridgeError(code, message);
    const requestId = randomUUID();
    this.log(error, requestId, {});
    const link = this.helpLink(code);
    const headers = { ...this.headers.of(requestId, undefined), 'cache-control': 'no-store', link };
    const allow = status === 405 ? { allow: 'GET, HEAD, POST, OPTIONS' } : {};
    return { body: JSON.stringify(error.toBody()), headers: { ...headers, ...allow } };
  }

  /** The `Link` header (RFC 8288) to a code's page. */
  private helpLink(code: ErrorCode): string {
    return `<${linkToDocs(getErrorDocsPath(code), this.configuration.docsUrl)}>; rel="help"`;
  }

  private log(error: BridgeError | AdminError, requestId: string, details: object): void {
    const { code, httpStatus: status, message, cause } = error;
    const line = { requestId, ...details, status, code };
    if (code === 'INTERNAL_ERROR') this.logger.error({ ...line, fault: describeFault(cause) }, message);
    // A client that exceeds its rate must not fill the log; metrics count it.
    else if (code === 'RATE_LIMIT_EXCEEDED') this.logger.debug(line, message);
    else this.logger.warn(cause === undefined ? line : { ...line, cause: getCauseMessage(cause) }, message);
  }
}

/** The path of a request as sent, without its query. */
export function getPath(request: FastifyRequest): string {
  return request.raw.url?.split('?', 1)[0] ?? '';
}

/** Only the admin API throws an AdminError. */
function toKnownError(exception: unknown): BridgeError | AdminError {
  if (exception instanceof BridgeError || exception instanceof AdminError) return exception;
  if (getErrorCode(exception) === 'FST_ERR_BAD_URL')
    return new BridgeError('VALIDATION_ERROR', 'url has a % sign that does not begin valid UTF-8', { field: 'url' });
  const [code, message] = BY_STATUS[findStatus(exception) ?? 500] ?? [];
  if (code !== undefined && message !== undefined) return new BridgeError(code, message);
  const cause = exception;
  // Checked before the database, whose check would also match network errors behind a ChainError.
  if (exception instanceof ChainError)
    return new BridgeError('SERVICE_UNAVAILABLE', 'The nodes of a chain do not answer; try again shortly', { cause });
  if (isDatabaseUnavailable(exception))
    return new BridgeError('SERVICE_UNAVAILABLE', 'The database does not answer; try again shortly', { cause });
  if (exception instanceof SilentSourceError)
    return new BridgeError('SERVICE_UNAVAILABLE', 'The database or a node is slow; try again shortly', { cause });
  return new BridgeError('INTERNAL_ERROR', 'The service failed; nothing was changed. Try again shortly', { cause });
}

/** Finds the status of an exception of Nest, or of Fastify, whose body parser throws before Nest runs. */
function findStatus(exception: unknown): number | null {
  if (exception instanceof HttpException) return exception.getStatus();
  if (exception instanceof Error && 'statusCode' in exception && typeof exception.statusCode === 'number')
    return exception.statusCode;
  return null;
}

function getErrorCode(exception: unknown): unknown {
  return exception instanceof Error && 'code' in exception ? exception.code : undefined;
}

function getCauseMessage(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, LONGEST_CAUSE);
}

function describeFault(cause: unknown): string {
  return (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)).slice(0, LONGEST_STACK);
}
