/** A page that can be hidden, such as the `document` of a browser. */
export interface Page {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
}

/** Options that lengthen or shorten a pause. */
export interface PauseOptions {
  readonly signal?: AbortSignal | undefined;
  readonly page?: Page | undefined;
}

/**
 * Waits for work that cannot be cancelled, until the signal is aborted.
 *
 * @throws the reason of the signal.
 */
export async function waitUnlessAborted<T>(signal: AbortSignal | undefined, wanted: Promise<T>): Promise<T> {
  if (signal === undefined) return wanted;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    void wanted.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Waits for a time. While the page is hidden it keeps waiting, and it ends early when the page is shown again.
 *
 * @throws the reason of the signal.
 */
export async function pause(ms: number, { signal, page }: PauseOptions = {}): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      if (page?.visibilityState === 'hidden' && signal?.aborted !== true) return;
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      page?.removeEventListener('visibilitychange', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    page?.addEventListener('visibilitychange', end);
  });
  signal?.throwIfAborted();
}
