import { z } from 'zod';
import { defineMethod } from '../methods/define-method.js';
import type { Method } from '../methods/method.js';
import type { OpenRpcDocument } from './open-rpc-document.js';

/**
 * `rpc.discover`, which every OpenRPC service has.
 *
 * @param build makes the document; called once, when it is first asked for.
 */
export function discoverMethod(build: () => OpenRpcDocument): Method {
  let document: OpenRpcDocument | null = null;
  return defineMethod({
    name: 'rpc.discover',
    summary: 'This service’s OpenRPC document.',
    params: [],
    result: {
      name: 'document',
      schema: z.looseObject({ openrpc: z.string(), methods: z.array(z.looseObject({ name: z.string() })) }),
    },
    run: () => {
      document ??= build();
      return Promise.resolve(document);
    },
  });
}
