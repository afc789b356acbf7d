import { formatWithOptions } from 'node:util';

/** Prints a line on standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line on standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prepares the process for a terminal. Call it first. */
export function prepareTerminal(): void {
  // A closed terminal or pipe must not end the process before its children have stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Node calls Prisma's WebAssembly import experimental. Other warnings are printed as Node does.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return;
    process.stderr.write(`${formatWithOptions({ colors: false }, '(node:%d) %s', process.pid, warning.stack)}\n`);
  });
}

/**
 * Aborts at the first Ctrl-C, SIGTERM or closed terminal, and when a parent process with an IPC channel ends. A second
 * signal ends the process immediately.
 */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
    process.once(event, () => controller.abort(event));
  }
  return controller.signal;
}
