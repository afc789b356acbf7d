import { getErrorDocsPath, linkToDocs, type ErrorCode } from '@causeway/protocol';
import type { Finding } from './finding.js';

/** Whether the same call may succeed later without any change, and after how many seconds if that is known. */
export interface Retry {
  readonly helps: boolean;
  readonly afterSeconds?: number;
}

/** Details of a failure. `field`: the argument or the field of an answer that is at fault. */
export interface FailureDetails {
  readonly cause?: unknown;
  readonly field?: string | undefined;
  readonly retry?: Retry;
  readonly nextStep: string;
}

/**
 * Base of all errors of this package. `name` is the cause and is stable: compare it instead of using `instanceof` where
 * two copies of the package may be installed. `nextStep` says in words what to do, `docsPath` names the page about the
 * error: see `toString`.
 */
export abstract class CausewayError extends Error {
  abstract override readonly name: string;
  /** Below the folder or site of the documentation, such as `errors.md#checkerror`. */
  abstract readonly docsPath: string;
  readonly field: string | undefined;
  readonly retry: Retry;
  readonly nextStep: string;

  constructor(message: string, { cause, field, retry, nextStep }: FailureDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.field = field;
    this.retry = retry ?? { helps: false };
    this.nextStep = nextStep;
  }

  /**
   * The error for people: what failed, what to do, and the link to its page.
   *
   * @param docsUrl of the documentation's site, such as that of a `Bridge`; the folder of the repository unless given.
   */
  override toString(docsUrl?: string): string {
    return `${this.name}: ${this.message}\n${this.nextStep}\nDocs: ${linkToDocs(this.docsPath, docsUrl)}`;
  }
}

/** An argument is malformed. Nothing was sent or signed. */
export class InvalidInputError extends CausewayError {
  override readonly name = 'InvalidInputError';
  override readonly docsPath = 'errors.md#invalidinputerror';
  constructor(field: string, problem: string) {
    super(`${field} ${problem}`, { field, nextStep: `Correct ${field}.` });
  }
}

/** The API refused a request: `code` is one of its error codes. */
export class ApiError extends CausewayError {
  override readonly name = 'ApiError';
  override readonly docsPath: string;
  constructor(
    readonly status: number,
    /** A code that this version does not know is possible: new ones may be added. */
    readonly code: ErrorCode | (string & {}),
    message: string,
    details: FailureDetails,
  ) {
    super(`${code}: ${message}`, details);
    this.docsPath = getErrorDocsPath(/^[A-Z_]+$/.test(code) ? code : this.name);
  }
}

/** The API did not answer, or not in time. The request may or may not have arrived; all of them may be repeated. */
export class UnreachableError extends CausewayError {
  override readonly name = 'UnreachableError';
  override readonly docsPath = 'errors.md#unreachableerror';
  constructor(address: string, cause: unknown, retry: Retry = { helps: true }) {
    super(`${address} does not answer`, { cause, retry, nextStep: 'Try again shortly.' });
  }
}

/** An answer that this version cannot read, or one of another environment: `field` names the place. */
export class AnswerError extends CausewayError {
  override readonly name = 'AnswerError';
  override readonly docsPath = 'errors.md#answererror';
  constructor(field: string, problem: string, cause?: unknown) {
    super(`The answer of the API is wrong: ${field} ${problem}`, {
      cause,
      field,
      nextStep: 'Check apiUrl, and use a newer version of this package.',
    });
  }
}

/**
 * A check found reasons not to begin, or not to send the next transaction: its `findings`, blocking ones first. Nothing
 * was signed, or nothing more.
 */
export class CheckError extends CausewayError {
  override readonly name = 'CheckError';
  override readonly docsPath = 'errors.md#checkerror';
  constructor(readonly findings: readonly Finding[]) {
    const [first] = findings;
    super(findings.map(({ message }) => message).join(' '), {
      field: first?.field,
      retry: { helps: findings.every(({ passes }) => passes) },
      nextStep: findings.map(({ nextStep }) => nextStep).join(' '),
    });
  }
}

/** The wallet is on another chain than the next step. */
export class WrongNetworkError extends CausewayError {
  override readonly name = 'WrongNetworkError';
  override readonly docsPath = 'errors.md#wrongnetworkerror';
  constructor(
    readonly expectedChainId: number,
    readonly actualChainId: number,
  ) {
    super(`The wallet is on chain ${actualChainId}, and this step is on chain ${expectedChainId}`, {
      field: 'chainId',
      nextStep: `Switch the wallet to chain ${expectedChainId}, for example with switchChain.`,
    });
  }
}

/** The wallet does not act for the account of the transfer, or not any more. */
export class WrongAccountError extends CausewayError {
  override readonly name = 'WrongAccountError';
  override readonly docsPath = 'errors.md#wrongaccounterror';
  constructor(
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`The wallet acts for ${actual}, and this transfer belongs to ${expected}`, {
      field: 'sender',
      nextStep: `Choose the account ${expected} in the wallet and resume.`,
    });
  }
}

/** The user, or the wallet for its own reasons, refused to sign or send. */
export class WalletRefusedError extends CausewayError {
  override readonly name = 'WalletRefusedError';
  override readonly docsPath = 'errors.md#walletrefusederror';
  constructor(step: string, cause: unknown) {
    super(`The wallet refused: ${step}`, { cause, retry: { helps: true }, nextStep: 'Ask the user, then resume.' });
  }
}

/** A wallet or its node failed in another way. Whether it has sent anything is unknown: resume finds out. */
export class WalletFailedError extends CausewayError {
  override readonly name = 'WalletFailedError';
  override readonly docsPath = 'errors.md#walletfailederror';
  constructor(step: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    super(`The wallet failed: ${step} (${reason})`, {
      cause,
      retry: { helps: true },
      nextStep: 'Resume: it looks at the chain before anything is sent again.',
    });
  }
}

/** A contract refuses the call: `errorName` is the error of the ABI, null when the contract named none. */
export class ContractError extends CausewayError {
  override readonly name = 'ContractError';
  override readonly docsPath = 'errors.md#contracterror';
  constructor(
    readonly errorName: string | null,
    message: string,
    details: FailureDetails,
  ) {
    super(message, details);
  }
}

/** A transaction of the transfer was mined and failed, or another one took its place. Nothing moved. */
export class TransactionFailedError extends CausewayError {
  override readonly name = 'TransactionFailedError';
  override readonly docsPath = 'errors.md#transactionfailederror';
  constructor(
    readonly reason: 'REVERTED' | 'REPLACED',
    readonly transactionHash: string,
    message: string,
  ) {
    super(message, { nextStep: 'Nothing moved but the fee of the transaction. Begin a new transfer.' });
  }
}

/** An intent must not be paid: it has expired, its relayer wallet was replaced, or its fee is too high. */
export class IntentUnpayableError extends CausewayError {
  override readonly name = 'IntentUnpayableError';
  override readonly docsPath = 'errors.md#intentunpayableerror';
  constructor(
    readonly reason: 'EXPIRED' | 'WALLET_REPLACED' | 'FEE_TOO_HIGH' | 'NOT_CONFIRMED',
    message: string,
  ) {
    super(message, {
      retry: { helps: reason === 'NOT_CONFIRMED' },
      nextStep: reason === 'NOT_CONFIRMED' ? 'Resume shortly.' : 'Begin a new transfer.',
    });
  }
}

/** A record of a transfer cannot be used: `field` names the reason. Nothing was sent or signed. */
export class RecordError extends CausewayError {
  override readonly name = 'RecordError';
  override readonly docsPath = 'errors.md#recorderror';
  constructor(field: string, problem: string, nextStep = 'Use the newest record of this transfer.') {
    super(`The record cannot be used: ${field} ${problem}`, { field, nextStep });
  }
}

/** Something that was looked at, and what it showed. */
export interface Look {
  readonly at: string;
  readonly showed: string;
}

/** Whether a transaction was sent cannot be known: its wallet may still send it. Nothing was sent again. */
export class UndecidedError extends CausewayError {
  override readonly name = 'UndecidedError';
  override readonly docsPath = 'errors.md#undecidederror';
  constructor(
    /** The step in words. */
    readonly step: string,
    readonly looks: readonly Look[],
  ) {
    const seen = looks.map(({ at, showed }) => `${at}: ${showed}`).join('; ');
    super(`Whether this was sent is not known: ${step} (${seen})`, {
      nextStep: 'Look into the wallet. Resume when it has sent it, or resume with sendAgain when it certainly has not.',
    });
  }
}
