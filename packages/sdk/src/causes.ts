const MOST_CAUSES = 8;

/** An error of a wallet or a node, as libraries and wallets shape it. */
export interface RemoteError {
  readonly code?: unknown;
  readonly data?: unknown;
  readonly cause?: unknown;
  readonly info?: unknown;
  readonly error?: unknown;
}

/** An error and its causes, from the outermost to the innermost: libraries wrap what a wallet or a node has said. */
export function* walkCauses(error: unknown): Generator<RemoteError> {
  let each = error;
  for (let depth = 0; depth < MOST_CAUSES && typeof each === 'object' && each !== null; depth += 1) {
    const wrapped: RemoteError = each;
    yield wrapped;
    // ethers keeps the answer of a node in `info.error`, MetaMask that of another wallet in `data.originalError`.
    const info = wrapped.info as RemoteError | undefined;
    const data = wrapped.data as { readonly originalError?: unknown } | undefined;
    each =
      wrapped.cause ?? wrapped.error ?? info?.error ?? (typeof data === 'object' ? data?.originalError : undefined);
  }
}

/** Whether an error or one of its causes has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  for (const { code } of walkCauses(error)) if (codes.includes(code)) return true;
  return false;
}
