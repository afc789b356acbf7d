import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * The cores that a node is to keep to, as taskset writes them: half of this machine's. Null where there is one core only, or no taskset (Linux).
 *
 * Where the node may use all of them, what the gateway works is taken from the node, which in earnest has a machine of its own.
 */
export function coresOfNode(): string | null {
  const half = Math.floor(availableParallelism() / 2);
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return half === 0 ? null : half === 1 ? '0' : `0-${half - 1}`;
}
