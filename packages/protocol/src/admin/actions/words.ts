import { formatAmount, type Asset } from '../../assets.js';

/** The ids of the two chains of a deployment, by which they are named. */
export interface ChainIds {
  readonly ethereum: number;
  readonly partner: number;
}

/** The action of a request, for people. A wallet shows these words first. */
export interface ActionWords {
  /** The sentence of what happens. */
  readonly action: string;
  /** With its unit. */
  readonly amount: string;
  /** With its checksum. */
  readonly recipient: string;
  readonly chain: string;
}

/** A value that does not apply. */
export const NONE = 'none';
/** A value that the state does not have. */
export const UNKNOWN = 'unknown';
/** The words of an action that pays nothing. */
export const NOTHING_PAID = { amount: NONE, recipient: NONE } as const;

/** A chain in a sentence, and alone. */
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

/** An amount of atomic units with thousands separated and its unit, such as `6,000 XCN`. */
export function amountWords(asset: Asset, atomic: string): string {
  const [whole = '', fraction] = formatAmount(asset, BigInt(atomic)).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} ${asset}`;
}
