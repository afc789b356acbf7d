import { waitUntil } from '@causeway/test-kit';
import type { RpcHooks } from './rpc-proxy.js';
import type { TestEnvironment } from './temporary-environment.js';

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
