import type { BridgeOperationResponse } from '@causeway/sdk';
import {
  NoQuorumError,
  readHead,
  traceBeginning,
  tracePayment,
  tracePolicy,
  traceWallet,
  type Beginning,
  type Heads,
  type PaymentQuestion,
  type TracedPayment,
  type TracedPolicy,
  type Verifier,
} from '@causeway/verifier';
import type { Address, Hex } from 'viem';

/** An answer of a quorum of nodes, or the reason for its absence. */
export type Known<T> = { readonly value: T } | { readonly problem: string };

/** The known value, or null. */
export function valueOf<T>(known: Known<T>): T | null {
  return 'value' in known ? known.value : null;
}

/** Everything that both chains show about one transfer. */
export interface Facts {
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

/** The parts of a check, in their order. */
export const STEPS = ['heads', 'beginning', 'delivery', 'refund', 'policy', 'wallet'] as const;
export type CheckStep = (typeof STEPS)[number];

/**
 * Reads what both chains show about a transfer. The claim only spares searches: what it names is proven like the rest.
 *
 * @param asked the id of a transfer, or the hash of its first transaction.
 * @param claim what the API says; null without it.
 */
export async function readFacts(
  asked: Hex,
  claim: BridgeOperationResponse | null,
  verifier: Verifier,
  onStep: (step: CheckStep) => void = () => undefined,
): Promise<Facts> {
  const known = async <T>(step: CheckStep, read: () => Promise<T>): Promise<Known<T>> => {
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
  const beginning = await known('beginning', async () => findBeginning(asked, claim, verifier, at));
  const begun = valueOf(beginning);
  const question = toQuestion(asked, claim, begun);
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

/** As a transaction first: then the API cannot choose what is checked. */
async function findBeginning(
  asked: Hex,
  claim: BridgeOperationResponse | null,
  verifier: Verifier,
  heads: Heads,
): Promise<Beginning | null> {
  const first = await traceBeginning({ id: null, transactionHash: asked }, verifier, heads);
  if (first !== null) {
    // The claim may be about another operation of the same transaction.
    const isMeant = first.kind === 'EVENT' ? first.id === claim?.id : first.isOnly;
    if (claim === null || isMeant) return first;
    const named = await traceBeginning({ id: toHash(claim.id), transactionHash: asked }, verifier, heads);
    return named?.transactionHash === asked ? named : first;
  }
  const transactionHash = toHash(claim?.originTxHash);
  return traceBeginning({ id: asked, transactionHash }, verifier, heads);
}

/** The delivery to look for. Null when the id of the transfer is not known: a payment without a memo, and no claim. */
function toQuestion(
  asked: Hex,
  claim: BridgeOperationResponse | null,
  begun: Beginning | null,
): PaymentQuestion | null {
  const transactionHash = toHash(claim?.settlement?.txHash ?? claim?.destinationTxHash);
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
  if (begun === null && claim?.direction === 'ETHEREUM_TO_PARTNER')
    return { side: 'partner', name: 'Mint', id: asked, number: null, transactionHash };
  const id = begun?.transactionHash === asked ? (begun.memo ?? toHash(claim?.id)) : asked;
  return id === null ? null : { side: 'ethereum', name: 'Release', id, number: null, transactionHash };
}

/** A claim can be malformed. */
function toHash(value: unknown): Hex | null {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value) ? (value as Hex) : null;
}
