import type { ConfigResponse, Direction, Side } from '@causeway/protocol';
import type { Address } from 'viem';
import { findAsset, type Token } from '../amount.js';
import { InvalidInputError } from '../errors.js';
import type { Finding, FindingCode } from '../finding.js';

/** Kinds of transfers that can be checked. A claim does not cross the bridge. */
export type CheckedKind = 'DEPOSIT' | 'BURN' | 'WITHDRAW_NATIVE' | 'INTENT';

/** A transfer to begin. The sender is the wallet's account. */
export interface PlannedTransfer {
  readonly kind: CheckedKind;
  /** Symbol, such as USDC. */
  readonly asset: string;
  /** A plain decimal such as '12.5', or a bigint in atomic units. */
  readonly amount: string | bigint;
  /** The receiving account on the other chain. */
  readonly recipient: string;
}

const IS_BRIDGED = { DEPOSIT: undefined, BURN: true, WITHDRAW_NATIVE: false, INTENT: false } as const;

/** Returns the direction of a kind of transfer. */
export function findRoute(kind: CheckedKind): {
  readonly direction: Direction;
  readonly origin: Side;
  readonly destination: Side;
} {
  if (!Object.hasOwn(IS_BRIDGED, kind))
    throw new InvalidInputError('kind', `must be one of ${Object.keys(IS_BRIDGED).join(', ')}`);
  return kind === 'DEPOSIT'
    ? { direction: 'ETHEREUM_TO_PARTNER', origin: 'ethereum', destination: 'partner' }
    : { direction: 'PARTNER_TO_ETHEREUM', origin: 'partner', destination: 'ethereum' };
}

/** Returns whether an asset is the native coin of its chain. */
export function isCoin({ address }: { readonly address: Address }): boolean {
  return BigInt(address) === 0n;
}

/**
 * Finds the asset on the chain where a transfer begins.
 *
 * @throws InvalidInputError for an unknown asset, or one that this kind of transfer cannot move.
 */
export function findToken(config: ConfigResponse, kind: CheckedKind, asset: string): Token {
  const token = findAsset(config, findRoute(kind).origin, asset);
  const isBridged = IS_BRIDGED[kind];
  if (isBridged === isCoin(token))
    throw new InvalidInputError('asset', isBridged ? 'is a coin, which is not burnt' : 'is a token: burn it');
  return token;
}

type Words = Pick<Finding, 'message' | 'nextStep'> &
  Partial<Pick<Finding, 'passes' | 'until' | 'severity' | 'remedyAmount'>>;

/** Creates a finding: blocking and permanent unless stated otherwise. */
export function makeFinding(code: FindingCode, field: string, words: Words): Finding {
  const accept = words.severity === 'acceptable' ? ' You can also begin anyway.' : '';
  return {
    code,
    field,
    severity: 'blocking',
    passes: false,
    until: null,
    ...words,
    nextStep: words.nextStep + accept,
  };
}
