import { getAddress } from 'viem';
import { formatAmount } from '../../assets.js';
import type { RequestSnapshot } from '../request-snapshot.js';
import { defineAction, TWO, type OneApprovalUpTo } from './action.js';
import { amountWords, NONE, getPlace, UNKNOWN } from './words.js';

/** Pays a refund. Another recipient than the payer is decided on evidence and always needs two approvals. */
export const REFUND_APPROVE = defineAction({
  fields: ['refundId', 'recipient', 'amount'],
  about: 'refund',
  effect: 'Pays the refund to the recipient on the chain where the transfer arrived; ETH on Ethereum minus gas.',
  command: 'refund approve',
  role: 'operator',
  signatures: {
    rule: 'two; one to the payer up to `REFUND_ONE_APPROVAL_*`, which only `local` has',
    needed: ({ recipient }, on, oneApprovalUpTo) =>
      isSmall(on, oneApprovalUpTo) && on.about === 'refund' && recipient === on.payer ? 1 : TWO,
  },
  title: () => 'Approve the refund',
  validate: ({ refundId, amount }, on) => {
    const settled = validateDecision(refundId, on);
    if (settled !== null || on.about !== 'refund' || BigInt(amount) === BigInt(on.amount)) return settled;
    return `The whole amount that arrived is ${formatAmount(on.asset, BigInt(on.amount))} ${on.asset} (${on.amount}): approve exactly that`;
  },
  words: (terms, on, chainIds) => {
    const recipient = getAddress(terms.recipient);
    if (on.about !== 'refund')
      return { action: `Pay the refund to ${recipient}`, amount: UNKNOWN, recipient, chain: UNKNOWN };
    const { name, chain } = getPlace(on.chainId, chainIds);
    const amount = amountWords(on.asset, terms.amount);
    return { action: `Refund ${amount} to ${recipient} on ${name}`, amount, recipient, chain };
  },
});

/** Refuses a refund permanently. */
export const REFUND_REFUSE = defineAction({
  fields: ['refundId'],
  about: 'refund',
  effect: 'Refuses the refund permanently.',
  command: 'refund refuse',
  role: 'operator',
  isDanger: true,
  signatures: {
    rule: 'two; one up to `REFUND_ONE_APPROVAL_*`, which only `local` has',
    needed: (_, on, oneApprovalUpTo) => (isSmall(on, oneApprovalUpTo) ? 1 : TWO),
  },
  title: () => 'Refuse the refund',
  validate: ({ refundId }, on) => validateDecision(refundId, on),
  words: (_, on, chainIds) => {
    if (on.about !== 'refund')
      return { action: 'Never pay the refund', amount: UNKNOWN, recipient: NONE, chain: UNKNOWN };
    const { name, chain } = getPlace(on.chainId, chainIds);
    const amount = amountWords(on.asset, on.amount);
    return { action: `Never refund ${amount} to ${getAddress(on.payer)} on ${name}`, amount, recipient: NONE, chain };
  },
});

function validateDecision(refundId: string, on: RequestSnapshot): string | null {
  if (on.about !== 'refund') return `There is no refund ${refundId}`;
  return on.status === 'REQUESTED' || on.status === 'APPROVED'
    ? null
    : `The refund is ${on.status}: nothing is left to decide`;
}

function isSmall(on: RequestSnapshot, oneApprovalUpTo: OneApprovalUpTo): boolean {
  return on.about === 'refund' && BigInt(on.amount) <= (oneApprovalUpTo[on.asset] ?? 0n);
}
