/** A page that can be hidden, such as the `document` of a browser. */
export interface Page {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
}

/** Reasons to wait longer or not so long. */
export interface PauseOptions {
  readonly signal?: AbortSignal | undefined;
  readonly page?: Page | undefined;
}

/**
 * Waits. While the page is hidden it waits on, and it ends early when the page is shown again.
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
