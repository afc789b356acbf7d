import { BridgeError } from '@causeway/protocol';
import { AdminError } from '@causeway/protocol/admin';
import type { Address } from 'viem';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';

/** Tolerated clock skew of browsers, in milliseconds. */
const CLOCK_SKEW_MS = 30_000;
/** Longest lifetime of a message, in milliseconds. */
const LONGEST_LIFE_MS = 10 * 60_000;

/** The fields of an EIP-4361 message that are checked here. */
export interface SignInMessage {
  /** Lower-case. */
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

/** Where and when a message is valid. */
interface SignInTerms {
  /** The origin of the console. */
  readonly origin: string;
  readonly chainIds: readonly number[];
  readonly nowMs: number;
}

/**
 * Parses an EIP-4361 message. viem's parser skips text that it does not know and finds a field anywhere. Therefore the
 * text must equal, byte by byte, the text that its fields produce: the wallet showed every byte that is checked.
 *
 * @throws BridgeError VALIDATION_ERROR
 */
export function parseSignInMessage(text: string): SignInMessage {
  const fields = parseSiweMessage(text);
  const { address, scheme, domain, uri, chainId, nonce, version, issuedAt, expirationTime, notBefore } = fields;
  if (address === undefined || domain === undefined || uri === undefined || chainId === undefined)
    throw malformed('must be an EIP-4361 message');
  if (nonce === undefined || version === undefined || issuedAt === undefined)
    throw malformed('must be an EIP-4361 message with a version, a nonce and the time of issue');
  if (expirationTime === undefined) throw malformed('must have an expiration time');
  const message = { address, scheme, domain, uri, chainId, nonce, issuedAt, expirationTime, notBefore };
  if (toText({ ...fields, ...message, version }) !== text)
    throw malformed(
      'must have exactly the form of EIP-4361: version 1, a checksum address, and times such as 2026-01-31T12:00:00.000Z',
    );
  return { ...message, address: address.toLowerCase() as Address };
}

/** The message text of the fields; null when they are invalid. */
function toText(fields: Parameters<typeof createSiweMessage>[0]): string | null {
  try {
    return createSiweMessage(fields);
  } catch {
    return null;
  }
}

/**
 * Checks a message against this console and the time, but not its nonce or signature.
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
  if (notBefore !== undefined && notBefore.getTime() > nowMs + CLOCK_SKEW_MS)
    throw refused('not-before is in the future');
}

function malformed(problem: string): BridgeError {
  return new BridgeError('VALIDATION_ERROR', `message ${problem}`, { field: 'message' });
}

function refused(problem: string): AdminError {
  return new AdminError('SIGN_IN_REFUSED', `The message is not valid for this console now: its ${problem}`);
}
