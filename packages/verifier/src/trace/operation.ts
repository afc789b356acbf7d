import type { Address, Hex } from 'viem';
import { NoQuorumError } from '../nodes/quorum-reader.js';
import type { Verifier } from '../verifier.js';
import { traceBeginning, type Beginning } from './beginning.js';
import { readHead, traceWallet, type Heads } from './heads.js';
import { tracePayment, tracePolicy, type PaymentQuestion, type TracedPayment, type TracedPolicy } from './payments.js';

/** An answer of a quorum of nodes, or the reason for its absence. */
export type Known<T> = { readonly value: T } | { readonly problem: string };

/** The known value, or null. */
export function valueOf<T>(known: Known<T>): T | null {
  return 'value' in known ? known.value : null;
}

/** Everything that both chains show about one operation. */
export interface OperationFacts {
  readonly heads: Known<Heads>;
  /** Null when neither chain has it. */
  readonly beginning: Known<Beginning | null>;
  /** The Mint or Release. Null when it is not paid. */
  readonly delivery: Known<TracedPayment | null>;
  /** The refund on the partner chain. Null when none is paid. */
  readonly refund: Known<TracedPayment | null>;
  /** The fee policy at the beginning of a withdrawal. */
  readonly policy: Known<TracedPolicy | null>;
  /** The relayer wallet that BridgeMint names. */
  readonly wallet: Known<Address>;
  /** By the reader's clock. */
  readonly nowSeconds: number;
}

/** The parts of a trace, in their order. */
export const OPERATION_STEPS = ['heads', 'beginning', 'delivery', 'refund', 'policy', 'wallet'] as const;
export type OperationStep = (typeof OPERATION_STEPS)[number];

/** Claims about an operation. They only spare searches: all of them are proven like the rest. */
export interface OperationHint {
  readonly id: Hex | null;
  readonly isDeposit: boolean;
  /** The transaction in which it began. */
  readonly originHash: Hex | null;
  /** The transaction that delivered it. */
  readonly deliveryHash: Hex | null;
}

/**
 * Reads what both chains show about an operation.
 *
 * @param asked the id of an operation, or the hash of its first transaction.
 * @param hint null without one.
 */
export async function proveOperation(
  asked: Hex,
  hint: OperationHint | null,
  verifier: Verifier,
  onStep: (step: OperationStep) => void = () => undefined,
): Promise<OperationFacts> {
  const known = async <T>(step: OperationStep, read: () => Promise<T>): Promise<Known<T>> => {
    onStep(step);
    try {
      return { value: await read() };
    } catch (error) {
      if (!(error instanceof NoQuorumError)) throw error;
      return { problem: error.message };
    }
  };
  const nowSeconds = verifier.now();
  const heads = await known('heads', async () => {
    const [ethereum, partner] = await Promise.all([readHead(verifier, 'ethereum'), readHead(verifier, 'partner')]);
    return { ethereum, partner };
  });
  if ('problem' in heads)
    return { heads, beginning: heads, delivery: heads, refund: heads, policy: heads, wallet: heads, nowSeconds };
  const at = heads.value;
  const beginning = await known('beginning', async () => findBeginning(asked, hint, verifier, at));
  const begun = valueOf(beginning);
  const question = toQuestion(asked, hint, begun);
  const delivery = await known('delivery', async () =>
    question === null ? null : tracePayment(question, verifier, at),
  );
  const refund = await known('refund', async () =>
    begun?.kind === 'PAYMENT' && begun.side === 'partner'
      ? tracePayment(
          { side: 'partner', name: 'Refunded', id: begun.transferId, number: null, transactionHash: null },
          verifier,
          at,
        )
      : null,
  );
  const policy = await known('policy', async () =>
    begun?.side === 'partner' ? tracePolicy(verifier, begun.token, begun.blockNumber) : null,
  );
  const wallet = await known('wallet', async () => traceWallet(verifier, at));
  return { heads, beginning, delivery, refund, policy, wallet, nowSeconds };
}

/** As a transaction first: then the hint cannot choose what is checked. */
async function findBeginning(
  asked: Hex,
  hint: OperationHint | null,
  verifier: Verifier,
  heads: Heads,
): Promise<Beginning | null> {
  const first = await traceBeginning({ id: null, transactionHash: asked }, verifier, heads);
  if (first !== null) {
    // The hint may be about another operation of the same transaction.
    const isMeant = first.kind === 'EVENT' ? first.id === hint?.id : first.isOnly;
    if (hint === null || isMeant) return first;
    const named = await traceBeginning({ id: hint.id, transactionHash: asked }, verifier, heads);
    return named?.transactionHash === asked ? named : first;
  }
  return traceBeginning({ id: asked, transactionHash: hint?.originHash ?? null }, verifier, heads);
}

/** The delivery to look for. Null when the id of the operation is not known: a payment without a memo, and no hint. */
function toQuestion(asked: Hex, hint: OperationHint | null, begun: Beginning | null): PaymentQuestion | null {
  const transactionHash = hint?.deliveryHash ?? null;
  if (begun?.kind === 'EVENT') {
    const { id, number, side } = begun;
    const isDeposit = side === 'ethereum';
    return {
      side: isDeposit ? 'partner' : 'ethereum',
      name: isDeposit ? 'Mint' : 'Release',
      id,
      number,
      transactionHash,
    };
  }
  if (begun === null && hint?.isDeposit === true)
    return { side: 'partner', name: 'Mint', id: asked, number: null, transactionHash };
  const id = begun?.transactionHash === asked ? (begun.memo ?? hint?.id ?? null) : asked;
  return id === null ? null : { side: 'ethereum', name: 'Release', id, number: null, transactionHash };
}
