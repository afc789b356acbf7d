import { keccak256, stringToBytes, type Hex } from 'viem';
import { formatAmount } from '../assets.js';
import { canonicalJson } from '../canonical-json.js';
import { isTerminal, type OperationStatus } from '../operations.js';
import type { DecidedOn } from './decided-state.js';
import type { RequestTerms } from './requests.js';

/** The hash of what a request is decided on: keccak256 of its canonical JSON. */
export function versionOf(decidedOn: DecidedOn): Hex {
  return keccak256(stringToBytes(canonicalJson(decidedOn)));
}

/** Whether an intent in this state can still fail. */
export function canIntentFail(status: OperationStatus): boolean {
  return !isTerminal(status) && status !== 'PROCESSING_DESTINATION';
}

/**
 * Why a request makes no sense in a state, as a sentence with what to do; null when it may be carried out. Pure. The
 * commands, the API and the relayer all ask it.
 */
export function objectionTo(terms: RequestTerms, on: DecidedOn): string | null {
  switch (terms.kind) {
    case 'RETRY':
      if (on.about !== 'operation') return `There is no operation ${terms.operationId}`;
      return on.isPaused ? null : `The operation is ${on.status}, and not DELAYED until a time: nothing to retry`;
    case 'CANCEL':
      return on.about === 'delivery' ? objectionToCancel(on) : 'The operation has no pending transaction to cancel';
    case 'HALT':
      if (on.about !== 'halt') return `The relayer has never read ${nameOf(terms.target)}: nothing to halt`;
      return on.halt === null ? null : `Halted already since ${on.halt.since}: ${on.halt.reason}`;
    case 'RESUME':
      return objectionToResume(terms, on);
    case 'REFUND_APPROVE':
    case 'REFUND_REFUSE':
      if (on.about !== 'refund') return `There is no refund ${terms.refundId}`;
      if (on.status !== 'REQUESTED' && on.status !== 'APPROVED')
        return `The refund is ${on.status}: nothing is left to decide`;
      if (terms.kind === 'REFUND_APPROVE' && BigInt(terms.amount) !== BigInt(on.amount))
        return `The whole amount that arrived is ${formatAmount(on.asset, BigInt(on.amount))} ${on.asset} (${on.amount}): approve exactly that`;
      return null;
    case 'INTENT_REJECT':
      if (on.about !== 'intent') return `There is no intent ${terms.intentId}`;
      if (on.isRejected) return 'The intent is rejected already';
      return on.isOpen ? null : 'The intent has ended, or its release has begun: it cannot be rejected any more';
    case 'MEMBER_SET':
      return on.about === 'member' && on.role === terms.role
        ? `${terms.address} has the role ${on.role} already`
        : null;
    case 'MEMBER_REMOVE':
      return on.about === 'member' && on.role === null ? `No request has added ${terms.address}` : null;
  }
}

function objectionToCancel(on: Extract<DecidedOn, { about: 'delivery' }>): string | null {
  if (on.isHalted) return 'A chain of the operation is halted. Resume it first';
  return on.isCancelled ? 'It is cancelled already. The relayer sends the cancellation until it is final' : null;
}

function objectionToResume(terms: Extract<RequestTerms, { kind: 'RESUME' }>, on: DecidedOn): string | null {
  const { target, accept } = terms;
  if (on.about !== 'halt' || on.halt === null) return `Nothing halts ${nameOf(target)}: nothing to resume`;
  if (accept === 'reorg' && target === 'deliveries') return 'Only a chain can be resumed with lost final blocks';
  if (accept === 'unknown' && target !== 'deliveries') return 'Only the deliveries can be resumed with unknown ones';
  if (target === 'deliveries' && on.unknown.length > 0 && accept !== 'unknown')
    return `There are ${on.unknown.length} unknown deliveries. Look at each before you accept them`;
  return null;
}

function nameOf(target: 'ethereum' | 'partner' | 'deliveries'): string {
  return target === 'deliveries' ? 'the deliveries' : `the chain ${target}`;
}
