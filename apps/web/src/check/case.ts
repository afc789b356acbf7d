import type { AddressBook, BridgeOperationResponse, Side } from '@causeway/sdk';
import { valueOf, type OperationFacts, type VerifierSettings } from '@causeway/verifier';
import type { Hex } from 'viem';
import { CHECK } from '../words/check.js';
import type { Shown, Terms } from './terms.js';

const { why: WHY } = CHECK;

/** The settings that a check uses. */
export type CheckSettings = Readonly<Record<Side, { readonly confirmations: number }>> &
  Pick<VerifierSettings, 'holdSeconds'> & {
    readonly addressBook: AddressBook;
    readonly operators?: VerifierSettings['operators'];
  };

export type FieldVerdict = 'agree' | 'disagree' | 'cannot tell';

/** The judgement of one field of the claim. */
export interface FieldJudgement {
  /** Its path in the answer of the API, such as `settlement.amount`. */
  readonly field: string;
  /** Null when the API says nothing. */
  readonly claimed: string | null;
  /** The value on the chains; null if they have none. */
  readonly found: string | null;
  readonly verdict: FieldVerdict;
  readonly why: string;
}

/** The basis of a field's verdict. */
export interface Case {
  readonly asked: Hex;
  readonly claim: BridgeOperationResponse | null;
  readonly facts: OperationFacts;
  readonly settings: CheckSettings;
  readonly assets: VerifierSettings['assets'];
  readonly terms: Terms;
}

/** A judgement of the field that `write` names. */
export type Judged = Omit<FieldJudgement, 'field' | 'claimed'>;

/** Compares a claimed value with one that the chains show. */
export function compare(one: Case, field: string, shown: Shown<unknown>): FieldJudgement {
  const claimed = readClaim(one.claim, field);
  const { value, why } = shown;
  if (value === undefined) return { field, claimed, found: null, verdict: 'cannot tell', why };
  const found = write(value);
  if (one.claim === null) return { field, claimed, found, verdict: 'cannot tell', why: WHY.noClaim };
  return { field, claimed, found, verdict: claimed === found ? 'agree' : 'disagree', why };
}

/** A field for which equality is not the question. */
export function rule(one: Case, field: string, judged: Judged): FieldJudgement {
  const claimed = readClaim(one.claim, field);
  return one.claim === null
    ? { field, claimed, ...judged, verdict: 'cannot tell', why: WHY.noClaim }
    : { field, claimed, ...judged };
}

/** The text of a claimed field by its path. The claim can have any form. */
export function readClaim(claim: BridgeOperationResponse | null, field: string): string | null {
  let value: unknown = claim;
  for (const name of field.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return write(value);
}

function write(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.join(', ');
  const text = typeof value === 'string' || typeof value === 'bigint' ? `${value}` : JSON.stringify(value);
  return text.replace(/^0x[0-9a-fA-F]+$/, lower);
}

function lower(hex: string): string {
  return hex.toLowerCase();
}

/** The most blocks that the reader's nodes can lack, when a chain makes at most one a second. */
export function blocksBehind({ facts, settings }: Case, chainId: number): number {
  const heads = valueOf(facts.heads);
  if (heads === null) return Number.POSITIVE_INFINITY;
  const side = chainId === settings.addressBook.ethereum.chainId ? 'ethereum' : 'partner';
  const newest = Math.max(facts.nowSeconds, Number(heads.ethereum.timestamp), Number(heads.partner.timestamp));
  return newest - Number(heads[side].timestamp) + 2;
}

/** In the form of the API. */
export function toIso(seconds: bigint): string {
  return new Date(1_000 * Number(seconds)).toISOString();
}
