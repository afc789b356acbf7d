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
  refundResponseSchema,
  resyncSchema,
  streamMessageSchema,
  transactionsResponseSchema,
} from '@causeway/protocol/rest';
import { z } from 'zod';

/** A schema in the dialect of OpenAPI 3.1: JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The bodies of answers, and the data of events, by their names in the document. */
const RESPONSES = {
  BindOrigin: [bindOriginResponseSchema, 'The intent, the proposed or bound transaction, and the status.'],
  BridgeOperation: [bridgeOperationResponseSchema, 'An operation as it is now.'],
  Config: [configResponseSchema, 'Everything that a client needs to know before it begins.'],
  Document: [z.looseObject({}), 'This document.'],
  Error: [errorResponseSchema, 'A failure.'],
  Explanation: [explainResponseSchema, 'A verdict about a hash.'],
  FeeQuote: [feeQuoteResponseSchema, 'Fee and output of a transfer that has not begun.'],
  Health: [healthResponseSchema, 'The state of the service, and of everything that it needs.'],
  History: [historyResponseSchema, 'A page of a history.'],
  Intent: [intentResponseSchema, 'An accepted intent with the terms that are fixed for it.'],
  Limits: [limitsResponseSchema, 'The terms of both directions at present.'],
  Page: [z.string(), 'A page for people.'],
  Refund: [refundResponseSchema, 'The refund of a transfer that was not bridged.'],
  Resync: [resyncSchema, 'The data of the event `resync`: read the history now.'],
  StreamMessage: [
    streamMessageSchema,
    'The data of an event: of `operation` an operation, of `resync` an empty object.',
  ],
  Transactions: [transactionsResponseSchema, 'All that a wallet signs for a transfer. Nothing is stored or reserved.'],
} as const;

/** The name of a body. */
export type ResponseName = keyof typeof RESPONSES;

/** Where the document keeps a schema. */
export const refTo = (name: string) => `#/components/schemas/${name}`;

/** All bodies of answers. One inside another is a reference. */
export function responseSchemas(): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, [schema]] of Object.entries(RESPONSES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: refTo });
  return Object.fromEntries(
    Object.entries(RESPONSES).map(([name, [, description]]) => [name, { description, ...plain(schemas[name] ?? {}) }]),
  );
}

/** A schema of a request, as the client writes it. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: 'input' }));
}

/** Without what only a schema of its own needs, and without the bounds of every integer of JavaScript. */
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
