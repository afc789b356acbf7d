import type { Hex } from 'viem';
import type { LogMatcher } from '../subscriptions/log-matcher.js';
import type { LogQuery } from '../schemas/log-query.js';

/** What every filter has. */
interface Base {
  readonly id: Hex;
  /** Whom it counts for. */
  readonly ip: string;
  /** What has been answered: an entry of a journal. */
  cursor: number;
  /** Number of the newest block when the filter was made. Blocks up to it that are told later are no news, unless a reorganisation brought them. */
  baseline: number;
  /** Monotonic milliseconds. */
  polledAt: number;
  /** Polls of one filter run one after the other: the last of them, and how many there are. */
  turn: Promise<unknown>;
  polls: number;
  /** Called once when the filter ends. */
  readonly release: () => void;
}

/** A filter for logs. */
export interface LogFilter extends Base {
  readonly kind: 'logs';
  readonly query: LogQuery;
  readonly matcher: LogMatcher;
}

/** A filter for hashes of blocks. */
export interface BlockFilter extends Base {
  readonly kind: 'blocks';
}

/** A filter for hashes of pending transactions. */
export interface PendingFilter extends Base {
  readonly kind: 'pendingTransactions';
}

/** A filter, kept for its client between polls. */
export type Filter = LogFilter | BlockFilter | PendingFilter;
