import type { Address, Hex } from 'viem';
import type { Side } from '../chains.js';
import { isTerminal, type UnpayableReason } from '../operations.js';
import { explainOperation, type ExplainedOperation } from './operation.js';
import { refundFinding, transferWithoutIntent, type RefundFact } from './refund.js';
import { explainTransaction, type ExplainedTransaction } from './transaction.js';
import { CHAIN, type Finding, type Verdict, type VerdictCode } from './verdict.js';

/** The facts that the store and the chains hold about a hash. */
export type HashFacts =
  | {
      readonly kind: 'operations';
      /** How the hash relates to the operations: the id of the first, or a transaction of all. */
      readonly role: 'id' | 'origin' | 'userOperation' | 'delivery' | 'refund';
      readonly operations: readonly [ExplainedOperation, ...ExplainedOperation[]];
      /** End of the payment window of an intent; null for other operations. */
      readonly expiresAt: Date | null;
      /** Refund of the first operation. */
      readonly refund: RefundFact | null;
      /** True while a chain or all deliveries are halted; only an operator resumes them. */
      readonly isHalted: boolean;
      /** True while no relayer is running. */
      readonly isRelayerAway: boolean;
      /** Why an unpaid intent must not be paid; null for other operations. */
      readonly unpayableReason: UnpayableReason | null;
    }
  | { readonly kind: 'replaced'; readonly by: Hex; readonly operationIds: readonly Hex[] }
  /** A payment to the relayer wallet without a bound intent. */
  | { readonly kind: 'transfer'; readonly refund: RefundFact | null }
  | { readonly kind: 'transaction'; readonly transaction: ExplainedTransaction }
  /** A mined ERC-4337 user operation that began no bridge operation. */
  | { readonly kind: 'userOperation'; readonly txHash: Hex; readonly hasSucceeded: boolean }
  /** The transaction is on no chain, or only pending, and its sender has used the nonce on these sides. */
  | { readonly kind: 'nonceUsed'; readonly sender: Address; readonly nonce: number; readonly sides: readonly Side[] }
  | { readonly kind: 'unknown' };

const ASK = 'If you have sent a transfer, ask for the hash of that transfer.';
/** The next step for an unpaid intent that must not be paid. */
const UNPAYABLE: Readonly<Record<UnpayableReason, string>> = {
  WALLET_REPLACED: `Send nothing for it: its relayer wallet was replaced. Sign a new one. ${ASK}`,
  CHAIN_AWAY: `Send nothing now: the nodes do not confirm the relayer wallet at present. Ask again shortly. ${ASK}`,
  WINDOW_CLOSED: `Send nothing for it: its window has closed. Sign a new one. ${ASK}`,
};
const RETURN = 'Wait: it continues when the relayer is back.';
const RESUME = 'Wait: it continues when the operators resume the bridge.';
/** Verdicts of operations that still wait for the relayer. */
const UNDER_WAY: ReadonlySet<VerdictCode> = new Set([
  'CONFIRMING',
  'HELD',
  'AWAITING_DELIVERY',
  'DELIVERING',
  'OVER_LIMIT',
  'DELAYED',
]);

/** First sentence of a message: how the hash relates to the operation. */
const SUBJECTS = {
  id: () => '',
  origin: () => '',
  userOperation: () => 'This user operation was executed. ',
  delivery: (id: Hex) => `This transaction delivers operation ${id}. `,
  refund: (id: Hex) => `This transaction pays the refund of operation ${id}. `,
};

/**
 * Explains a hash from the facts of the store and both chains. Pure.
 *
 * @example
 * ```ts
 * explain({ kind: 'unknown' }).code; // 'NOT_FOUND'
 * ```
 */
export function explain(facts: HashFacts): Verdict {
  const operationIds = facts.kind === 'operations' ? facts.operations.map(({ id }) => id) : [];
  const verdict = { operationIds, until: null, replacedBy: null, stalledReason: null };
  switch (facts.kind) {
    case 'operations': {
      const [operation] = facts.operations;
      const finding = refundFinding(facts.refund) ?? explainOperation(operation, facts.expiresAt, facts.refund);
      const isUnderWay = UNDER_WAY.has(finding.code);
      const isHalted = facts.isHalted && isUnderWay;
      const isAway = facts.isRelayerAway && !isTerminal(operation.status);
      const subject = SUBJECTS[facts.role](operation.id);
      const halted = isHalted ? ' The bridge is halted at present.' : '';
      const away = isAway ? ' The relayer is away at present.' : '';
      const unpayable = facts.unpayableReason === null ? null : UNPAYABLE[facts.unpayableReason];
      const stopped = isHalted ? RESUME : isAway && isUnderWay ? RETURN : null;
      return {
        ...verdict,
        ...finding,
        message: `${subject}${finding.message}${halted}${away}`,
        nextStep: unpayable ?? stopped ?? finding.nextStep,
        stalledReason: isAway ? 'RELAYER_AWAY' : null,
      };
    }
    case 'replaced':
      return {
        ...verdict,
        operationIds: facts.operationIds,
        replacedBy: facts.by,
        code: 'REPLACED',
        message: `The relayer replaced this transaction: ${facts.by} was mined with its nonce.`,
        nextStep: `Follow ${facts.operationIds[0] === undefined ? facts.by : `operation ${facts.operationIds[0]}`} instead.`,
      };
    case 'transfer':
      return { ...verdict, ...(refundFinding(facts.refund) ?? transferWithoutIntent(facts.refund, null)) };
    case 'transaction':
      return { ...verdict, ...explainTransaction(facts.transaction) };
    case 'userOperation':
      return { ...verdict, ...explainUserOperation(facts) };
    case 'nonceUsed':
      return {
        ...verdict,
        code: 'REPLACED',
        message:
          `No chain has a block with this transaction, and ${facts.sender} has used the nonce ${facts.nonce} on ` +
          `${facts.sides.map((side) => CHAIN[side]).join(' and on ')}: another transaction took its place.`,
        nextStep:
          'It will never be mined. Ask for the new hash, which the wallet shows, or for the intent that it paid.',
      };
    case 'unknown':
      return {
        ...verdict,
        code: 'NOT_FOUND',
        message:
          'Neither chain has a transaction with this hash, and no operation has this id. ' +
          'A transaction that was just sent may not have reached the nodes yet.',
        nextStep:
          'Ask again in a minute if you have just sent it. If your wallet replaced it, ask for the new hash. ' +
          'With the sender and the nonce it can be said whether it was replaced. A userOpHash is known when an ' +
          'EntryPoint has executed it, for 1,000 blocks.',
      };
  }
}

function explainUserOperation({ txHash, hasSucceeded }: Extract<HashFacts, { kind: 'userOperation' }>): Finding {
  const executed = `The user operation was executed in the transaction ${txHash}`;
  return hasSucceeded
    ? {
        code: 'OTHER_CONTRACT',
        message: `${executed}, and its account began no operation that is known yet.`,
        nextStep:
          'If the account paid an intent in it, that counts once the block is final. Else check which call it made.',
      }
    : {
        code: 'REVERTED',
        message: `${executed}, and the call of its account reverted. It moved nothing but its gas.`,
        nextStep: 'Correct the call and send a new user operation.',
      };
}
