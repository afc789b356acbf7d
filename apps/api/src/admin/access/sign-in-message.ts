import { BridgeError } from '@causeway/protocol';
import { AdminError } from '@causeway/protocol/admin';
import type { Address } from 'viem';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';

/** Clocks of browsers may be ahead by this much, in milliseconds. */
const CLOCK_SKEW_MS = 30_000;
/** The longest life of a message, in milliseconds. */
const LONGEST_LIFE_MS = 10 * 60_000;

/** The fields of a message of EIP-4361 that say something here. */
export interface SignInMessage {
  /** In lower case. */
  readonly address: Address;
  readonly scheme: string | undefined;
  readonly domain: string;
  readonly uri: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expirationTime: Date;
  readonly notBefore: Date | undefined;
}

const CHECK_CLOCK = 'check the clock of this machine';

/** Where and when a message may be used. */
interface SignInTerms {
  /** The origin of the console. */
  readonly origin: string;
  readonly chainIds: readonly number[];
  readonly nowMs: number;
}

/**
 * Parses a message of EIP-4361. viem's parser skips what it does not know, and reads a field wherever it stands. So the
 * text must be the one that its fields give, byte by byte: the wallet showed every byte that is checked.
 *
 * @throws BridgeError VALIDATION_ERROR
 */
export function parseSignInMessage(text: string): SignInMessage {
  const fields = parseSiweMessage(text);
  const { address, scheme, domain, uri, chainId, nonce, version, issuedAt, expirationTime, notBefore } = fields;
  if (address === undefined || domain === undefined || uri === undefined || chainId === undefined)
    throw malformed('must be a message of EIP-4361');
  if (nonce === undefined || version === undefined || issuedAt === undefined)
    throw malformed('must be a message of EIP-4361 with a version, a nonce and the time of issue');
  if (expirationTime === undefined) throw malformed('must have an expiration time');
  const message = { address, scheme, domain, uri, chainId, nonce, issuedAt, expirationTime, notBefore };
  if (toText({ ...fields, ...message, version }) !== text)
    throw malformed(
      'must have exactly the form of EIP-4361: version 1, a checksum address, and times such as 2026-01-31T12:00:00.000Z',
    );
  return { ...message, address: address.toLowerCase() as Address };
}

/** The text of the fields; null when they are not valid. */
function toText(fields: Parameters<typeof createSiweMessage>[0]): string | null {
  try {
    return createSiweMessage(fields);
  } catch {
    return null;
  }
}

/**
 * Checks a message against this console and the time. Not its nonce and not its signature.
 *
 * @throws AdminError SIGN_IN_REFUSED naming the field.
 */
export function checkSignInMessage(message: SignInMessage, { origin, chainIds, nowMs }: SignInTerms): void {
  const { scheme, domain, uri, chainId, issuedAt, expirationTime, notBefore } = message;
  const { host, protocol } = new URL(origin);
  if (scheme !== undefined && `${scheme}:` !== protocol) throw refused(`scheme must be ${protocol.slice(0, -1)}`);
  if (domain !== host) throw refused(`domain must be ${host}`);
  if (uri !== origin) throw refused(`URI must be ${origin}`);
  if (!chainIds.includes(chainId)) throw refused(`chain ID must be ${chainIds.join(' or ')}`);
  const issuedMs = issuedAt.getTime();
  const expiresMs = expirationTime.getTime();
  if (issuedMs > nowMs + CLOCK_SKEW_MS) throw refused(`issued-at is in the future: ${CHECK_CLOCK}`);
  if (issuedMs < nowMs - LONGEST_LIFE_MS) throw refused(`issued-at is more than 10 minutes ago: ${CHECK_CLOCK}`);
  if (expiresMs <= nowMs) throw refused(`expiration time has passed: ${CHECK_CLOCK}`);
  if (expiresMs > issuedMs + LONGEST_LIFE_MS) throw refused('expiration time must be at most 10 minutes after issue');
  if (notBefore !== undefined && notBefore.getTime() > nowMs + CLOCK_SKEW_MS) throw refused('not-before has not come');
}

function malformed(problem: string): BridgeError {
  return new BridgeError('VALIDATION_ERROR', `message ${problem}`, { field: 'message' });
}

function refused(problem: string): AdminError {
  return new AdminError('SIGN_IN_REFUSED', `The message is not for this console now: its ${problem}`);
}
