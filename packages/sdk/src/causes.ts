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
  for (let depth = 0; depth < MOST_CAUSES && each !== undefined && each !== null; depth += 1) {
    const wrapped: RemoteError = typeof each === 'string' ? { message: each } : Object(each);
    yield wrapped;
    // ethers keeps a node's answer in `info.error`, MetaMask that of a node or another wallet in `data`.
    const info = wrapped.info as RemoteError | undefined;
    const data = Object(wrapped.data) as RemoteError & { readonly originalError?: unknown };
    const own = data.originalError ?? (data.message === undefined ? data.cause : data);
    each = wrapped.cause ?? wrapped.error ?? info?.error ?? own;
  }
}

/** Returns the first line of the innermost message: the wallet's or node's own words. */
export function findReason(error: unknown): string {
  let reason = '';
  for (const { message } of walkCauses(error)) if (typeof message === 'string' && message !== '') reason = message;
  return reason.split('\n')[0] ?? '';
}

/** Returns whether an error or one of its causes has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  for (const { code } of walkCauses(error)) if (codes.includes(code)) return true;
  return false;
}
