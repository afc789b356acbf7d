import type { Difference } from './compare.ts';

interface Answered {
  readonly method: string;
}

const NOT_OFFERED = new Set([-32004, -32601]);

/** Whether the gateway answered that it does not have the method. */
export function isNotOffered(answer: unknown): boolean {
  return NOT_OFFERED.has((answer as { error?: { code: number } }).error?.code ?? 0);
}

/** Why a difference is right on our chain; null when it is wrong. */
export function findReason(_pair: Answered, _difference: Difference, _all: readonly Difference[]): string | null {
  return null;
}
