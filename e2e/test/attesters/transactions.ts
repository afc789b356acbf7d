import type { Address, Hex, TransactionReceipt } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';

export type Side = 'ethereum' | 'partner';

/** A transaction to send. With `gas` it is not simulated, so it can revert. */
export interface Call {
  readonly to?: Address;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
}

export interface Key {
  readonly address: Address;
  readonly privateKey: Hex;
}

/** Sends transactions of one account in order, and waits until all are mined. */
export async function sendAll(
  environment: TestEnvironment,
  side: Side,
  key: Key,
  calls: readonly Call[],
): Promise<readonly TransactionReceipt[]> {
  const { client, getWallet } = environment[side];
  const wallet = getWallet(key);
  const account = privateKeyToAccount(key.privateKey);
  const fees = await client.estimateFeesPerGas();
  const first = await client.getTransactionCount({ address: key.address, blockTag: 'pending' });
  const hashes: Hex[] = [];
  for (const [index, call] of calls.entries())
    hashes.push(
      await wallet.sendTransaction({
        account,
        ...call,
        nonce: first + index,
        maxFeePerGas: 2n * fees.maxFeePerGas,
        maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
      }),
    );
  return Promise.all(hashes.map(async (hash) => client.waitForTransactionReceipt({ hash })));
}

/**
 * As `sendAll`.
 *
 * @throws Error when one reverts.
 */
export async function sendGood(
  environment: TestEnvironment,
  side: Side,
  key: Key,
  calls: readonly Call[],
): Promise<readonly TransactionReceipt[]> {
  const receipts = await sendAll(environment, side, key, calls);
  const bad = receipts.find(({ status }) => status !== 'success');
  if (bad !== undefined) throw new Error(`${bad.transactionHash} on ${side} reverted`);
  return receipts;
}

/** Sums the gas fees of transactions. The partner chain charges whole units of 10^10 wei. */
export function sumGas(receipts: readonly TransactionReceipt[], side: Side): bigint {
  const unit = side === 'partner' ? 10n ** 10n : 1n;
  return receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => {
    const cost = gasUsed * effectiveGasPrice;
    return sum + ((cost + unit - 1n) / unit) * unit;
  }, 0n);
}
