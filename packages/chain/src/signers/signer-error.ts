import { EX_CONFIG } from '@causeway/service/configuration';
import type { Address } from 'viem';

/** Cause of a signer's failure, for metrics and operators. */
type SignerErrorCode =
  'SIGNER_UNUSABLE' | 'SIGNER_UNAVAILABLE' | 'SIGNER_REFUSED' | 'SIGNED_OTHER_TRANSACTION' | 'SIGNED_BY_OTHER_KEY';

/**
 * A signer failed. `retryable`: the same request may succeed a moment later. A message contains no secret (key,
 * password or path of a URL), and at most one short line of a server's answer.
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

/** The signer did not answer: it is down, too slow, or has an internal error. */
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
    super(`${signer} refused: ${oneLine(reason)}. Check its log and its policy`);
  }
}

/** The signer signed a different transaction. The signature is not used. */
export class OtherTransactionSignedError extends SignerError {
  override readonly name = 'OtherTransactionSignedError';
  readonly retryable = false;
  readonly code = 'SIGNED_OTHER_TRANSACTION';
  constructor(readonly difference: string) {
    super(
      `The signer signed a different transaction (${oneLine(difference)}), which is not used: ` +
        'check its chain id, and treat the signer as compromised until the cause is known',
    );
  }
}

/** The signer has the key of a wallet other than the configured one. Its signatures are not used. */
export class OtherKeySignedError extends SignerError {
  override readonly name = 'OtherKeySignedError';
  readonly retryable = false;
  readonly code = 'SIGNED_BY_OTHER_KEY';
  readonly exitCode = EX_CONFIG;
  constructor(
    readonly expected: Address,
    readonly found: Address | null,
  ) {
    const difference = found === null ? 'does not sign with the key' : `has the key of ${found}, not the key`;
    super(`The signer ${difference} of wallet ${expected}: configure that wallet's key, or correct the address book`);
  }
}

const LONGEST = 200;

/** Removes control characters from a text of a server before it reaches a terminal, and shortens the text. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
}
