import { formatUnits, getAddress, type Address, type Hex } from 'viem';
import { hashStruct, hashText, type Domain } from './typed-data.js';

/** The operators' approval of a refund, from their request. Addresses and ids are lower-case. */
export interface RefundApproval {
  readonly requestId: Hex;
  readonly reason: string;
  /** Unix seconds until which it could be signed. */
  readonly validUntil: number;
  /** The state of the refund when the approval was signed. */
  readonly status: string;
  /** The previously approved recipient; null for the first approval. */
  readonly formerRecipient: Address | null;
  /** The failed operation: the refund's own id for a transfer that pays no intent, otherwise the intent's. */
  readonly operationId: Hex;
  readonly signatures: readonly Hex[];
}

/** The facts of a refund that the chain proves and that its approval must name. */
export interface ApprovedRefund {
  readonly refundId: Hex;
  readonly chainId: number;
  readonly asset: string;
  readonly decimals: number;
  /** The whole transferred amount. */
  readonly amount: bigint;
  readonly payer: Address;
  readonly recipient: Address;
}

const REQUEST_TYPE =
  'AdminRequest(string action,string amount,string recipient,string chain,string expires,string reason,' +
  'bytes32 requestId,string kind,string terms,bytes32 state,uint64 validUntil)';

/** The JSON values used here. */
type Json = string | number | null | { readonly [name: string]: Json };

/**
 * The EIP-712 digest that operators sign to approve a refund on the partner chain. The text in their wallet, the terms
 * and the hash of the state are all derived from the facts, so none of them comes from the request.
 */
export function refundApprovalDigest(domain: Domain, refund: ApprovedRefund, approval: RefundApproval): Hex {
  const { refundId, chainId, asset, amount, payer, recipient } = refund;
  const { requestId, reason, validUntil, status, formerRecipient, operationId } = approval;
  const kind = 'REFUND_APPROVE';
  const words = `${writeAmount(refund)} ${asset}`;
  const state = {
    about: 'refund',
    status,
    operationId,
    chainId,
    asset,
    amount: `${amount}`,
    payer,
    recipient: formerRecipient,
  };
  const texts = [
    `Refund ${words} to ${getAddress(recipient)} on the partner chain`,
    words,
    getAddress(recipient),
    'Partner chain',
    writeMinute(validUntil),
    reason,
  ];
  return hashStruct(domain, REQUEST_TYPE, [
    ...texts.map((text) => ['bytes32', hashText(text)] as const),
    ['bytes32', requestId],
    ['bytes32', hashText(kind)],
    ['bytes32', hashText(writeJson({ kind, refundId, recipient, amount: `${amount}` }))],
    ['bytes32', hashText(writeJson(state))],
    ['uint64', BigInt(validUntil)],
  ]);
}

/** RFC 8785 for these values: no white space, and names sorted by code units. */
function writeJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${writeJson(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}

/** Separates thousands of the whole part: `6,000.5`. */
function writeAmount({ amount, decimals }: ApprovedRefund): string {
  const [whole = '', fraction] = formatUnits(amount, decimals).split('.');
  const grouped = BigInt(whole).toLocaleString('en-US');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function writeMinute(seconds: number): string {
  return `${new Date(1_000 * seconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
