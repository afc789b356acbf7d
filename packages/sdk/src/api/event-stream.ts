import type { Bridge } from '../bridge.js';
import type { Page, PauseOptions } from '../pause.js';
import { makeAddress, type ApiRequest } from './request.js';
import type { EventReader, ServerSentEvent } from './server-sent-events.js';

/** Waits for a promise, and calls `onLate` after a timeout. */
async function waitFor<T>(ms: number, onLate: () => void, wanted: Promise<T>): Promise<T> {
  const timer = setTimeout(onLate, ms);
  try {
    return await wanted;
  } finally {
    clearTimeout(timer);
  }
}

const isHidden = (page: Page | undefined) => page?.visibilityState === 'hidden';

/**
 * Reads one connection of `GET /bridge/events`, after the reader's last event. It ends when the server closes it, when
 * it breaks, and when the page is hidden; reconnect after each of these.
 *
 * @throws if streams do not work: the server refuses them, or no data arrives within the bridge's timeout, later within
 *   three times that (default 45 seconds); or the reason of the signal.
 */
export async function* openEventStream(
  bridge: Bridge,
  query: NonNullable<ApiRequest['query']>,
  reader: EventReader,
  { signal, page }: PauseOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const { timeoutMs, fetch: send = fetch } = bridge;
  const controller = new AbortController();
  let [isOpen, isSilent] = [false, false];
  const stop = () => {
    if (signal?.aborted === true || isHidden(page)) controller.abort();
  };
  const endSilence = () => {
    isSilent = true;
    controller.abort();
  };
  signal?.addEventListener('abort', stop);
  page?.addEventListener('visibilitychange', stop);
  reader.restart();
  try {
    const headers = reader.lastEventId === '' ? {} : { 'last-event-id': reader.lastEventId };
    const request = { headers: { accept: 'text/event-stream', ...headers }, signal: controller.signal };
    const address = makeAddress(bridge, 'bridge/events', query);
    const response = await waitFor(timeoutMs, endSilence, send(address, request));
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const body = response.status === 200 && isStream ? response.body?.getReader() : undefined;
    if (body === undefined) throw new Error(`HTTP ${response.status} without a stream`);
    for (const decoder = new TextDecoder(); ; isOpen = true) {
      const { value, done } = await waitFor(isOpen ? 3 * timeoutMs : timeoutMs, endSilence, body.read());
      if (done) return;
      yield* reader.push(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (isSilent || (!isOpen && !isHidden(page))) throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    page?.removeEventListener('visibilitychange', stop);
    controller.abort();
  }
}
