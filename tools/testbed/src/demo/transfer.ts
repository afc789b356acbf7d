import { setTimeout as sleep } from 'node:timers/promises';
import {
  isTerminal,
  type Asset,
  type BridgeOperationResponse,
  type Direction,
  type OperationStatus,
} from '@causeway/protocol';
import logUpdate from 'log-update';
import colors from 'picocolors';
import type { TransactionReceipt } from 'viem';
import type { Environment } from '../environment/environment.js';
import type { Sent, User } from '../bridge/user.js';

const POLL_MS = 250;
const PATIENCE_MS = 180_000;
/** Fits the longest title, with 20 digits of ETH, in a line of 80 columns. */
const TITLE_WIDTH = 28;

/** A transfer that has completed. */
export interface Finished {
  readonly asset: Asset;
  readonly direction: Direction;
  readonly operation: BridgeOperationResponse;
  readonly seconds: number;
  readonly originReceipts: readonly TransactionReceipt[];
  readonly delivery: TransactionReceipt;
}

/**
 * Polls the status of a transfer until it has ended.
 *
 * @throws Error when it does not complete.
 */
export async function follow(
  environment: Environment,
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
      const side = operation.direction === 'ETHEREUM_TO_PARTNER' ? environment.partner : environment.ethereum;
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

/** One transfer on the screen. */
interface Row {
  readonly title: string;
  readonly startedAtMs: number;
  status: OperationStatus | 'SENDING' | 'NOT SEEN YET';
  detail: string;
}

/** Shows pending transfers: redrawn on a terminal, otherwise as a log. */
export class Progress {
  private readonly rows = new Map<string, Row>();

  /** @param live redraw the lines of all transfers; otherwise print a line for each change. */
  constructor(
    private readonly live: boolean,
    private readonly print: (line: string) => void,
  ) {}

  /** Adds a transfer that begins. */
  begin(title: string): void {
    this.rows.set(title, { title, startedAtMs: Date.now(), status: 'SENDING', detail: '' });
    this.show(title, true);
  }

  /** @param operation the API's latest answer; null while the API does not know the transfer. */
  update(title: string, operation: BridgeOperationResponse | null): void {
    const row = this.rows.get(title);
    if (row === undefined) return;
    const before = row.status;
    row.status = operation?.status ?? 'NOT SEEN YET';
    row.detail = operation === null ? '' : describeProgress(operation);
    this.show(title, before !== row.status);
  }

  /** Ends the redrawing; the last lines stay on the screen. */
  finish(): void {
    if (this.live) logUpdate.done();
    this.rows.clear();
  }

  private show(title: string, changed: boolean): void {
    const row = this.rows.get(title);
    if (this.live) logUpdate([...this.rows.values()].map((each) => formatLine(each)).join('\n'));
    else if (changed && row !== undefined) this.print(formatLine(row));
  }
}

function formatLine({ title, startedAtMs, status, detail }: Row): string {
  const isBad = status === 'FAILED' || status === 'DELAYED';
  const paint = status === 'COMPLETED' ? colors.green : isBad ? colors.red : colors.cyan;
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1).padStart(5);
  return `${seconds} s  ${title.padEnd(TITLE_WIDTH)} ${paint(status)} ${colors.dim(detail)}`.trimEnd();
}

function describeProgress(operation: BridgeOperationResponse): string {
  switch (operation.status) {
    case 'CONFIRMING':
      return `${operation.originConfirmations}/${operation.requiredConfirmations} confirmations`;
    case 'AWAITING_RELAY':
      return operation.holdUntil === null ? '' : `held until ${operation.holdUntil.slice(11, 19)} UTC`;
    case 'PROCESSING_DESTINATION':
      return `in ${operation.destinationTxHash?.slice(0, 12)}…`;
    case 'DELAYED':
      return operation.delayedReason ?? '';
    case 'FAILED':
      return operation.failureReason ?? '';
    case 'COMPLETED':
    case 'PENDING_ORIGIN_TX':
    case 'EXPIRED':
      return '';
  }
}
