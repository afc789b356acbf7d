import type { FastifyInstance, FastifyReply } from 'fastify';
import { answer } from '../json-rpc/answer.js';
import { RpcError } from '../json-rpc/rpc-error.js';
import type { Cors } from './cors.js';

const OTHER_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Adds what Fastify answers beside the calls: CORS for every path, and what is no call to the path of the calls. */
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
  fastify.route({
    method: OTHER_METHODS,
    url: '/',
    // Before the body is looked at: whatever it is, the method is what is wrong.
    onRequest: async (_request, reply) => refuseMethod(reply),
    handler: (_request, reply) => refuseMethod(reply),
  });
}

function refuseMethod(reply: FastifyReply): FastifyReply {
  return reply
    .code(405)
    .headers({ 'content-type': 'application/json', allow: 'POST, OPTIONS' })
    .send(answer.error('null', new RpcError('INVALID_REQUEST', 'calls are HTTP POST, or WebSocket on /ws')));
}
