import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount } from '@causeway/protocol';
import { startRpcProxy, User, waitUntil, type World } from '../dist/index.js';
import { killAroundBroadcast } from './kill-around-broadcast.js';
import { temporaryWorld } from './temporary-world.js';

let world: World;
let alice: User;

beforeAll(async () => {
  world = await temporaryWorld();
  alice = new User(world, world.accounts.alice);
});

afterAll(async () => world.stop());

describe('a reorg that removes what was final', () => {
  it('while the relayer was killed before the broadcast: what is journalled is not sent', async () => {
    const { test } = world.ethereum;
    const { proxy, killed } = await killAroundBroadcast(world, 'partner', 'beforeNode');
    const before = await test.snapshot();
    await alice.deposit('USDC', parseAmount('USDC', '100'), alice.account.address);
    await killed();
    await proxy.close();
    await test.revert({ id: before });
    const asked = { turns: 0, sent: 0 };
    const watching = await startRpcProxy(world.stack.partner.rpcUrl, {
      beforeNode: async (methods) => {
        // Its own transaction is looked for once a turn, and is not there.
        if (methods.includes('eth_getTransactionReceipt')) asked.turns += 1;
        if (methods.includes('eth_sendRawTransaction')) asked.sent += 1;
        return true;
      },
    });
    await world.restartRelayer({ partnerRpcUrl: watching.url });
    await waitUntil('it has looked after its transaction', () => Promise.resolve(asked.turns >= 5));
    expect(asked.sent).toBe(0);
    await watching.close();
  });
});
