import type { BridgeOperationResponse, OperationStatus } from '@causeway/sdk';
import { valueOf } from '@causeway/verifier';
import { CHECK } from '../words/check.js';
import { blocksBehind, compare, readClaim, rule, type Case, type FieldJudgement, type Judged } from './case.js';

const { why: WHY } = CHECK;

/** Seconds after a delivery is final within which the API may still not have read it. */
const GRACE_SECONDS = 120;

/** How far a delivery is, by the reader's nodes. */
type Paid = 'NOT' | 'MINED' | 'FINAL' | 'FINAL_FOR_LONG';

/** The status, and the fields that follow it. */
export function judgeStatus(one: Case): readonly FieldJudgement[] {
  return [
    rule(one, 'status', { found: findStatus(one), ...(one.claim === null ? UNSURE : decide(one, one.claim)) }),
    ...judgeConfirmations(one),
    judgeDestination(one),
  ];
}

type Decision = Omit<Judged, 'found'>;

const UNSURE: Decision = { verdict: 'cannot tell', why: WHY.noClaim };
const agree = (why: string): Decision => ({ verdict: 'agree', why });
const disagree = (why: string): Decision => ({ verdict: 'disagree', why });
const cannotTell = (why: string): Decision => ({ verdict: 'cannot tell', why });

function decide(one: Case, claim: BridgeOperationResponse): Decision {
  const { facts, terms } = one;
  if ('problem' in facts.delivery) return cannotTell(facts.delivery.problem);
  if ('problem' in facts.beginning) return cannotTell(facts.beginning.problem);
  const paid = howPaid(one);
  const isNumbered = terms.kind === 'NUMBERED';
  const { status } = claim;
  if (status === 'COMPLETED') return decideCompleted(one, claim, paid);
  if (status === 'FAILED' || status === 'EXPIRED') {
    if (paid !== 'NOT') return disagree(WHY.paid);
    if (isNumbered) return disagree(WHY.cannotFail);
    const refund = valueOf(facts.refund);
    return refund === null ? cannotTell(WHY.endUnproven) : agree(WHY.refunded(refund.transactionHash));
  }
  if (paid === 'FINAL_FOR_LONG' && terms.isPaidRight !== false) return disagree(WHY.paidLongAgo);
  if (paid !== 'NOT')
    return status === 'PROCESSING_DESTINATION' && paid === 'MINED'
      ? agree(WHY.paidNotFinal)
      : cannotTell(terms.isPaidRight === false ? WHY.paidOtherwise : WHY.paidJustNow);
  return decideUnpaid(one, claim, status);
}

function decideCompleted(one: Case, claim: BridgeOperationResponse, paid: Paid): Decision {
  const { terms, facts } = one;
  if (terms.isPaidRight === false) return disagree(WHY.paidOtherwise);
  if (paid === 'MINED') return cannotTell(WHY.paidNotFinal);
  if (paid !== 'NOT') return agree(WHY.paid);
  const heads = valueOf(facts.heads);
  const side = terms.direction.value === 'ETHEREUM_TO_PARTNER' ? 'partner' : 'ethereum';
  const settledAt = Date.parse(claim.settlement?.settledAt ?? '') / 1_000;
  const isBehind = heads === null || settledAt > Number(heads[side].timestamp);
  return isBehind ? cannotTell(WHY.nodesEndBefore) : disagree(WHY.notPaid);
}

function decideUnpaid(one: Case, claim: BridgeOperationResponse, status: OperationStatus): Decision {
  const { terms, settings } = one;
  const { begun, confirmations } = terms;
  if (begun === null) return cannotTell(WHY.notOnChains);
  const isFinal = confirmations.begun >= settings[begun.side].confirmations;
  switch (status) {
    case 'PENDING_ORIGIN_TX':
      return terms.kind === 'NUMBERED' ? disagree(WHY.hasBegun) : cannotTell(WHY.notPaired);
    case 'CONFIRMING':
      return isFinal ? cannotTell(WHY.alreadyFinal) : agree(WHY.confirms);
    case 'DELAYED':
    case 'AWAITING_RELAY':
    case 'PROCESSING_DESTINATION': {
      const most = confirmations.begun + blocksBehind(one, claim.originChainId);
      if (!isFinal)
        return most < settings[begun.side].confirmations ? disagree(WHY.notFinalYet) : cannotTell(WHY.nodesBehind);
      if (status === 'DELAYED') return cannotTell(WHY.delayUnproven);
      return status === 'AWAITING_RELAY' ? agree(WHY.waits) : cannotTell(WHY.submitted);
    }
    default:
      return cannotTell(WHY.noTrace);
  }
}

/** The status that the chains alone would give. */
function findStatus(one: Case): OperationStatus | null {
  const { begun, confirmations } = one.terms;
  const paid = howPaid(one);
  if (paid !== 'NOT') return paid === 'MINED' ? 'PROCESSING_DESTINATION' : 'COMPLETED';
  if (begun === null || one.terms.kind === 'TRANSFER') return null;
  return confirmations.begun >= one.settings[begun.side].confirmations ? 'AWAITING_RELAY' : 'CONFIRMING';
}

function howPaid({ terms, settings, facts }: Case): Paid {
  const { delivery, confirmations } = terms;
  const heads = valueOf(facts.heads);
  if (delivery === null || heads === null) return 'NOT';
  const more = confirmations.delivery - settings[delivery.side].confirmations;
  if (more < 0) return 'MINED';
  const seconds = Number(heads[delivery.side].timestamp - delivery.timestamp);
  const isLong = (more * seconds) / Math.max(1, confirmations.delivery - 1) > GRACE_SECONDS;
  return isLong ? 'FINAL_FOR_LONG' : 'FINAL';
}

function judgeConfirmations(one: Case): readonly FieldJudgement[] {
  const { claim, terms, settings } = one;
  const { begun, confirmations } = terms;
  if (begun === null) return [compare(one, 'originConfirmations', { why: terms.origin.why })];
  const required = settings[begun.side].confirmations;
  const claimed = Number(claim?.originConfirmations);
  const found = `${confirmations.begun}`;
  const isUnder = (claim?.originTxHash ?? null) !== null && claimed < 1;
  const isOver = claimed > confirmations.begun;
  const isFar = claimed > confirmations.begun + blocksBehind(one, settings.addressBook[begun.side].chainId);
  const verdict = isUnder || isFar ? 'disagree' : isOver ? 'cannot tell' : 'agree';
  const why = isOver && !isFar ? WHY.nodesBehind : WHY.confirmations(confirmations.begun);
  const isFinal = confirmations.begun >= required;
  const isSame = claim?.requiredConfirmations === required;
  return [
    rule(one, 'originConfirmations', { found, verdict, why }),
    rule(one, 'requiredConfirmations', {
      found: `${required}`,
      verdict: isSame ? 'agree' : isFinal ? 'cannot tell' : 'disagree',
      why: isSame || !isFinal ? WHY.ofSettings : WHY.requiredThen,
    }),
  ];
}

function judgeDestination(one: Case): FieldJudgement {
  const { claim, terms, facts } = one;
  const { delivery } = terms;
  const field = 'destinationTxHash';
  if (delivery !== null) {
    const shown = { value: delivery.transactionHash, why: WHY.ofEvent(delivery.name) };
    const isEarly = claim !== null && claim.status !== 'COMPLETED' && howPaid(one) !== 'FINAL_FOR_LONG';
    const isSame = readClaim(claim, field) === delivery.transactionHash;
    if (isSame || !isEarly) return compare(one, field, shown);
    return rule(one, field, { found: delivery.transactionHash, verdict: 'cannot tell', why: WHY.paidJustNow });
  }
  if ('problem' in facts.delivery) return compare(one, field, { why: facts.delivery.problem });
  return (claim?.destinationTxHash ?? null) === null
    ? compare(one, field, { value: null, why: WHY.notPaid })
    : compare(one, field, { why: WHY.submitted });
}
