import type { Address } from 'viem';
import { formatAmount, type Asset } from '../assets.js';
import type { Side } from '../chains.js';
import { transferWithoutIntent } from './refund.js';
import { CHAIN, CONTRACT, type Finding } from './verdict.js';

/** Why the bridge contract refused a call. Amounts in atomic units of `asset`. */
export interface RevertReason {
  /** Name of the custom error, such as `BelowMinimum`. */
  readonly errorName: string;
  /** Set for `BelowMinimum` of a known asset; otherwise null. */
  readonly minimum: { readonly asset: Asset; readonly amount: bigint; readonly minimum: bigint } | null;
}

/** An asset that a transaction sent to an address of the bridge without a call of the bridge. */
export interface Arrival {
  readonly asset: Asset;
  /** In atomic units. */
  readonly amount: bigint;
  /** Name of the address in a sentence, such as "BridgeLock, a contract of the bridge". */
  readonly name: string;
  readonly account: Address;
  /** True for the relayer wallet, which can refund the asset. A bridge contract cannot. */
  readonly isWallet: boolean;
}

/** A transaction that begins no operation, as the nodes return it. */
export type ExplainedTransaction = { readonly side: Side } & (
  | { readonly state: 'pending' }
  /** `revertReason`: null if the transaction did not call the bridge or the nodes do not return the reason. */
  | { readonly state: 'reverted'; readonly revertReason: RevertReason | null }
  | {
      readonly state: 'succeeded';
      /** Null for a contract creation. */
      readonly to: Address | null;
      /** What `to` is: the bridge contract, a bridged token, the relayer wallet, or another account. */
      readonly target: 'bridge' | 'token' | 'wallet' | 'other';
      /** The native coin first, then tokens in log order. */
      readonly arrivals: readonly Arrival[];
    }
);

/** Explains a transaction that begins no operation. */
export function explainTransaction(transaction: ExplainedTransaction): Finding {
  const chain = CHAIN[transaction.side];
  switch (transaction.state) {
    case 'pending':
      return {
        code: 'NOT_MINED',
        message: `The transaction is known on ${chain}, and no block has it yet.`,
        nextStep: 'Wait until it is mined, or raise its fee in your wallet: then ask for the new hash.',
      };
    case 'reverted':
      return reverted(chain, transaction.revertReason);
    case 'succeeded':
      return beganNothing(transaction);
  }
}

function beganNothing({ side, to, target, arrivals }: Extract<ExplainedTransaction, { state: 'succeeded' }>): Finding {
  if (arrivals[0] !== undefined) return strayed(side, arrivals[0]);
  const succeeded = `The transaction succeeded on ${CHAIN[side]}`;
  const isSmartAccountPossible = side === 'partner';
  switch (target) {
    case 'bridge':
      return {
        code: 'NO_OPERATION',
        message: `${succeeded}: it called ${CONTRACT[side]}, and began no operation.`,
        nextStep: 'Only deposits, burns and withdrawals of XCN begin one. Check which function was called.',
      };
    case 'wallet':
      return transferWithoutIntent(null, null);
    case 'token':
      return {
        code: 'OTHER_CONTRACT',
        message: `${succeeded}: it called the token ${to}, and began no operation.`,
        nextStep: `An approval or a transfer of a token begins none: ask for the transaction that called ${CONTRACT[side]}.`,
      };
    case 'other':
      return {
        code: 'OTHER_CONTRACT',
        message: `${succeeded}, but ${to === null ? 'it created a contract' : `it went to ${to}, which is not of the bridge`}, and began no operation.`,
        nextStep: isSmartAccountPossible
          ? 'Check hash and network. If a smart account paid an intent in it, that counts once the block is final.'
          : 'Check the hash and the network.',
      };
  }
}

/** Explains an asset that was sent to an address of the bridge without a call. */
function strayed(side: Side, { asset, amount, name, account, isWallet }: Arrival): Finding {
  if (isWallet) return transferWithoutIntent(null, { side, asset, amount });
  const chain = CHAIN[side];
  const what = `${formatAmount(asset, amount)} ${asset}`;
  return {
    code: 'NO_OPERATION',
    message: `The transaction sent ${what} to ${name} (${account}), on ${chain}. It began no operation: only a call of ${CONTRACT[side]} does.`,
    nextStep:
      'Send no more. It is not bridged, and no function of the bridge takes it out again, so it does not come back ' +
      'automatically. Ask the operators of the bridge with this hash.',
  };
}

function reverted(chain: string, reason: RevertReason | null): Finding {
  const nothing = 'The transaction reverted';
  if (reason?.errorName === 'BelowMinimum') {
    const { minimum: bound } = reason;
    const amounts =
      bound === null
        ? ''
        : `: ${formatAmount(bound.asset, bound.amount)} ${bound.asset}, and the minimum is ${formatAmount(bound.asset, bound.minimum)}`;
    return {
      code: 'BELOW_MINIMUM',
      message: `${nothing} on ${chain}, since the amount is below the minimum${amounts}. It moved nothing but its gas.`,
      nextStep: 'Send a new transaction of at least the minimum.',
    };
  }
  const why = reason === null ? '' : ` with ${reason.errorName}`;
  return {
    code: 'REVERTED',
    message: `${nothing} on ${chain}${why}. It moved nothing but its gas.`,
    nextStep: REVERT_STEPS[reason?.errorName ?? ''] ?? 'Correct the call and send a new transaction.',
  };
}

/** Remedies for the most frequent errors. */
const REVERT_STEPS: Readonly<Record<string, string>> = {
  Paused: 'Ask the limits whether the direction is still paused, then send a new transaction.',
  AboveMaximum: 'Send a smaller amount: the limits name the maximum of one operation.',
  FeeAboveMaximum: 'The fee rose since you asked: get a new quote, then send a new transaction.',
};
