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

/**
 * `relayer refund list`: prints the refunds that are neither paid nor refused, and the operators' requests about each.
 */
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
      print(`  CAREFUL: it may have been paid out as ${paid.join(' or ')}, which is not in the database`);
  }
}

/** Lists the signers of a request, and marks signatures that do not count. */
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
 * @param recipient default: the payer.
 * @param despite the releases that paid another transfer of the same sum, by at least ten characters.
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
  context.print(`Approved: ${formatAmount(asset, amount)} ${asset} to ${to}. For ETH on Ethereum the gas is deducted.`);
  if (to !== refund.payer)
    context.print('The recipient is not the payer: a second operator must name the same recipient.');
}

/**
 * `relayer refund refuse`: signs a refusal.
 *
 * @throws CommandRefusedError
 */
export async function refuseRefund(context: OperatorContext, id: string): Promise<void> {
  const refund = await findRefund(context, id);
  await decide(context, { kind: 'REFUND_REFUSE', refundId: refund.id });
  context.print('Refused. Once as many operators have refused the refund as an approval needs, it is never paid.');
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
  context.print(
    'Rejected. Once two operators have rejected it and its transfer is final, the intent fails and its refund is requested.',
  );
}

async function findRefund({ store }: OperatorContext, id: string): Promise<Refund> {
  const refundId = parseOperationId(id);
  const refund = refundId === null ? null : await store.refunds.find(refundId);
  if (refund === null) throw new CommandRefusedError(`There is no refund ${id}: see relayer refund list`);
  return refund;
}

/**
 * Signs the open request with these terms, which another operator made here or in the console. Without one, creates a
 * request that waits 15 minutes for the other operators.
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
    return print('You have already signed it: another operator must sign it.');
  if (open.version !== version)
    throw new CommandRefusedError(
      `The state of request ${open.id} has changed since it was made: run the command again after ${formatTime(open)}`,
    );
  const approval = await signed({ ...open, terms, decidedOn: snapshot });
  const result = await store.requests.approve(open.id, approval, { actor, now });
  if (result?.kind !== 'approved')
    throw new CommandRefusedError('The request ended at the same moment: run the command again');
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
  if (kind !== 'created')
    throw new CommandRefusedError('Another operator made the same request: run the command again');
  const { state, approvalsNeeded: needed, approvals } = request;
  if (state !== 'AWAITING_APPROVAL') return print('Enough operators have signed: the relayer carries it out.');
  const missing = needed - approvals.length;
  print(`It waits for ${missing} more until ${formatTime(request)}.`);
}

/** When the approvals expire, in ISO 8601. */
function formatTime({ validUntil }: Pick<SignedRequest, 'validUntil'>): string {
  return new Date(1_000 * validUntil).toISOString();
}
