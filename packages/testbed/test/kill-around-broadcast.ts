import { startRpcProxy, waitUntil, type RpcHooks, type World } from '../dist/index.js';

/** The relayer talks to a chain through a proxy that kills it, once, around the broadcast of its next delivery. */
export async function killAroundBroadcast(
  world: World,
  chain: 'ethereum' | 'partner',
  when: 'beforeNode' | 'afterNode',
) {
  let killed = false;
  const hooks: RpcHooks = {
    [when]: async (methods: readonly string[]) => {
      if (killed || !methods.includes('eth_sendRawTransaction')) return true;
      killed = true;
      await world.killRelayer();
      return false;
    },
  };
  const proxy = await startRpcProxy(world.stack[chain].rpcUrl, hooks);
  await world.restartRelayer(chain === 'ethereum' ? { ethereumRpcUrl: proxy.url } : { partnerRpcUrl: proxy.url });
  return { proxy, killed: () => waitUntil('the relayer was killed', () => Promise.resolve(killed)) };
}
