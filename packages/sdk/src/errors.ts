import { getErrorDocsPath, linkToDocs, type ErrorCode } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { Finding } from './finding.js';

/** Whether the same call may succeed later unchanged, and after how many seconds if known. */
export interface Retry {
  readonly helps: boolean;
  readonly afterSeconds?: number;
}

/** Details of a failure. `field`: the faulty argument or field of an answer. */
export interface FailureDetails {
  readonly cause?: unknown;
  readonly field?: string | undefined;
  readonly retry?: Retry;
  readonly nextStep: string;
}

/**
 * Base of all errors of this package. `name` identifies the cause and is stable: compare it instead of using
 * `instanceof`, which fails with two installed copies. `nextStep` says what to do, and `docsPath` names the page of the
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
    /** Codes may be added, so an unknown one is possible. */
    readonly code: ErrorCode | (string & {}),
    message: string,
    details: FailureDetails,
  ) {
    super(`${code}: ${message}`, details);
    this.docsPath = getErrorDocsPath(/^[A-Z_]+$/.test(code) ? code : this.name);
  }
}

/** The API did not answer in time. The request may have arrived; every request can be repeated. */
export class UnreachableError extends CausewayError {
  override readonly name = 'UnreachableError';
  override readonly docsPath = 'errors.md#unreachableerror';
  constructor(address: string, cause: unknown, retry: Retry = { helps: true }) {
    super(`${address} does not answer`, { cause, retry, nextStep: 'Try again shortly.' });
  }
}

/** An answer that this version cannot read or that is from another environment: `field` names the place. */
export class AnswerError extends CausewayError {
  override readonly name = 'AnswerError';
  override readonly docsPath = 'errors.md#answererror';
  constructor(field: string, problem: string, cause?: unknown) {
    super(`The API's answer is invalid: ${field} ${problem}`, {
      cause,
      field,
      nextStep: 'Check apiUrl and update this package.',
    });
  }
}

/**
 * Findings block a transfer or its next transaction: `findings`, blocking ones first. Nothing further was signed.
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

/** The wallet is on a different chain than the next step. */
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

/** The wallet's account is not that of the transfer. */
export class WrongAccountError extends CausewayError {
  override readonly name = 'WrongAccountError';
  override readonly docsPath = 'errors.md#wrongaccounterror';
  constructor(
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`The wallet uses ${actual}, but this transfer belongs to ${expected}`, {
      field: 'sender',
      nextStep: `Choose the account ${expected} in the wallet and resume.`,
    });
  }
}

/** The user or the wallet refused to sign or send. */
export class WalletRefusedError extends CausewayError {
  override readonly name = 'WalletRefusedError';
  override readonly docsPath = 'errors.md#walletrefusederror';
  constructor(step: string, cause: unknown) {
    super(`The wallet refused: ${step}`, { cause, retry: { helps: true }, nextStep: 'Ask the user, then resume.' });
  }
}

/** The wallet or its node failed. Whether it sent a transaction is unknown; `resume` finds out. */
export class WalletFailedError extends CausewayError {
  override readonly name = 'WalletFailedError';
  override readonly docsPath = 'errors.md#walletfailederror';
  constructor(step: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    super(`The wallet failed: ${step} (${reason})`, {
      cause,
      retry: { helps: true },
      nextStep: 'Resume: it checks the chain before it sends anything again.',
    });
  }
}

/** A contract refuses the call: `errorName` is the ABI error; null if the contract returned none. */
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

/**
 * A transaction of the transfer reverted, or was replaced by the mined transaction `replacedBy`, which is not this
 * transfer. Nothing moved.
 */
export class TransactionFailedError extends CausewayError {
  override readonly name = 'TransactionFailedError';
  override readonly docsPath = 'errors.md#transactionfailederror';
  constructor(
    readonly reason: 'REVERTED' | 'REPLACED',
    readonly transactionHash: string,
    message: string,
    /** Set for REPLACED. */
    readonly replacedBy?: Hex,
  ) {
    super(message, { nextStep: 'Only the gas fee was spent. Begin a new transfer.' });
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

/** The record of a transfer is unusable: `field` names the reason. Nothing was sent or signed. */
export class RecordError extends CausewayError {
  override readonly name = 'RecordError';
  override readonly docsPath = 'errors.md#recorderror';
  constructor(field: string, problem: string, nextStep = 'Use the newest record of this transfer.') {
    super(`The record cannot be used: ${field} ${problem}`, { field, nextStep });
  }
}

/** A checked source and what it showed. */
export interface Look {
  readonly at: string;
  readonly showed: string;
}

/** It is unknown whether a transaction was sent: the wallet may still send it. Nothing was sent again. */
export class UndecidedError extends CausewayError {
  override readonly name = 'UndecidedError';
  override readonly docsPath = 'errors.md#undecidederror';
  constructor(
    /** The step in words. */
    readonly step: string,
    readonly looks: readonly Look[],
    cause?: unknown,
  ) {
    const seen = looks.map(({ at, showed }) => `${at}: ${showed}`).join('; ');
    super(`It is unknown whether this was sent: ${step} (${seen})`, {
      cause,
      nextStep:
        'Look into your wallet and reject any open request. If it sent the transaction, continue; if not, send again.',
    });
  }
}
