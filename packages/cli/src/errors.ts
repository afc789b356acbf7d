import { CausewayError } from '@causeway/sdk';

/** An argument, an option or a variable is missing or malformed. */
export class UsageError extends CausewayError {
  override readonly name = 'UsageError';
  override readonly docsPath = 'errors.md#usageerror';
  constructor(field: string, problem: string, nextStep = 'See causeway --help.') {
    super(`${field} ${problem}`, { field, nextStep });
  }
}

/** Nothing was sent, because nobody confirmed. */
export class NotConfirmedError extends CausewayError {
  override readonly name = 'NotConfirmedError';
  override readonly docsPath = 'errors.md#notconfirmederror';
  constructor(message: string, nextStep: string) {
    super(message, { nextStep });
  }
}

/** A key cannot be read. The error has no cause, since a library's message can quote the key. */
export class KeyError extends CausewayError {
  override readonly name = 'KeyError';
  override readonly docsPath = 'errors.md#keyerror';
  constructor(field: string, problem: string, nextStep: string) {
    super(`${field} ${problem}`, { field, nextStep });
  }
}

/** The program was interrupted by a signal. */
export class InterruptedError extends CausewayError {
  override readonly name = 'InterruptedError';
  override readonly docsPath = 'errors.md#interruptederror';
  constructor() {
    super('Interrupted', { nextStep: 'To continue a transfer that has begun, run causeway resume.' });
  }
}
