import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Two halves of this machine, as taskset writes them. */
export interface Cores {
  readonly node: string;
  readonly gateway: string;
}

/**
 * Which cores the node and the gateway are to keep to. Null where there is one core only, or no taskset (Linux).
 *
 * Where both may use all of them, what the one works is taken from the other, which in earnest has a machine of its own.
 */
export function cores(): Cores | null {
  const count = availableParallelism();
  const half = Math.floor(count / 2);
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return half === 0 ? null : { node: range(0, half - 1), gateway: range(half, count - 1) };
}

function range(first: number, last: number): string {
  return first === last ? String(first) : `${first}-${last}`;
}
