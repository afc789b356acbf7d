import type { PendingBounds } from '@causeway/partner-chain';

/** Most of the waiting transactions that stand in the pending block, whoever asks for it or counts them: the pool may hold far more than a block does. */
export const PENDING_BOUNDS: PendingBounds = { transactions: 1_000, bytes: 1024 * 1024 };
