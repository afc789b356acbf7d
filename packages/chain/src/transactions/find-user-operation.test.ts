import { expect, it } from '@jest/globals';
import type { PublicClient } from 'viem';
import type { ChainConnection } from '../nodes/chain-connection.js';
import { findUserOperation } from './find-user-operation.js';

it('finds a user operation of each EntryPoint that wallets use in the newest 1,000 blocks', async () => {
  const asked: unknown[] = [];
  const client = {
    request: async ({ params }: { params: unknown[] }) => {
      asked.push(...params);
      return [];
    },
  } as unknown as PublicClient;
  const agree = async (read: (client: PublicClient) => Promise<unknown>) => read(client);
  const nodes = { agree, agreedHead: async () => 5_000n } as unknown as ChainConnection;
  expect(await findUserOperation(nodes, `0x${'ab'.repeat(32)}`)).toBeNull();
  // Versions 0.6, 0.7 and 0.8, as deployed on every chain.
  const address = [
    '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
    '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
    '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  ];
  expect(asked).toMatchObject([{ address, fromBlock: '0xfa0', toBlock: '0x1388' }]);
});
