import { assetInfo, parseAmount, tokenOfAsset } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi } from '@causeway/protocol/abi';
import { BaseError, ContractFunctionRevertedError, parseGwei } from 'viem';
import type { World } from '../world/world.js';
import { ApiRefusal, type User } from './user.js';

/** One way of moving a fraction of a unit, and the words with which it was refused. */
export interface DustRefusal {
  readonly where: string;
  readonly refusal: string;
}

/** One wei of XCN more than can exist on the partner chain. */
const DUSTY = parseAmount('XCN', '1') + 1n;
const TRANSFER_GAS = 21_000n;

/**
 * Tries to move XCN with more than 8 decimals in every way there is. Each must be refused, since inside the partner chain's EVM the rest would be lost.
 *
 * @throws Error naming a way that is open.
 */
export async function tryDust(world: World, user: User): Promise<DustRefusal[]> {
  const { book, ethereum, partner } = world;
  const wallet = partner.walletOf(user.account);
  const transfer = { to: book.relayer, value: DUSTY } as const;
  const attempts: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'deposit of XCN on Ethereum',
      () =>
        ethereum.client.simulateContract({
          account: user.account.address,
          address: book.ethereum.bridgeLock,
          abi: [...bridgeLockAbi, ...bridgedTokenAbi],
          functionName: 'deposit',
          args: [tokenOfAsset(book, 'ethereum', 'XCN'), DUSTY, user.account.address],
        }),
    ],
    ['intent to withdraw XCN', () => user.registerIntent(DUSTY, user.account.address, 'dust')],
    ['estimate of a transfer', () => partner.client.estimateGas({ account: user.account.address, ...transfer })],
    [
      'signed transfer',
      async () =>
        partner.client.sendRawTransaction({
          serializedTransaction: await wallet.signTransaction({
            ...transfer,
            type: 'eip1559',
            nonce: await partner.client.getTransactionCount({ address: user.account.address }),
            gas: TRANSFER_GAS,
            maxFeePerGas: parseGwei('1'),
            maxPriorityFeePerGas: 0n,
          }),
        }),
    ],
  ];
  const refusals: DustRefusal[] = [];
  for (const [where, attempt] of attempts) {
    refusals.push({ where, refusal: await refusalOf(where, attempt) });
  }
  return refusals;
}

async function refusalOf(where: string, attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt();
  } catch (error) {
    const words = wordsOf(error);
    if (words !== null) return words;
    throw error;
  }
  throw new Error(`${where}: ${DUSTY} wei were taken, though units have ${assetInfo('XCN').displayDecimals} decimals`);
}

/** What the contract, the API or the node says; null for what is no refusal. */
function wordsOf(error: unknown): string | null {
  if (error instanceof ApiRefusal) return error.message;
  if (!(error instanceof BaseError)) return null;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (reverted instanceof ContractFunctionRevertedError) {
    return reverted.data === undefined ? null : `${reverted.data.errorName}(${(reverted.data.args ?? []).join(', ')})`;
  }
  const answer = error.walk((cause) => typeof (cause as { code?: unknown }).code === 'number');
  if (answer === null) return null;
  return answer instanceof BaseError
    ? `${(answer as unknown as { code: number }).code} ${answer.details}`
    : answer.message;
}
