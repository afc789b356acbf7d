import type { ConfigResponse, Direction, Side } from '@causeway/protocol';
import type { Address } from 'viem';
import type { Token } from '../amount.js';
import { InvalidInputError } from '../errors.js';
import type { Finding, FindingCode } from '../finding.js';

/** How a transfer begins, where it can still be checked: a claim moves nothing across the bridge. */
export type CheckedKind = 'DEPOSIT' | 'BURN' | 'WITHDRAW_NATIVE' | 'INTENT';

/** A transfer that a user is about to begin. The sender is the account of the wallet. */
export interface PlannedTransfer {
  readonly kind: CheckedKind;
  /** Its symbol, such as USDC. */
  readonly asset: string;
  /** A plain decimal such as '12.5', or a bigint in atomic units. */
  readonly amount: string | bigint;
  /** The account that is paid, on the other chain. */
  readonly recipient: string;
}

const IS_BRIDGED = { DEPOSIT: undefined, BURN: true, WITHDRAW_NATIVE: false, INTENT: false } as const;

/** From which chain to which a kind of transfer goes. */
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

/** Whether an asset is the coin of its chain. */
export function isCoin({ address }: { readonly address: Address }): boolean {
  return BigInt(address) === 0n;
}

/**
 * The asset on the chain where a transfer begins.
 *
 * @throws InvalidInputError for an asset that the bridge does not have, or that this kind of transfer cannot move.
 */
export function findToken(config: ConfigResponse, kind: CheckedKind, asset: string): Token {
  const { tokens } = config[findRoute(kind).origin];
  const token = tokens.find((each) => each.token === asset);
  if (token === undefined)
    throw new InvalidInputError('asset', `must be one of ${tokens.map((each) => each.token).join(', ')}`);
  const isBridged = IS_BRIDGED[kind];
  if (isBridged === isCoin(token))
    throw new InvalidInputError('asset', isBridged ? 'is a coin, which is not burnt' : 'is a token: burn it');
  return token;
}

type Words = Pick<Finding, 'message' | 'nextStep'> & Partial<Pick<Finding, 'passes' | 'until' | 'severity'>>;

/** A finding that blocks and does not pass, unless its words say otherwise. */
export function makeFinding(code: FindingCode, field: string, words: Words): Finding {
  const accept = words.severity === 'acceptable' ? ` To begin anyway, accept ${code}.` : '';
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
