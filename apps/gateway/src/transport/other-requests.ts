import type { FastifyInstance } from 'fastify';
import type { Cors } from './cors.js';

/** Adds what Fastify answers beside the calls: CORS for every path, and OPTIONS at the path of the calls. */
export function registerOtherRequests(fastify: FastifyInstance, cors: Cors): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    reply.headers(cors.headers(origin));
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      done();
      return;
    }
    const requestedHeaders = request.headers['access-control-request-headers'];
    void reply.code(204).headers(cors.preflightHeaders(origin, requestedHeaders)).send();
  });
  fastify.options('/', (_request, reply) => reply.code(204).header('allow', 'POST, OPTIONS').send());
}
