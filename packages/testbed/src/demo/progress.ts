import type { BridgeOperationResponse, OperationStatus } from '@causeway/protocol';
import logUpdate from 'log-update';
import colors from 'picocolors';

/** What is shown of one transfer. */
interface Row {
  readonly title: string;
  readonly startedAtMs: number;
  status: OperationStatus | 'SENDING' | 'NOT SEEN YET';
  detail: string;
}

/** Shows transfers on their way: lines that are redrawn on a terminal, a plain log elsewhere. */
export class Progress {
  private readonly rows = new Map<string, Row>();

  constructor(
    private readonly live: boolean,
    private readonly print: (line: string) => void,
  ) {}

  /** A transfer begins. */
  begin(title: string): void {
    this.rows.set(title, { title, startedAtMs: Date.now(), status: 'SENDING', detail: '' });
    this.show(title, true);
  }

  /** What the API says of it now; null while it does not know it. */
  update(title: string, operation: BridgeOperationResponse | null): void {
    const row = this.rows.get(title);
    if (row === undefined) return;
    const before = row.status;
    row.status = operation?.status ?? 'NOT SEEN YET';
    row.detail = operation === null ? '' : detailOf(operation);
    this.show(title, before !== row.status);
  }

  /** Leaves the last picture on the screen. */
  finish(): void {
    if (this.live) logUpdate.done();
    this.rows.clear();
  }

  private show(title: string, changed: boolean): void {
    if (this.live) logUpdate([...this.rows.values()].map((row) => lineOf(row)).join('\n'));
    else if (changed) {
      const row = this.rows.get(title);
      if (row !== undefined)
        this.print(`${seconds(row)}  ${row.title.padEnd(32)} ${row.status} ${row.detail}`.trimEnd());
    }
  }
}

function lineOf(row: Row): string {
  const paint =
    row.status === 'COMPLETED'
      ? colors.green
      : row.status === 'FAILED' || row.status === 'DELAYED'
        ? colors.red
        : colors.cyan;
  return `${seconds(row)}  ${row.title.padEnd(32)} ${paint(row.status.padEnd(22))} ${colors.dim(row.detail)}`;
}

function seconds({ startedAtMs }: Row): string {
  return `${((Date.now() - startedAtMs) / 1000).toFixed(1).padStart(6)} s`;
}

function detailOf(operation: BridgeOperationResponse): string {
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
