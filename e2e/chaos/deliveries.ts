import { DEFAULT_FEE_POLICIES, pickAsset, quoteFee, getToken } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Environment } from '@causeway/testbed';
import { parseEventLogs, type Address, type Hex } from 'viem';
import type { DecidedRefund, SentOperation } from './operation.ts';
import type { Side } from './network/service-links.ts';

/** The parts of the bridge that the checks read. */
export type CheckedBridge = Pick<Environment, 'accounts' | 'book' | 'ethereum' | 'partner'>;

/** The expected result of an operation. */
export interface Expectation {
  readonly operation: SentOperation;
  /** Id of the delivery or refund. */
  readonly id: Hex;
  /** The amount that the recipient must have received, in atomic units. */
  readonly outputAmount: bigint;
}

interface Delivery {
  readonly id: Hex;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly txHash: Hex;
}

/**
 * Computes the expected result of an operation from its transaction on the chain and the specification's fees.
 */
export async function computeExpectation(
  { ethereum, partner }: Pick<CheckedBridge, 'ethereum' | 'partner'>,
  operation: SentOperation,
  refund: DecidedRefund | null,
): Promise<Expectation> {
  const { kind, side, amount, asset, originTxHash } = operation;
  const { client } = side === 'ethereum' ? ethereum : partner;
  const { status, logs } = await client.getTransactionReceipt({ hash: originTxHash });
  if (status !== 'success') throw new Error(`The transaction of ${describe(operation)} reverted`);
  if (refund !== null) return { operation, id: refund.id, outputAmount: refund.paid };
  if (kind === 'deposit') {
    const [event] = parseEventLogs({ abi: bridgeLockAbi, logs, eventName: 'Deposit' });
    if (event === undefined) throw new Error(`${describe(operation)} has no Deposit event`);
    return { operation, id: event.args.depositId, outputAmount: amount };
  }
  const policy = { ...pickAsset(DEFAULT_FEE_POLICIES, asset), maxAmount: amount };
  const { outputAmount } = quoteFee(asset, policy, amount, 'PARTNER_TO_ETHEREUM');
  if (operation.intentId !== undefined) return { operation, id: operation.intentId, outputAmount };
  const [event] = parseEventLogs({ abi: bridgeMintAbi, logs, eventName: 'Withdraw' });
  if (event === undefined) throw new Error(`${describe(operation)} has no Withdraw event`);
  return { operation, id: event.args.withdrawId, outputAmount };
}

/**
 * Compares the deliveries on both chains with the expected ones.
 *
 * @param since the first block of each chain to check.
 * @returns a sentence for each difference.
 */
export async function wrongDeliveries(
  bridge: CheckedBridge,
  expectations: readonly Expectation[],
  since: { readonly ethereum: bigint; readonly partner: bigint },
): Promise<string[]> {
  const { book } = bridge;
  const found = Map.groupBy(await deliveriesSince(bridge, since), ({ id }) => id);
  const problems: string[] = [];
  for (const { operation, id, outputAmount } of expectations) {
    const deliveries = found.get(id) ?? [];
    found.delete(id);
    // On Ethereum a refund is a plain transfer, which the payer's balance shows.
    if (operation.kind === 'mistake' && operation.side === 'ethereum') continue;
    // A refused refund is not paid.
    if (deliveries.length !== (outputAmount === 0n ? 0 : 1))
      problems.push(
        `${describe(operation)} was delivered ${deliveries.length} times: ${deliveries.map(({ txHash }) => txHash).join(', ')}`,
      );
    const token = getToken(book, deliverySide(operation), operation.asset);
    for (const { txHash, ...paid } of deliveries) {
      const right = { token, recipient: operation.recipient, amount: outputAmount };
      for (const [field, value] of Object.entries(right)) {
        const actual = paid[field as keyof typeof right];
        if (`${actual}`.toLowerCase() !== `${value}`.toLowerCase())
          problems.push(`${describe(operation)} was delivered in ${txHash} with ${field} ${actual}; expected ${value}`);
      }
    }
  }
  for (const [id, deliveries] of found)
    problems.push(`${id} was delivered, but no user sent it: ${deliveries.map(({ txHash }) => txHash).join(', ')}`);
  return problems;
}

async function deliveriesSince(
  { ethereum, partner, book }: CheckedBridge,
  since: { readonly ethereum: bigint; readonly partner: bigint },
): Promise<Delivery[]> {
  const releases = await ethereum.client.getContractEvents({
    address: book.ethereum.bridgeLock,
    abi: bridgeLockAbi,
    eventName: 'Release',
    fromBlock: since.ethereum,
  });
  const onPartner = { address: book.partner.bridgeMint, abi: bridgeMintAbi, fromBlock: since.partner } as const;
  const mints = await partner.client.getContractEvents({ ...onPartner, eventName: 'Mint' });
  const refunds = await partner.client.getContractEvents({ ...onPartner, eventName: 'Refunded' });
  type Args = { readonly token: Address; readonly recipient: Address; readonly amount: bigint };
  const read = (event: { readonly args: object; readonly transactionHash: Hex }, id: Hex | undefined): Delivery => {
    const { token, recipient, amount } = event.args as Args;
    return { id: id ?? '0x', token, recipient, amount, txHash: event.transactionHash };
  };
  return [
    ...releases.map((event) => read(event, event.args.withdrawId)),
    ...mints.map((event) => read(event, event.args.depositId)),
    ...refunds.map((event) => read(event, event.args.refundId)),
  ];
}

/** The chain on which an operation is paid. A mistake is refunded where it was sent. */
export function deliverySide({ kind, side }: SentOperation): Side {
  if (kind === 'mistake') return side;
  return side === 'ethereum' ? 'partner' : 'ethereum';
}

/** Describes an operation in messages. */
export function describe({ kind, amount, asset, originTxHash }: SentOperation): string {
  return `the ${kind} of ${amount} units of ${asset} in ${originTxHash}`;
}
