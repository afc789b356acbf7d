import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes the directory and refuses one in which another stack runs.
 *
 * @throws Error naming the process that runs there.
 */
export function claimDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'stack.json');
  if (!existsSync(file)) return;
  const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid?: unknown };
  if (typeof pid === 'number' && isAlive(pid)) {
    throw new Error(`A stack runs in ${directory} already (process ${pid}). Stop it, or give another --directory`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but is somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
