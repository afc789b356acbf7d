import { execFileSync } from 'node:child_process';

/**
 * Has a process, with all its threads, run on these cores only.
 *
 * @param list as taskset writes it.
 */
export function keepToCores(pid: number, list: string): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(pid)], { stdio: 'ignore' });
}
