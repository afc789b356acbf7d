import { getErrorDocsPath, linkToDocs, type ErrorCode } from '@causeway/protocol';
import type { Hex } from 'viem';
import { findReason } from './causes.js';
import { describeChain } from './chain-name.js';
import type { Finding } from './finding.js';
import { correct } from './next-steps.js';

/** When the same call may succeed unchanged. `helps` is true only if the time is known. */
export type Retry =
  | { readonly helps: true; readonly afterSeconds: number }
  | { readonly helps: false; readonly afterSeconds?: undefined };

/** Details of a failure. `field`: the faulty argument or field of an answer. */
export interface FailureDetails {
  readonly cause?: unknown;
  readonly field?: string | undefined;
  readonly retry?: Retry;
  readonly nextStep: string;
}

/**
 * Base of all errors of this package. `name` identifies the cause and is stable: compare it instead of using
 * `instanceof`, which fails with two installed copies. `nextStep` tells the user of an app what to do; the page that
 * `docsPath` names tells the programmer.
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
  constructor(field: string, problem: string, nextStep = correct(field)) {
    super(`${field} ${problem}`, { field, nextStep });
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
  constructor(address: string, cause: unknown, retry: Retry = { helps: false }) {
    const nextStep = 'Check the internet connection, then try again.';
    super(`${address.replace(/\?.*/, '')} does not answer`, { cause, retry, nextStep });
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
      nextStep: 'Reload or update this app.',
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
      retry: waitFor(findings),
      nextStep: findings.map(({ nextStep }) => nextStep).join(' '),
    });
  }
}

/** The time until the last finding disappears, if all say when. */
function waitFor(findings: readonly Finding[]): Retry {
  const times = findings.map(({ until }) => (until === null ? NaN : Date.parse(until)));
  const afterSeconds = Math.max(0, Math.ceil((Math.max(...times) - Date.now()) / 1_000));
  return Number.isNaN(afterSeconds) ? { helps: false } : { helps: true, afterSeconds };
}

/** The wallet is on a different chain than the next step, at the start or later. */
export class WrongNetworkError extends CausewayError {
  override readonly name = 'WrongNetworkError';
  override readonly docsPath = 'errors.md#wrongnetworkerror';
  constructor(
    readonly expectedChainId: number,
    readonly actualChainId: number,
  ) {
    super(`The wallet is on ${describeChain(actualChainId)}, and this step is on ${describeChain(expectedChainId)}.`, {
      field: 'chainId',
      nextStep: `Switch the wallet to ${describeChain(expectedChainId)}.`,
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
      nextStep: `Choose the account ${expected} in the wallet, then continue the transfer.`,
    });
  }
}

/** The user or the wallet refused to sign or send. */
export class WalletRefusedError extends CausewayError {
  override readonly name = 'WalletRefusedError';
  override readonly docsPath = 'errors.md#walletrefusederror';
  constructor(step: string, cause: unknown) {
    super(`The wallet refused: ${step}`, { cause, nextStep: 'Try again, and confirm the request in the wallet.' });
  }
}

/** The wallet or its node failed. Whether it sent a transaction is unknown; `resume` finds out. */
export class WalletFailedError extends CausewayError {
  override readonly name = 'WalletFailedError';
  override readonly docsPath = 'errors.md#walletfailederror';
  constructor(step: string, cause: unknown) {
    super(`The wallet failed: ${step} (${findReason(cause)})`, {
      cause,
      nextStep: 'Check the wallet, then try again. Nothing is sent twice.',
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
      nextStep: reason === 'NOT_CONFIRMED' ? 'Try again in a minute.' : 'Begin a new transfer.',
    });
  }
}

/** The record of a transfer is unusable: `field` names the reason. Nothing was sent or signed. */
export class RecordError extends CausewayError {
  override readonly name = 'RecordError';
  override readonly docsPath = 'errors.md#recorderror';
  constructor(
    field: string,
    problem: string,
    nextStep = 'Continue the transfer in the app and on the device where it began.',
  ) {
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
        'Check the wallet and reject any open request. ' +
        'If it sent the transaction, continue the transfer; if not, send again.',
    });
  }
}

/** The union of all errors of this package: `switch (error.name)` narrows it. */
export type CausewayErrorType =
  | AnswerError
  | ApiError
  | CheckError
  | ContractError
  | IntentUnpayableError
  | InvalidInputError
  | RecordError
  | TransactionFailedError
  | UndecidedError
  | UnreachableError
  | WalletFailedError
  | WalletRefusedError
  | WrongAccountError
  | WrongNetworkError;

/** Returns whether a thrown value is an error of this package, also of a second installed copy. */
export function isCausewayError(thrown: unknown): thrown is CausewayErrorType {
  return thrown instanceof Error && 'docsPath' in thrown && 'nextStep' in thrown;
}
