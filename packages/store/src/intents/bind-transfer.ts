import type { Asset } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { Prisma } from '../generated/prisma/client.js';
import { lockUnhaltedChains } from '../locks/chain-locks.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { isInWindow } from './payment-window.js';

/** One arrival at a relayer wallet. */
export interface TransferKey {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly asset: Asset;
  /** See `ScannedTransfer`. */
  readonly callIndex: number;
}

/**
 * Binds a transfer to a pending intent. It checks payer, amount and window again under the locks, since a bound
 * transfer leads to a release of money.
 *
 * @returns false when the transfer or the intent is already bound, they do not fit, or a chain is halted.
 */
export async function bindTransfer(tx: Prisma.TransactionClient, key: TransferKey, id: Hex): Promise<boolean> {
  const { chainId, txHash, asset, callIndex } = key;
  const where = { chainId_txHash_asset_callIndex: { chainId, txHash, asset, callIndex } };
  if (!(await lockUnhaltedChains(tx, id))) return false;
  await tx.$queryRaw`
    SELECT 1 FROM inbound_transfer WHERE chain_id = ${chainId} AND tx_hash = ${txHash} AND asset = ${asset}::"Asset"
      AND call_index = ${callIndex} FOR UPDATE`;
  const transfer = await tx.inboundTransfer.findUnique({ where });
  const intent = await tx.intent.findUnique({ where: { id } });
  if (transfer === null || transfer.operationId !== null || intent === null) return false;
  if (!isInWindow(transfer.minedAt, intent)) return false;
  const bound = await advanceOperation(tx, id, (now) =>
    now.status === 'PENDING_ORIGIN_TX' &&
    now.asset === transfer.asset &&
    now.sender === transfer.payer &&
    now.amount.equals(transfer.amount) &&
    now.originChainId === transfer.chainId
      ? {
          originTxHash: transfer.txHash,
          originLogIndex: null,
          originBlockNumber: transfer.blockNumber,
          originBlockHash: transfer.blockHash,
          originConfirmations: 1,
        }
      : null,
  );
  if (!bound) return false;
  await tx.inboundTransfer.update({ where, data: { operationId: id } });
  return true;
}
