import type { CallFrame } from '../execution/call-frame.js';
import type { StateChanges } from '../state/world-state.js';
import type { StateCommit } from '../state/state-trie.js';
import type { ChainTransaction } from '../transaction/chain-transaction.js';
import type { Header } from './header.js';
import type { Receipt } from './receipt.js';

/** A transaction in a block, with all that came of it. */
export interface SealedTransaction {
  readonly transaction: ChainTransaction;
  readonly receipt: Receipt;
  readonly calls: CallFrame;
}

/** A whole block that is ready to be written. */
export interface SealedBlock {
  readonly hash: Uint8Array;
  readonly header: Header;
  readonly transactions: readonly SealedTransaction[];
  readonly changes: StateChanges;
  readonly state: StateCommit;
}
