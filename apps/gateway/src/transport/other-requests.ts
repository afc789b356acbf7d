import type { FastifyInstance } from 'fastify';
import { answerOrigin } from './answer-origin.js';
import type { Cors } from './cors.js';

/** Adds what Fastify answers beside the calls: CORS for every path, and OPTIONS at the path of the calls. */
export function registerOtherRequests(fastify: FastifyInstance, cors: Cors): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!answerOrigin(cors, request, reply)) done();
  });
  fastify.options('/', (_request, reply) => reply.code(204).header('allow', 'POST, OPTIONS').send());
}
