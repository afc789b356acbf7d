import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type Asset, type BridgeOperationResponse, type Direction } from '@causeway/protocol';
import type { TransactionReceipt } from 'viem';
import type { World } from '../world/world.js';
import type { Progress } from './progress.js';
import type { Sent, User } from './user.js';

const POLL_MS = 250;
const PATIENCE_MS = 180_000;

/** A transfer that is over. */
export interface Finished {
  readonly asset: Asset;
  readonly direction: Direction;
  readonly operation: BridgeOperationResponse;
  readonly seconds: number;
  readonly originReceipts: readonly TransactionReceipt[];
  readonly delivery: TransactionReceipt;
}

/**
 * Follows a transfer that was sent until it has ended, as a client would: by polling its status.
 *
 * @throws Error when it does not complete.
 */
export async function follow(
  world: World,
  user: User,
  progress: Progress,
  title: string,
  sending: Promise<Sent>,
): Promise<Finished> {
  const startedAtMs = Date.now();
  const { originTxHash, receipts } = await sending;
  for (;;) {
    const operation = await user.status(originTxHash);
    progress.update(title, operation);
    if (operation !== null && isTerminal(operation.status)) {
      if (operation.status !== 'COMPLETED' || operation.settlement === null) {
        throw new Error(`${title} ended as ${operation.status}: ${operation.failureReason ?? ''}`);
      }
      const side = operation.direction === 'ETHEREUM_TO_PARTNER' ? world.partner : world.ethereum;
      return {
        asset: operation.asset,
        direction: operation.direction,
        operation,
        seconds: (Date.now() - startedAtMs) / 1000,
        originReceipts: receipts,
        delivery: await side.client.getTransactionReceipt({ hash: operation.settlement.txHash }),
      };
    }
    if (Date.now() - startedAtMs > PATIENCE_MS)
      throw new Error(`${title} is ${operation?.status ?? 'not seen'} after ${PATIENCE_MS / 1000} s`);
    await sleep(POLL_MS);
  }
}
