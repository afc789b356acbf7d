import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { encodeFunctionData, type Abi, type Hex } from 'viem';
import type { TestEnvironment } from '../temporary-environment.js';
import { getDomain } from './consent.js';
import { sendGood, type Side } from './transactions.js';

/** Reopens a paid number and a paid id of a contract as admin, as after a reorg. */
export async function reopen(environment: TestEnvironment, side: Side, number: bigint, id: Hex): Promise<void> {
  const { accounts, book } = environment;
  const { contract: address } = getDomain(book, side);
  const abi: Abi = side === 'ethereum' ? bridgeLockAbi : bridgeMintAbi;
  const call = async (functionName: string, ...args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args });
    await sendGood(environment, side, accounts.deployer, [{ to: address, data, gas: 1_000_000n }]);
  };
  await call('pause', false, true);
  await call('reopen', number >> 8n, 1n << (number & 255n), 0n);
  await call('reopenIds', [id], [0n]);
  const pauses = { address, abi: bridgeLockAbi, functionName: 'pauses' } as const;
  const [, , count] = await environment[side].client.readContract(pauses);
  await call('unpause', count, false, true);
}
