const PATIENCE_MS = 30_000;

/**
 * Waits until something is there.
 *
 * @throws Error when it is not after 30 seconds.
 */
export async function waitFor<T>(look: () => T | undefined, what: string): Promise<T> {
  const begun = Date.now();
  while (Date.now() - begun < PATIENCE_MS) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} seconds`);
}
