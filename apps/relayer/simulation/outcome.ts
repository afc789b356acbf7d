import type { Schedule } from './environment/schedule.ts';

/** The result of a schedule. */
export interface Outcome {
  readonly schedule: Schedule;
  /** The first violated invariant; null when all held. */
  readonly violation: Violation | null;
  /** The events, one per line, oldest first. */
  readonly story: readonly string[];
  /** Events of the simulation. */
  readonly events: number;
  /** Items that the verifier judged. */
  readonly judgements: number;
}

/** A violated invariant. */
export interface Violation {
  /** The name of the invariant. */
  readonly invariant: string;
  /** The state that was found instead. */
  readonly found: string;
}

export class ViolationError extends Error {
  override readonly name = 'ViolationError';
  readonly violation: Violation;

  constructor(invariant: string, found: string) {
    super(`${invariant}: ${found}`);
    this.violation = { invariant, found };
  }
}

/**
 * Compares two lists regardless of order.
 *
 * @throws ViolationError that lists the differences.
 */
export function assertSame(invariant: string, expected: Iterable<string>, found: Iterable<string>): void {
  const [left, right] = [[...expected].toSorted(), [...found].toSorted()];
  if (left.length === right.length && left.every((line, index) => line === right[index])) return;
  const missing = left.filter((line) => !right.includes(line));
  const extra = right.filter((line) => !left.includes(line));
  const counts = `${left.length} expected, ${right.length} found`;
  throw new ViolationError(invariant, `${counts}; missing: ${missing.join(', ')}; too many: ${extra.join(', ')}`);
}
