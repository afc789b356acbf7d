import type { ErrorCode } from '@causeway/protocol';

/** For failures that only a programmer can resolve. docs/errors.md says how. */
const REPORT = 'Report this to the developers of this app.';

/** Fields that a user enters. */
const ENTERED = /^(amount|recipient|asset|address|hash)$/;

/** Returns the next step after a malformed argument, or a parameter that the API refuses. */
export function correct(field: string | undefined): string {
  const entry = field === 'token' ? 'asset' : (field ?? '');
  return ENTERED.test(entry) ? `Enter another ${entry}.` : REPORT;
}

const REFUSALS: Partial<Record<string, string>> = {
  BELOW_MINIMUM: 'Choose a higher amount.',
  DEADLINE_EXPIRED: 'Correct the clock of this device, then begin a new transfer.',
  INTENT_EXPIRED: 'Begin a new transfer.',
  SIGNATURE_MISMATCH: 'Begin a new transfer.',
  OPERATION_NOT_FOUND: 'Try again in a minute, or check the hash.',
  SERVICE_PAUSED: 'Try again later.',
} satisfies Partial<Record<ErrorCode, string>>;

/** A refusal of the API. `afterSeconds` is undefined if the API did not name it. */
interface Refusal {
  readonly field: string | undefined;
  readonly isTransient: boolean;
  readonly afterSeconds: number | undefined;
}

/** Returns the next step after a refusal of the API. */
export function adviseRefusal(code: string, { field, isTransient, afterSeconds }: Refusal): string {
  const later = (afterSeconds ?? 0) > 0 ? `after ${afterSeconds} seconds` : 'in a minute';
  return REFUSALS[code] ?? (isTransient ? `Try again ${later}.` : correct(field));
}
