import type { Stack, StackOptions } from './stack.js';
import { connectStack } from './client.js';
import { startStack } from './start-stack.js';

/** Allows for a start on a busy machine. */
const PATIENCE_MS = 120_000;
/** Names the control URL of a stack that a global set-up has started. */
const CONTROL_VARIABLE = 'CAUSEWAY_STACK';

/** The hooks of a test runner: `beforeAll` and `afterAll` of Jest and Vitest, `before` and `after` of node:test. */
export interface Hooks {
  readonly beforeAll: Hook;
  readonly afterAll: Hook;
}

/** The second parameter is milliseconds in Jest and Vitest. node:test expects options there and ignores a number. */
type Hook = (work: () => Promise<void>, timeoutMs: never) => unknown;

/**
 * Gives the tests of a file a stack: the one whose `controlUrl` is in `CAUSEWAY_STACK`, or a new one that stops after
 * the tests.
 *
 * @returns a function that returns the stack within tests.
 */
export function useStack(hooks: Hooks, options: StackOptions = {}): () => Stack {
  let stack: Stack | null = null;
  const timeout = PATIENCE_MS as never;
  hooks.beforeAll(async () => {
    const controlUrl = process.env[CONTROL_VARIABLE];
    stack = controlUrl === undefined ? await startStack(options) : await connectStack(controlUrl);
  }, timeout);
  hooks.afterAll(async () => {
    await stack?.stop();
  }, timeout);
  return () => {
    if (stack === null) throw new Error('The stack runs only inside tests and hooks registered after useStack');
    return stack;
  };
}
