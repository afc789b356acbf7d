import { EX_CONFIG } from '@causeway/service/configuration';
import type { Address } from 'viem';

/** The cause of a signer's failure, for metrics and operators. */
type SignerErrorCode =
  'SIGNER_UNUSABLE' | 'SIGNER_UNAVAILABLE' | 'SIGNER_REFUSED' | 'SIGNED_OTHER_TRANSACTION' | 'SIGNED_BY_OTHER_KEY';

/**
 * A signer failed. `retryable`: the same request may succeed a moment later. A message contains no secret: no key, no
 * password, no path of a URL, and of a server's answer at most one short line.
 */
export abstract class SignerError extends Error {
  abstract readonly retryable: boolean;
  abstract readonly code: SignerErrorCode;
}

/** The signer cannot be opened: a file, a password, a certificate or a key is missing or wrong. */
export class UnusableSignerError extends SignerError {
  override readonly name = 'UnusableSignerError';
  readonly retryable = false;
  readonly code = 'SIGNER_UNUSABLE';
  readonly exitCode = EX_CONFIG;
}

/** The signer did not answer: it is down, too slow, or has an internal fault. */
export class SignerUnavailableError extends SignerError {
  override readonly name = 'SignerUnavailableError';
  readonly retryable = true;
  readonly code = 'SIGNER_UNAVAILABLE';
  constructor(signer: string, reason: string) {
    super(`No signature from ${signer}: ${oneLine(reason)}`);
  }
}

/** The signer answered with an error: the key is missing or disabled there, or a policy forbids the request. */
export class SignerRefusedError extends SignerError {
  override readonly name = 'SignerRefusedError';
  readonly retryable = false;
  readonly code = 'SIGNER_REFUSED';
  constructor(
    readonly signer: string,
    readonly reason: string,
  ) {
    super(`${signer} refused: ${oneLine(reason)}. Look at its log and at its rules`);
  }
}

/** The signer signed another transaction than it was asked to sign. The signature is not used. */
export class OtherTransactionSignedError extends SignerError {
  override readonly name = 'OtherTransactionSignedError';
  readonly retryable = false;
  readonly code = 'SIGNED_OTHER_TRANSACTION';
  constructor(readonly difference: string) {
    super(
      `The signer signed another transaction than it was asked to (${oneLine(difference)}), which is not used: ` +
        'check its chain id, and treat it as compromised until the cause is known',
    );
  }
}

/** The signer has the key of another wallet than the configured one. No signature of it is used. */
export class OtherKeySignedError extends SignerError {
  override readonly name = 'OtherKeySignedError';
  readonly retryable = false;
  readonly code = 'SIGNED_BY_OTHER_KEY';
  readonly exitCode = EX_CONFIG;
  constructor(
    readonly expected: Address,
    readonly found: Address | null,
  ) {
    const difference = found === null ? 'does not sign with the key' : `has the key of ${found}, and not that`;
    super(`The signer ${difference} of the wallet ${expected}: configure that wallet's key, or its address book`);
  }
}

const LONGEST = 200;

/** The text may come from a server, so it must not reach a terminal with control characters. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
}
