import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { BridgeOperationResponse } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';

/** A received event. */
interface SentEvent {
  readonly name: string;
  readonly id: string;
  /** `what`: the content of a console's `changed`. */
  readonly data: Readonly<Partial<BridgeOperationResponse> & { readonly what?: string }>;
}

/** A client of `GET /bridge/events`, or of another stream. */
export interface EventReader {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  /** The response itself, to pause and resume reading. */
  readonly response: IncomingMessage;
  /** The events so far. */
  readonly events: readonly SentEvent[];
  /** The text so far, including heartbeats. */
  readonly text: () => string;
  /** The id that a client would send as Last-Event-ID. */
  readonly lastId: () => string | undefined;
  readonly hasEnded: () => boolean;
  /** Waits for an event of an operation with a status. */
  readonly seen: (operationId: string, status: string) => Promise<SentEvent>;
  readonly close: () => void;
}

/** Opens a stream. `query` without `?`. */
export async function readEvents(
  apiUrl: string,
  query: string,
  headers: Readonly<Record<string, string>> = {},
  path = '/api/v1/bridge/events',
): Promise<EventReader> {
  const sent = request(`${apiUrl}${path}?${query}`, { agent: false, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  let hasEnded = false;
  const events: SentEvent[] = [];
  let read = 0;
  response.on('error', () => undefined).on('close', () => (hasEnded = true));
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf('\n\n', read); end >= 0; end = text.indexOf('\n\n', read)) {
      const fields = Object.fromEntries(
        text
          .slice(read, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      ) as Partial<Record<string, string>>;
      read = end + 2;
      if (fields['data'] === undefined) continue;
      const data = JSON.parse(fields['data']) as SentEvent['data'];
      events.push({ name: fields['event'] ?? '', id: fields['id'] ?? '', data });
    }
  });
  const find = (operationId: string, status: string) =>
    events.find(({ data }) => data.id === operationId && data.status === status) ?? null;
  return {
    status: response.statusCode,
    headers: response.headers,
    response,
    events,
    text: () => text,
    lastId: () => [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1],
    hasEnded: () => hasEnded,
    seen: (operationId, status) => waitUntil(`${operationId} is ${status}`, async () => find(operationId, status)),
    close: () => sent.destroy(),
  };
}
