import { formatAmount, type Asset } from '../../assets.js';

/** The chain ids of a deployment. */
export interface ChainIds {
  readonly ethereum: number;
  readonly partner: number;
}

/** A request's action in words, which a wallet shows first. */
export interface ActionWords {
  /** What happens, in a sentence. */
  readonly action: string;
  /** With unit. */
  readonly amount: string;
  /** With checksum. */
  readonly recipient: string;
  readonly chain: string;
}

/** For a value that does not apply. */
export const NONE = 'none';
/** For a value that the state lacks. */
export const UNKNOWN = 'unknown';
/** The words of an action without a payment. */
export const NOTHING_PAID = { amount: NONE, recipient: NONE } as const;

/** A chain's name in a sentence and on its own. */
interface Place {
  readonly name: string;
  readonly chain: string;
}
/** The two chains of a deployment. */
export const PLACES = {
  ethereum: { name: 'Ethereum', chain: 'Ethereum' },
  partner: { name: 'the partner chain', chain: 'Partner chain' },
} as const satisfies Readonly<Record<keyof ChainIds, Place>>;

/** The names of a chain. */
export function getPlace(chainId: number, { ethereum, partner }: ChainIds): Place {
  if (chainId === partner) return PLACES.partner;
  return chainId === ethereum ? PLACES.ethereum : { name: `chain ${chainId}`, chain: `Chain ${chainId}` };
}

/** The name of a chain of the deployment, such as `Partner chain`. */
export function chainWords(chainId: number, chainIds: ChainIds): string {
  return getPlace(chainId, chainIds).chain;
}

/** Formats atomic units with thousands separators and the unit, such as `6,000 XCN`. */
export function amountWords(asset: Asset, atomic: string): string {
  const [whole = '', fraction] = formatAmount(asset, BigInt(atomic)).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} ${asset}`;
}
