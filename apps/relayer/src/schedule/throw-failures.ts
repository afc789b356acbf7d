import { FenceLostError } from '@causeway/store';

/** Throws what went wrong, if anything did: a lost lease before all else, one failure as it is, several together. */
export function throwFailures(failures: readonly unknown[]): void {
  const lost = failures.find((failure) => failure instanceof FenceLostError);
  if (lost !== undefined) throw lost;
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} failures`);
}
