import { assetInfo, parseAmount, getToken } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi } from '@causeway/protocol/abi';
import { BaseError, ContractFunctionRevertedError, parseGwei } from 'viem';
import type { Environment } from '../environment/environment.js';
import { ApiRefusal, type User } from '../bridge/user.js';

/** One way to move a fraction of a unit, and the error message that refused it. */
export interface DustRefusal {
  readonly where: string;
  readonly refusal: string;
}

/** One XCN and one wei, which the partner chain cannot represent. */
const DUSTY = parseAmount('XCN', '1') + 1n;
const TRANSFER_GAS = 21_000n;

/**
 * Tries every way to move XCN with more than 8 decimals. Each must be refused, since the partner chain's EVM would lose
 * the remainder.
 *
 * @throws Error naming the way that was not refused.
 */
export async function tryDust(environment: Environment, user: User): Promise<DustRefusal[]> {
  const { book, ethereum, partner } = environment;
  const wallet = partner.getWallet(user.account);
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
          args: [getToken(book, 'ethereum', 'XCN'), DUSTY, user.account.address],
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
    refusals.push({ where, refusal: await expectRefusal(where, attempt) });
  }
  return refusals;
}

async function expectRefusal(where: string, attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt();
  } catch (error) {
    const message = findRefusalMessage(error);
    if (message !== null) return message;
    throw error;
  }
  throw new Error(
    `${where}: ${DUSTY} wei was accepted, although XCN has ${assetInfo('XCN').displayDecimals} decimals there`,
  );
}

/** The message of the contract, the API or the node; null for an error that is not a refusal. */
function findRefusalMessage(error: unknown): string | null {
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
