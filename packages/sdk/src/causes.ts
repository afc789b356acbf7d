const MOST_CAUSES = 8;

/** An error of a wallet or a node, in the forms of libraries and wallets. */
export interface RemoteError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
  readonly cause?: unknown;
  readonly info?: unknown;
  readonly error?: unknown;
}

/** Yields an error and its causes, outermost first: libraries wrap the answers of wallets and nodes. */
export function* walkCauses(error: unknown): Generator<RemoteError> {
  let each = error;
  for (let depth = 0; depth < MOST_CAUSES && typeof each === 'object' && each !== null; depth += 1) {
    const wrapped: RemoteError = each;
    yield wrapped;
    // ethers keeps a node's answer in `info.error`, MetaMask another wallet's in `data.originalError`.
    const info = wrapped.info as RemoteError | undefined;
    const data = wrapped.data as { readonly originalError?: unknown } | undefined;
    each =
      wrapped.cause ?? wrapped.error ?? info?.error ?? (typeof data === 'object' ? data?.originalError : undefined);
  }
}

/** Returns whether an error or one of its causes has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  for (const { code } of walkCauses(error)) if (codes.includes(code)) return true;
  return false;
}
