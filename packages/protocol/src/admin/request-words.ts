import { getAddress } from 'viem';
import { formatAmount, type Asset } from '../assets.js';
import type { DecidedOn } from './decided-state.js';
import type { RequestTerms } from './requests.js';

/** The ids of the two chains of a deployment, by which they are named. */
export interface ChainIds {
  readonly ethereum: number;
  readonly partner: number;
}

/** A request, for people. A wallet shows these words, in this order, before the fields that bind. */
export interface RequestWords {
  /** The sentence of what happens. */
  readonly action: string;
  /** With its unit. */
  readonly amount: string;
  /** With its checksum. */
  readonly recipient: string;
  readonly chain: string;
  /** The last minute of the approvals, in UTC. */
  readonly expires: string;
  readonly reason: string;
}

/** What the words of a request follow from. */
export interface WordedRequest {
  readonly terms: RequestTerms;
  readonly decidedOn: DecidedOn;
  readonly reason: string;
  /** Unix seconds. */
  readonly validUntil: number;
}

type Deed = Omit<RequestWords, 'expires' | 'reason'>;
type TermsOf<Kind extends RequestTerms['kind']> = Extract<RequestTerms, { readonly kind: Kind }>;

const NONE = 'none';
const UNKNOWN = 'unknown';
const NOTHING_PAID = { amount: NONE, recipient: NONE } as const;
/** In a sentence, and alone. */
interface Place {
  readonly name: string;
  readonly chain: string;
}
const PLACES = {
  ethereum: { name: 'Ethereum', chain: 'Ethereum' },
  partner: { name: 'the partner chain', chain: 'Partner chain' },
  deliveries: { name: 'the deliveries to both chains', chain: 'Both chains' },
} as const satisfies Readonly<Record<TermsOf<'HALT'>['target'], Place>>;
const ROLES = { viewer: 'a viewer', operator: 'an operator', admin: 'an admin' } as const;

/**
 * Says a request in words. Pure: the signed message has these words, and everybody who shows or verifies it derives
 * them again. A value that does not apply is `none`; one that the state does not have is `unknown`.
 */
export function requestWords(
  { terms, decidedOn, reason, validUntil }: WordedRequest,
  chainIds: ChainIds,
): RequestWords {
  return { ...sayDeed(terms, decidedOn, chainIds), expires: formatMinute(validUntil), reason };
}

/** An amount of atomic units with thousands separated and its unit, such as `6,000 XCN`. */
export function amountWords(asset: Asset, atomic: string): string {
  const [whole = '', fraction] = formatAmount(asset, BigInt(atomic)).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} ${asset}`;
}

/** The name of a chain of the deployment, such as `Partner chain`. */
export function chainWords(chainId: number, chainIds: ChainIds): string {
  return placeOf(chainId, chainIds).chain;
}

function placeOf(chainId: number, { ethereum, partner }: ChainIds): Place {
  if (chainId === partner) return PLACES.partner;
  return chainId === ethereum ? PLACES.ethereum : { name: `chain ${chainId}`, chain: `Chain ${chainId}` };
}

/** `2026-11-25 21:05 UTC` */
function formatMinute(seconds: number): string {
  return `${new Date(1_000 * seconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function sayDeed(terms: RequestTerms, on: DecidedOn, chainIds: ChainIds): Deed {
  switch (terms.kind) {
    case 'RETRY':
      return { action: `Retry the operation ${terms.operationId} now`, ...NOTHING_PAID, chain: NONE };
    case 'CANCEL':
      return sayCancel(terms, on, chainIds);
    case 'HALT': {
      const { name, chain } = PLACES[terms.target];
      return { action: `Halt ${name}`, ...NOTHING_PAID, chain };
    }
    case 'RESUME': {
      const { name, chain } = PLACES[terms.target];
      return { action: `Resume ${name}${sayAccepted(terms, on)}`, ...NOTHING_PAID, chain };
    }
    case 'REFUND_APPROVE':
    case 'REFUND_REFUSE':
      return sayRefund(terms, on, chainIds);
    case 'INTENT_REJECT':
      return sayRejection(terms, on);
    case 'MEMBER_SET': {
      const action = `Make ${getAddress(terms.address)} ${ROLES[terms.role]} of the console`;
      return { action, ...NOTHING_PAID, chain: NONE };
    }
    case 'MEMBER_REMOVE':
      return { action: `Remove ${getAddress(terms.address)} from the console`, ...NOTHING_PAID, chain: NONE };
  }
}

function sayCancel({ operationId }: TermsOf<'CANCEL'>, on: DecidedOn, chainIds: ChainIds): Deed {
  if (on.about !== 'delivery')
    return { action: `Cancel the delivery of the operation ${operationId}`, ...NOTHING_PAID, chain: UNKNOWN };
  const others = on.operationIds.length - 1;
  const beside = others === 0 ? '' : ` and of ${others} more`;
  const action =
    `Cancel the delivery of the operation ${operationId}${beside}: ` +
    `use up nonce ${on.nonce} of ${getAddress(on.sender)} without a payment`;
  return { action, ...NOTHING_PAID, chain: placeOf(on.chainId, chainIds).chain };
}

function sayAccepted({ accept }: TermsOf<'RESUME'>, on: DecidedOn): string {
  if (accept === 'nothing') return '';
  if (accept === 'reorg') return ' and accept that it lost final blocks';
  const count = on.about === 'halt' ? on.unknown.length : UNKNOWN;
  return ` and accept ${count} unknown ${count === 1 ? 'delivery' : 'deliveries'}`;
}

function sayRefund(terms: TermsOf<'REFUND_APPROVE' | 'REFUND_REFUSE'>, on: DecidedOn, chainIds: ChainIds): Deed {
  const recipient = terms.kind === 'REFUND_APPROVE' ? getAddress(terms.recipient) : NONE;
  if (on.about !== 'refund') {
    const action = terms.kind === 'REFUND_APPROVE' ? `Pay the refund to ${recipient}` : 'Never pay the refund';
    return { action, amount: UNKNOWN, recipient, chain: UNKNOWN };
  }
  const { name, chain } = placeOf(on.chainId, chainIds);
  if (terms.kind === 'REFUND_APPROVE') {
    const amount = amountWords(on.asset, terms.amount);
    return { action: `Refund ${amount} to ${recipient} on ${name}`, amount, recipient, chain };
  }
  const amount = amountWords(on.asset, on.amount);
  return { action: `Never refund ${amount} to ${getAddress(on.payer)} on ${name}`, amount, recipient, chain };
}

function sayRejection({ intentId }: TermsOf<'INTENT_REJECT'>, on: DecidedOn): Deed {
  const { chain } = PLACES.partner;
  if (on.about !== 'intent') return { action: `Reject the intent ${intentId}`, ...NOTHING_PAID, chain };
  const amount = amountWords('XCN', on.amount);
  const [sender, recipient] = [getAddress(on.sender), getAddress(on.recipient)];
  const action = `Reject the withdrawal of ${amount} from ${sender} to ${recipient} on Ethereum: it fails`;
  return { action, amount, recipient: NONE, chain };
}
