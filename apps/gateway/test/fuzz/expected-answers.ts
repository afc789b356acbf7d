/** What a message must be answered with. */
export type Expectation =
  | { readonly kind: 'nothing' }
  /** One error about the message as a whole. */
  | { readonly kind: 'refusal'; readonly code: number }
  | { readonly kind: 'single'; readonly id: unknown }
  /** One answer for each, in this order. */
  | { readonly kind: 'batch'; readonly ids: readonly unknown[] };

const BATCH_LIMIT = 100;

/** Reads a message by the letter of JSON-RPC 2.0, without anything of the gateway. */
export function expectedAnswers(text: string): Expectation {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { kind: 'refusal', code: -32700 };
  }
  if (!Array.isArray(message)) {
    const [id] = idsOf([message]);
    return id === undefined ? { kind: 'nothing' } : { kind: 'single', id };
  }
  if (message.length === 0 || message.length > BATCH_LIMIT) return { kind: 'refusal', code: -32600 };
  const ids = idsOf(message);
  return ids.length === 0 ? { kind: 'nothing' } : { kind: 'batch', ids };
}

/** The ids that the answers must have: null for what is no call, none for a notification. */
function idsOf(calls: readonly unknown[]): unknown[] {
  return calls.flatMap((call) => {
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return [null];
    const { jsonrpc, method, id } = call as Record<string, unknown>;
    if (jsonrpc !== '2.0' || typeof method !== 'string') return [null];
    if (id === undefined) return [];
    return [typeof id === 'string' || typeof id === 'number' ? id : null];
  });
}
