import { waitUntil } from '@causeway/test-kit';
import type { RpcHooks } from './rpc-proxy.js';
import type { TestEnvironment } from '../temporary-environment.js';

// What tests put between the relayer and a node.

/** A proxy before a node that counts the calls. */
export interface CallCount {
  readonly url: string;
  /** Returns how often a method was called. */
  readonly of: (method: string) => number;
  /** Resolves when a method was called this many times more. */
  readonly more: (times: number, method: string) => Promise<void>;
}

/**
 * Starts a proxy that counts the calls to a chain. An active relayer calls `eth_blockNumber` in every round of the
 * pipeline, unless the chain is halted.
 */
export async function countCalls(environment: TestEnvironment, chain: 'ethereum' | 'partner'): Promise<CallCount> {
  const counts = new Map<string, number>();
  const of = (method: string) => counts.get(method) ?? 0;
  const url = await environment.proxyBefore(chain, {
    beforeNode: async (methods) => {
      for (const method of methods) counts.set(method, of(method) + 1);
      return true;
    },
  });
  return {
    url,
    of,
    more: async (times, method) => {
      const from = of(method);
      await waitUntil(`${method} is called ${times} times more`, () => Promise.resolve(of(method) >= from + times));
    },
  };
}

/** The relayer talks to a chain through a proxy that kills it, once, around the broadcast of its next delivery. */
export async function killAroundBroadcast(
  environment: TestEnvironment,
  chain: 'ethereum' | 'partner',
  when: 'beforeNode' | 'afterNode',
) {
  let killed = false;
  const hooks: RpcHooks = {
    [when]: async (methods: readonly string[]) => {
      if (killed || !methods.includes('eth_sendRawTransaction')) return true;
      killed = true;
      await environment.killRelayer();
      return false;
    },
  };
  const url = await environment.proxyBefore(chain, hooks);
  await environment.restartRelayer(chain === 'ethereum' ? { ethereumRpcUrl: url } : { partnerRpcUrl: url });
  return { killed: () => waitUntil('the relayer was killed', () => Promise.resolve(killed)) };
}
