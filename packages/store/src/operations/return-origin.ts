import type { Hex } from 'viem';
import type { Prisma } from '../generated/prisma/client.js';
import type { ScannedTransfer } from '../scan/scanned-block.js';
import { advanceOperation } from './advance-operation.js';
import type { OperationTerms, OriginRecord } from './operation.js';

// Only after an operator has accepted a reorg of what was final are there operations whose origin is not among what was
// read. When the other branch shows the same origin again, the operation stands there from then on.

/**
 * Gives an operation that lost its origin the place where a deposit or burn with its id and terms is now. One that is
 * completed or has failed stays as it is; so does one whose number another deposit or burn has taken: the contract of the
 * destination pays a number once, so people must settle that (the command `unmatched` of the relayer shows it).
 *
 * @returns false when there is no such operation, and one is to be opened.
 */
export async function returnOrigin(
  tx: Prisma.TransactionClient,
  terms: OperationTerms,
  origin: OriginRecord,
): Promise<boolean> {
  const [known] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM operation o WHERE o.id = ${terms.id} AND NOT EXISTS (
      SELECT 1 FROM chain_event e WHERE e.chain_id = o.origin_chain_id AND e.tx_hash = o.origin_tx_hash
        AND e.log_index = o.origin_log_index AND e.block_hash = o.origin_block_hash)`;
  if (known === undefined) return false;
  await advanceOperation(tx, terms.id, (now) =>
    isLive(now.status) &&
    now.sender === terms.sender &&
    now.recipient === terms.recipient &&
    now.asset === terms.asset &&
    now.amount.toFixed(0) === terms.amount.toString() &&
    now.fee.toFixed(0) === terms.fee.toString()
      ? place(origin)
      : null,
  );
  return true;
}

/** Gives an intent that lost its transfer the same transaction in its new block. Returns its id; null when none lost it. */
export async function returnTransfer(
  tx: Prisma.TransactionClient,
  chainId: number,
  transfer: ScannedTransfer,
  block: { readonly blockNumber: bigint; readonly blockHash: Hex },
): Promise<string | null> {
  const lost = await tx.operation.findFirst({
    where: { kind: 'INTENT', originChainId: chainId, originTxHash: transfer.txHash, transfer: null },
    select: { id: true },
  });
  if (lost === null) return null;
  const origin = { txHash: transfer.txHash, logIndex: null, ...block };
  const returned = await advanceOperation(tx, lost.id, (now) =>
    isLive(now.status) && now.sender === transfer.payer && now.amount.toFixed(0) === transfer.amount.toString()
      ? place(origin)
      : null,
  );
  return returned ? lost.id : null;
}

function isLive(status: string): boolean {
  return status === 'AWAITING_RELAY' || status === 'PROCESSING_DESTINATION' || status === 'DELAYED';
}

function place({ txHash, logIndex, blockNumber, blockHash }: OriginRecord) {
  return {
    originTxHash: txHash,
    originLogIndex: logIndex,
    originBlockNumber: blockNumber,
    originBlockHash: blockHash,
    originConfirmations: 1,
  };
}
