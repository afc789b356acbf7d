import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { getToken } from '@causeway/protocol';
import { connectBridge, deposit, fromViem } from '@causeway/sdk';
import { createWalletClient, http, parseEther } from 'viem';
import type { TestEnvironment } from '../temporary-environment.js';
import { depositByHand } from './by-hand.js';
import { fundUsers, type TestUser } from './users.js';

const AMOUNTS = { ETH: parseEther('0.1'), USDC: 25_000_000n } as const;
/** Extra JSON-RPC calls of the SDK, which first reads balance and block and checks the chain. */
const MOST_FURTHER_CALLS = 3;
/** Enough for a busy machine to mine a transaction. */
const MINED_MS = 500;

/** Counts the JSON-RPC calls of deposits, with the package and by hand. */
export function describeCalls(getEnvironment: () => TestEnvironment): void {
  describe('a deposit', () => {
    let user: TestUser;
    beforeAll(async () => {
      const funds = { ethereum: { ETH: parseEther('3'), USDC: 100_000_000n }, partner: {} };
      const [funded] = await fundUsers(getEnvironment(), [funds]);
      if (funded === undefined) throw new Error('No user was funded');
      user = funded;
    });

    /** Lists the calls that a program makes to Ethereum, in order. */
    async function listCalls(program: (rpcUrl: string) => Promise<unknown>): Promise<string[]> {
      const calls: string[] = [];
      const beforeNode = async (methods: readonly string[]) => {
        // A transaction is mined a moment after it is accepted, and an earlier query would be repeated.
        if (calls.at(-1) === 'eth_sendRawTransaction') await sleep(MINED_MS);
        calls.push(...methods);
        return true;
      };
      const hooks = { beforeNode };
      await program(await getEnvironment().proxyBefore('ethereum', hooks));
      return calls;
    }

    it.each(['ETH', 'USDC'] as const)(
      'of %s makes at most three more calls than the shortest script',
      async (asset) => {
        const environment = getEnvironment();
        const { stack, book, ethereum } = environment;
        const { account } = user;
        const amount = AMOUNTS[asset];
        const bridge = connectBridge({ apiUrl: stack.apiUrl });
        // Transactions are mined on arrival, so that no call depends on timing.
        await environment.whileBlocksWait(async () => {
          const token = asset === 'ETH' ? {} : { token: getToken(book, 'ethereum', asset) };
          const { bridgeLock } = book.ethereum;
          const { chain } = ethereum.getWallet(environment.accounts.bob);
          const byHand = await listCalls(async (rpcUrl) =>
            depositByHand({ account, chain, rpcUrl, bridgeLock, ...token, amount, pollMs: 1_000 }),
          );
          const bySdk = await listCalls(async (rpcUrl) => {
            const wallet = fromViem(createWalletClient({ account, transport: http(rpcUrl) }));
            return deposit(bridge, wallet, { asset, amount, recipient: account.address }, { pollMs: 1_000 });
          });
          expect(bySdk.length).toBeLessThanOrEqual(byHand.length + MOST_FURTHER_CALLS);
        });
      },
    );
  });
}
