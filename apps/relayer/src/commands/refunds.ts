import { randomBytes } from 'node:crypto';
import { formatAmount } from '@causeway/protocol';
import {
  APPROVAL_WINDOW_SECONDS,
  approvalsNeeded,
  countApprovals,
  validateRequest,
  requestDigest,
  requestWords,
  computeVersion,
  type RequestSnapshot,
  type RequestTerms,
  type SignedRequest,
} from '@causeway/protocol/admin';
import {
  isReadable,
  type Actor,
  type AdminRequest,
  type CreatedRequest,
  type Refund,
  type Store,
} from '@causeway/store';
import { bytesToHex, isAddress, type Address, type Hex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import type { OperatorSettings } from '../approval-variables.js';
import { countDecided } from '../requests/verify-request.js';
import { CommandRefusedError, parseOperationId } from './command-context.js';

/** The context of a refund command: no node, and only the operator's own key. */
export interface OperatorContext {
  readonly store: Pick<Store, 'refunds' | 'operations' | 'requests'>;
  readonly settings: OperatorSettings;
  readonly print: (line: string) => void;
}

/** `relayer refund list`: prints the refunds that are not paid or refused, and what operators asked for about each. */
export async function listRefunds({ store, settings, print }: OperatorContext): Promise<void> {
  const open = await store.refunds.findOpen();
  if (open.length === 0) return print('No refund is open.');
  for (const refund of open) {
    const { id, status, asset, amount, payer, wallet, chainId, operationId } = refund;
    const operation = await store.operations.findById(operationId);
    print(`${id} ${status}: ${formatAmount(asset, amount)} ${asset} of ${payer} on chain ${chainId}`);
    print(`  ${operation?.failureReason ?? ''}, transaction ${operation?.origin?.txHash ?? ''} to ${wallet}`);
    const approved = refund.approvedBy === null ? null : await store.requests.find(refund.approvedBy);
    const awaiting = await store.requests.findAwaiting(id, new Date());
    for (const request of approved === null ? awaiting : [approved, ...awaiting])
      for (const line of await formatApprovals(settings, request)) print(`  ${line}`);
    const paid = await store.refunds.findMaybePaidBy(refund);
    if (paid.length > 0)
      print(`  CAREFUL: it may have been paid out as ${paid.join(' or ')}, which the database does not know`);
  }
}

/** Who signed a request, and whose signatures do not count. */
async function formatApprovals({ deployment, approvals: policy }: OperatorSettings, request: AdminRequest) {
  if (!isReadable(request)) return [];
  const { terms, decidedOn, approvals, state } = request;
  const counted =
    state === 'DONE'
      ? await countDecided(request, decidedOn, policy, deployment)
      : await countApprovals(requestDigest(deployment, request), approvals, policy.operators);
  const words = terms.kind === 'REFUND_APPROVE' ? `approves, to ${terms.recipient}` : 'refuses';
  const until = state === 'AWAITING_APPROVAL' ? `, until ${formatTime(request)}` : '';
  return approvals.map(({ operator }) => {
    const doubt = counted.includes(operator) ? '' : ' (does not count: not signed by a listed operator)';
    return `${operator}: ${words}${until}${doubt}`;
  });
}

/**
 * `relayer refund approve`: signs an approval.
 *
 * @param recipient by default the payer.
 * @param despite the releases that paid another transfer of the same sum, by ten characters or more.
 * @throws CommandRefusedError
 */
export async function approveRefund(
  context: OperatorContext,
  id: string,
  recipient?: string,
  despite: readonly string[] = [],
): Promise<void> {
  const refund = await findRefund(context, id);
  if (recipient !== undefined && !isAddress(recipient))
    throw new CommandRefusedError(`${recipient} is not an address: 0x and 40 hex digits, with the right checksum`);
  const to = (recipient ?? refund.payer).toLowerCase() as Address;
  const { id: refundId, asset, amount } = refund;
  const terms = { kind: 'REFUND_APPROVE', refundId, recipient: to, amount: amount.toString() } as const;
  await decide(context, terms, ['command line', ...despite].join(', despite the release '));
  context.print(`Approved: ${formatAmount(asset, amount)} ${asset} to ${to}; of ETH on Ethereum less the gas.`);
  if (to !== refund.payer) context.print('That is not the payer: a second operator must name the same recipient.');
}

/**
 * `relayer refund refuse`: signs a refusal.
 *
 * @throws CommandRefusedError
 */
export async function refuseRefund(context: OperatorContext, id: string): Promise<void> {
  const refund = await findRefund(context, id);
  await decide(context, { kind: 'REFUND_REFUSE', refundId: refund.id });
  context.print('Refused. When as many operators as an approval needs have refused it, it is never paid.');
}

/**
 * `relayer reject`: signs the rejection of an intent whose release has not begun.
 *
 * @throws CommandRefusedError
 */
export async function rejectIntent(context: OperatorContext, id: string): Promise<void> {
  const intentId = parseOperationId(id);
  if (intentId === null) throw new CommandRefusedError(`There is no intent ${id}`);
  await decide(context, { kind: 'INTENT_REJECT', intentId });
  context.print('Rejected. When two operators have, and its transfer is final, it fails and its refund is requested.');
}

async function findRefund({ store }: OperatorContext, id: string): Promise<Refund> {
  const refundId = parseOperationId(id);
  const refund = refundId === null ? null : await store.refunds.find(refundId);
  if (refund === null) throw new CommandRefusedError(`There is no refund ${id}: see relayer refund list`);
  return refund;
}

/**
 * Signs the open request with these terms, which another operator made here or in the console. Without one it makes
 * one, which waits 15 minutes for the others.
 */
async function decide(context: OperatorContext, terms: RequestTerms, reason = 'command line'): Promise<void> {
  const { store, settings, print } = context;
  const privateKey = await settings.openKey();
  const operator = privateKeyToAccount(privateKey).address.toLowerCase() as Address;
  if (!settings.approvals.operators.includes(operator))
    throw new CommandRefusedError(`${operator} is not among OPERATORS: its decision would not count`);
  const signed = async (request: SignedRequest) => {
    print('You sign:');
    for (const [name, words] of Object.entries(requestWords(request, settings.deployment.chainIds)))
      print(`  ${name}: ${words}`);
    const hash = requestDigest(settings.deployment, request);
    return { operator, signature: (await sign({ hash, privateKey, to: 'hex' })) satisfies Hex };
  };
  const actor: Actor = { address: operator, role: null, sessionId: null };
  const now = new Date();
  const open = await store.requests.findOpen(terms, now);
  const snapshot = await store.requests.readSnapshot(terms, settings.deployment.chainIds);
  const version = computeVersion(snapshot);
  for (const each of open === null ? [reason] : [reason, open.reason]) {
    const objection = await store.requests.findObjection({ terms, reason: each });
    if (objection !== null) throw new CommandRefusedError(objection);
  }
  if (open === null) {
    const request = { ...newRequest(settings, terms, snapshot, now), reason };
    const asked = { ...request, version, requestedBy: operator };
    const made = await store.requests.create(asked, await signed(request), { actor, now });
    return report(context, made);
  }
  if (open.approvals.some((approval) => approval.operator === operator))
    return print('You have signed it already: another operator must sign it.');
  if (open.version !== version)
    throw new CommandRefusedError(
      `What request ${open.id} was decided on has changed since: run the command again after ${formatTime(open)}`,
    );
  const approval = await signed({ ...open, terms, decidedOn: snapshot });
  const result = await store.requests.approve(open.id, approval, { actor, now });
  if (result?.kind !== 'approved')
    throw new CommandRefusedError('The request ended in the same moment: run the command again');
  report(context, { kind: 'created', request: result.request });
}

function newRequest({ approvals }: OperatorSettings, terms: RequestTerms, snapshot: RequestSnapshot, now: Date) {
  const objection = validateRequest(terms, snapshot);
  if (objection !== null) throw new CommandRefusedError(objection);
  return {
    id: bytesToHex(randomBytes(32)),
    terms,
    decidedOn: snapshot,
    validUntil: Math.floor(now.getTime() / 1_000) + APPROVAL_WINDOW_SECONDS,
    approvalsNeeded: approvalsNeeded(terms, snapshot, approvals.oneApprovalUpTo),
  };
}

function report({ print }: OperatorContext, { kind, request }: CreatedRequest): void {
  if (kind !== 'created') throw new CommandRefusedError('Another operator asked for the same: run the command again');
  const { state, approvalsNeeded: needed, approvals } = request;
  if (state !== 'AWAITING_APPROVAL') return print('It is signed by enough operators: the relayer carries it out.');
  const missing = needed - approvals.length;
  print(`It waits for ${missing} more, until ${formatTime(request)}.`);
}

/** The end of the approvals, in ISO 8601. */
function formatTime({ validUntil }: Pick<SignedRequest, 'validUntil'>): string {
  return new Date(1_000 * validUntil).toISOString();
}
