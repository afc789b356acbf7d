import { readLogs, type AgreedLog } from '@causeway/chain';
import { computeRefundId } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { TransferPlace, UnsweptTransfer } from '@causeway/store';
import { decodeEventLog, encodeEventTopics, type Hex } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

const [SWEPT] = encodeEventTopics({ abi: bridgeMintAbi, eventName: 'Swept' });

/** The coin of one transfer that came into the float. */
export interface SweptEvent {
  readonly transferId: Hex;
  /** 18-decimal units. */
  readonly amount: bigint;
  readonly txHash: Hex;
  readonly blockNumber: bigint;
}

/** The transfers that one transaction swept. */
export interface ChainSweep {
  readonly operationIds: readonly Hex[];
  /** The sum of their amounts. */
  readonly amount: bigint;
  readonly blockNumber: bigint;
}

/** The id that a refund of the transfer would have: the contracts know the transfer by it. */
export function getTransferId(chainId: number, transfer: Pick<TransferPlace, 'txHash' | 'callIndex'>): Hex {
  const { txHash, callIndex } = transfer;
  return computeRefundId({ chainId, txHash, asset: 'XCN', callIndex });
}

/** Decodes a Swept event of BridgeMint; null for another log. */
export function decodeSwept({ topics, data, transactionHash, blockNumber }: AgreedLog): SweptEvent | null {
  if (topics[0] !== SWEPT) return null;
  const log = { topics: [...topics] as [Hex, ...Hex[]], data };
  const { transferId, amount } = decodeEventLog({ abi: bridgeMintAbi, eventName: 'Swept', ...log }).args;
  return { transferId, amount, txHash: transactionHash, blockNumber };
}

/**
 * Reads the Swept events of a range of blocks, as a quorum of nodes has them.
 *
 * @throws QuorumError
 */
export async function readSwept({ connection, bridge }: BridgeChain, from: bigint, to: bigint): Promise<SweptEvent[]> {
  const found: SweptEvent[] = [];
  for await (const { logs } of readLogs(connection, { contracts: [bridge], topics: [SWEPT], from, to }))
    found.push(...logs.flatMap((log) => decodeSwept(log) ?? []));
  return found;
}

/** Finds which of the transfers the chain shows as swept in full, one sweep for each transaction. Pure. */
export function findSweeps(
  chainId: number,
  transfers: readonly UnsweptTransfer[],
  events: readonly SweptEvent[],
): readonly ChainSweep[] {
  const left = new Map(transfers.map((transfer) => [getTransferId(chainId, transfer), transfer]));
  const sweeps = new Map<Hex, ChainSweep>();
  for (const { transferId, amount, txHash, blockNumber } of events) {
    const transfer = left.get(transferId);
    if (transfer === undefined || amount < transfer.amount) continue;
    left.delete(transferId);
    const { operationIds, amount: sum } = sweeps.get(txHash) ?? { operationIds: [], amount: 0n };
    sweeps.set(txHash, {
      operationIds: [...operationIds, transfer.operationId],
      amount: sum + transfer.amount,
      blockNumber,
    });
  }
  return [...sweeps.values()];
}
