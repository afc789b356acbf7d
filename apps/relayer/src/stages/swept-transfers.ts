import { readLogs, type AgreedLog } from '@causeway/chain';
import { computeRefundId } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { TransferPlace, UnsweptTransfer } from '@causeway/store';
import { decodeEventLog, encodeEventTopics, numberToHex, type Hex } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

const [SWEPT] = encodeEventTopics({ abi: bridgeMintAbi, eventName: 'Swept' });

/** The coin of one transfer that entered the float. */
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

/** The id that a refund of the transfer would have, by which the contracts identify the transfer. */
export function getTransferId(chainId: number, transfer: Pick<TransferPlace, 'txHash' | 'callIndex'>): Hex {
  const { txHash, callIndex } = transfer;
  return computeRefundId({ chainId, txHash, asset: 'XCN', callIndex });
}

/** Decodes a Swept event of BridgeMint; null for other logs. */
export function decodeSwept({ topics, data, transactionHash, blockNumber }: AgreedLog): SweptEvent | null {
  if (topics[0] !== SWEPT) return null;
  const log = { topics: [...topics] as [Hex, ...Hex[]], data };
  const { transferId, amount } = decodeEventLog({ abi: bridgeMintAbi, eventName: 'Swept', ...log }).args;
  return { transferId, amount, txHash: transactionHash, blockNumber };
}

/**
 * Reads the Swept events of some transfers up to a block, by a quorum of nodes. The query filters by transfer and
 * amount, so that cheap events made with a stolen key are not read.
 *
 * @throws QuorumError
 */
export async function readSwept(
  { chainId, connection, bridge }: BridgeChain,
  transfers: readonly UnsweptTransfer[],
  to: bigint,
): Promise<SweptEvent[]> {
  const from = transfers.reduce((least, { blockNumber }) => (blockNumber < least ? blockNumber : least), to);
  const ids = transfers.map((transfer) => getTransferId(chainId, transfer));
  const amounts = transfers.map(({ amount }) => numberToHex(amount, { size: 32 }));
  const events = { contracts: [bridge], topics: [SWEPT], indexed: [ids, [...new Set(amounts)]] };
  const found: SweptEvent[] = [];
  for await (const { logs } of readLogs(connection, { ...events, from, to }))
    found.push(...logs.flatMap((log) => decodeSwept(log) ?? []));
  return found;
}

/** Finds which of the transfers the chain shows as fully swept, grouped by transaction. Pure. */
export function findSweeps(
  chainId: number,
  transfers: readonly UnsweptTransfer[],
  events: readonly SweptEvent[],
): readonly ChainSweep[] {
  const left = new Map(transfers.map((transfer) => [getTransferId(chainId, transfer), transfer]));
  const sweeps = new Map<Hex, ChainSweep>();
  for (const { transferId, amount, txHash, blockNumber } of events) {
    const transfer = left.get(transferId);
    if (transfer === undefined || amount !== transfer.amount) continue;
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
