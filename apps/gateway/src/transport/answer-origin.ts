import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Cors } from './cors.js';

/**
 * Gives the answer to a request that is no call the headers of CORS.
 *
 * @returns whether it was a preflight, which is answered with that.
 */
export function answerOrigin(cors: Cors, { method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const { origin } = headers;
  reply.headers(cors.headers(origin));
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  const requestedHeaders = headers['access-control-request-headers'];
  void reply.code(204).headers(cors.preflightHeaders(origin, requestedHeaders)).send();
  return true;
}
