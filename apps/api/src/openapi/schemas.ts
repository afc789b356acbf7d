import {
  bindOriginResponseSchema,
  bridgeOperationResponseSchema,
  configResponseSchema,
  errorResponseSchema,
  explainResponseSchema,
  feeQuoteResponseSchema,
  healthResponseSchema,
  historyResponseSchema,
  intentResponseSchema,
  limitsResponseSchema,
  operationsResponseSchema,
  refundResponseSchema,
  reservesResponseSchema,
  resyncSchema,
  stateResponseSchema,
  streamMessageSchema,
  transactionsResponseSchema,
} from '@causeway/protocol/rest';
import { z } from 'zod';

/** A schema in the dialect of OpenAPI 3.1: JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Response bodies and event data by their names in the document. */
const RESPONSES = {
  BindOrigin: [bindOriginResponseSchema, 'The intent, the proposed or bound transaction, and the status.'],
  BridgeOperation: [bridgeOperationResponseSchema, 'The present state of an operation.'],
  Config: [configResponseSchema, 'Everything that a client needs to know before it begins.'],
  Document: [z.looseObject({}), 'This document.'],
  Error: [errorResponseSchema, 'A failure.'],
  Explanation: [explainResponseSchema, 'A verdict about a hash.'],
  FeeQuote: [feeQuoteResponseSchema, 'Fee and output of a transfer that has not begun.'],
  Health: [healthResponseSchema, 'The state of the service and its dependencies.'],
  History: [historyResponseSchema, 'A page of a history.'],
  Intent: [intentResponseSchema, 'An accepted intent with its fixed terms.'],
  Limits: [limitsResponseSchema, 'The terms of both directions at present.'],
  Operations: [operationsResponseSchema, 'A page of the operations of all wallets.'],
  Page: [z.string(), 'A page for people.'],
  Refund: [refundResponseSchema, 'The refund of a transfer that was not bridged.'],
  Reserves: [reservesResponseSchema, 'A page of the statements of the reserves.'],
  Resync: [resyncSchema, 'The data of the event `resync`: the client must read the history.'],
  State: [stateResponseSchema, 'The state of each part of the bridge.'],
  StreamMessage: [
    streamMessageSchema,
    'The data of an event: an operation for `operation`, an empty object for `resync`.',
  ],
  Transactions: [
    transactionsResponseSchema,
    'Everything that a wallet signs for a transfer. Nothing is stored or reserved.',
  ],
} as const;

export type ResponseName = keyof typeof RESPONSES;

/** Returns the reference to a schema of the document. */
export const refTo = (name: string) => `#/components/schemas/${name}`;

/** Returns the schemas of all response bodies. A nested body is a reference. */
export function responseSchemas(): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, [schema]] of Object.entries(RESPONSES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: refTo });
  return Object.fromEntries(
    Object.entries(RESPONSES).map(([name, [, description]]) => [name, { description, ...plain(schemas[name] ?? {}) }]),
  );
}

/** Returns a request schema in the client's input form. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: 'input' }));
}

/** Removes the keys of a stand-alone schema, and the bounds of JavaScript's safe integers. */
function plain(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _id, ...rest } = schema as Record<string, unknown>;
  return JSON.parse(JSON.stringify(rest), (_key, value: unknown) => {
    if (value === null || typeof value !== 'object' || !('type' in value) || value.type !== 'integer') return value;
    const { pattern: _text, ...integer } = value as Record<string, unknown>;
    if (integer['minimum'] === Number.MIN_SAFE_INTEGER) delete integer['minimum'];
    if (integer['maximum'] === Number.MAX_SAFE_INTEGER) delete integer['maximum'];
    return integer;
  }) as JsonSchema;
}
