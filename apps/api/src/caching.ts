import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sends a cacheable response with an ETag. A client that already has it gets 304 without a body (RFC 9110,
 * If-None-Match).
 */
export function sendCacheable(request: FastifyRequest, reply: FastifyReply, body: unknown, cacheControl: string): void {
  const text = JSON.stringify(body);
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  void reply.header('cache-control', cacheControl).header('etag', tag);
  const asked = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (asked.some((each) => each === tag || each === '*')) void reply.status(304).send();
  else void reply.type('application/json; charset=utf-8').send(text);
}
