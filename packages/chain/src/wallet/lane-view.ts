import type { Books } from './books.js';

/** The wallet at one block, `head`. */
export interface WalletState {
  readonly head: bigint;
  /** Transactions of the wallet that are mined. */
  readonly chainNonce: bigint;
  /** In wei of the RPC. */
  readonly balance: bigint;
}

/** What the lane sees at one block. Amounts in wei of the RPC. */
export interface LaneView<C> extends WalletState {
  /** The next nonce that no call has. */
  readonly nextNonce: bigint;
  /** The pending calls whose nonces that block has, and those that it does not have. */
  readonly mined: readonly C[];
  readonly unmined: readonly C[];
  readonly books: Books;
  /** What may leave the wallet as value. */
  readonly spendable: bigint;
}
