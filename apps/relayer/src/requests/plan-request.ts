import {
  describeRetry,
  validateRequest,
  type RequestSnapshot,
  type RequestTerms,
  type TermsOf,
} from '@causeway/protocol/admin';
import type { ReadableRequest } from '@causeway/store';
import { getChainIds } from '../bridge-chain.js';
import { planCancel } from './plan-cancel.js';
import { planResume } from './plan-resume.js';
import { refused, type CommandTerms, type Plan, type PlanContext } from './plan.js';

/**
 * Plans the effect of a verified request. Actions that are also commands share the command's plan.
 *
 * @param on the state that the request was decided on, as the store reads it.
 * @throws ChainError when the nodes do not answer or disagree: try again.
 */
export async function planRequest(context: PlanContext, request: ReadableRequest, on: RequestSnapshot): Promise<Plan> {
  const { id: requestId, terms, reason } = request;
  const objection = validateRequest(terms, on) ?? (await context.store.requests.findObjection(request));
  if (objection !== null) return refused(objection);
  switch (terms.kind) {
    case 'RETRY':
    case 'CANCEL':
    case 'HALT':
    case 'RESUME':
      return planAction(context, terms, reason, on);
    case 'REFUND_APPROVE': {
      const { refundId, recipient } = terms;
      const outcome = `The relayer pays it to ${recipient}. For ETH on Ethereum it deducts the gas.`;
      return { findings: [], effect: { kind: 'approve-refund', refundId, recipient, requestId }, outcome };
    }
    case 'REFUND_REFUSE': {
      const outcome = 'The refund is never paid.';
      return { findings: [], effect: { kind: 'refuse-refund', refundId: terms.refundId }, outcome };
    }
    case 'INTENT_REJECT': {
      const outcome = 'Once its transfer is final, the intent fails and its refund is requested.';
      return { findings: [], effect: { kind: 'reject-intent', intentId: terms.intentId, requestId }, outcome };
    }
    case 'MEMBER_SET': {
      const { address, role } = terms;
      const { validUntil, approvals } = request;
      const signed = { id: requestId, terms, decidedOn: on, reason, validUntil };
      const outcome = `${address} is a member with the role ${role}.`;
      return {
        findings: [],
        effect: { kind: 'set-member', member: { address, role, request: signed, approvals } },
        outcome,
      };
    }
    case 'MEMBER_REMOVE': {
      const outcome = `${terms.address} is removed as a member, and its sessions end.`;
      return { findings: [], effect: { kind: 'remove-member', address: terms.address }, outcome };
    }
  }
}

/**
 * Plans an action of an operator, for both the commands and the console's requests. It changes nothing.
 *
 * @param reason the reason of a halt.
 * @param on the state that the action is decided on, as the store reads it.
 * @throws ChainError when the nodes do not answer or disagree: try again.
 */
export async function planAction(
  context: PlanContext,
  terms: CommandTerms,
  reason: string,
  on: RequestSnapshot,
): Promise<Plan> {
  const objection = validateRequest(terms, on);
  if (objection !== null) return refused(objection, listFindings(on));
  switch (terms.kind) {
    case 'RETRY':
      return {
        findings: [],
        effect: { kind: 'retry', operationId: terms.operationId },
        outcome: describeRetry(on.about === 'operation' ? on.delayedReason : null),
      };
    case 'CANCEL':
      return planCancel(context, terms.operationId);
    case 'HALT':
      return planHalt(context, terms.target, reason);
    case 'RESUME':
      return on.about === 'halt' && on.halt !== null
        ? planResume(context, terms, { halt: on.halt, unknown: on.unknown, findings: listFindings(on) })
        : refused('Nothing is halted');
  }
}

/** Reads the state that an action is decided on. */
export async function readSnapshot({ store, chains }: PlanContext, terms: RequestTerms): Promise<RequestSnapshot> {
  return store.requests.readSnapshot(terms, getChainIds(chains));
}

function planHalt({ chains }: PlanContext, target: TermsOf<'HALT'>['target'], reason: string): Plan {
  if (target === 'deliveries') {
    const outcome = 'Deliveries are halted. The relayer still reads the chains.';
    return { findings: [], effect: { kind: 'halt-deliveries', reason }, outcome };
  }
  const { chainId } = chains[target];
  return { findings: [], effect: { kind: 'halt-chain', chainId, reason }, outcome: `Chain ${chainId} is halted.` };
}

/** The findings to read before lifting a halt. */
function listFindings(on: RequestSnapshot): string[] {
  if (on.about !== 'halt' || on.halt === null) return [];
  const unknown = on.unknown.map(
    ({ name, operationId, txHash, chainId, args }) =>
      `  unknown ${name} ${operationId} in ${txHash} on chain ${chainId}: ${JSON.stringify(args)}`,
  );
  return [`Halted since ${on.halt.since}: ${on.halt.reason}`, ...unknown];
}
