/**
 * Compares what a chain has with what was meant. Numbers of any kind and addresses in any case are the same when they read
 * the same.
 *
 * @throws Error naming the difference.
 */
export function expectSame(name: string, found: unknown, meant: unknown): void {
  const [actual, wanted] = [String(found).toLowerCase(), String(meant).toLowerCase()];
  if (actual !== wanted) throw new Error(`The ${name} is ${actual} on the chain, but should be ${wanted}`);
}
