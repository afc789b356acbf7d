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
  transactionsResponseSchema,
} from '@causeway/protocol';
import { z } from 'zod';

/** A schema in the dialect of OpenAPI 3.1: JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The bodies of answers, by their names in the document. */
const RESPONSES = {
  BindOrigin: bindOriginResponseSchema,
  BridgeOperation: bridgeOperationResponseSchema,
  Config: configResponseSchema,
  Error: errorResponseSchema,
  Explanation: explainResponseSchema,
  FeeQuote: feeQuoteResponseSchema,
  Health: healthResponseSchema,
  History: historyResponseSchema,
  Intent: intentResponseSchema,
  Limits: limitsResponseSchema,
  Refund: refundResponseSchema,
  Transactions: transactionsResponseSchema,
} as const;

/** The name of a body. */
export type ResponseName = keyof typeof RESPONSES;

/** Where the document keeps a schema. */
export const refTo = (name: string) => `#/components/schemas/${name}`;

/** All bodies of answers. One inside another is a reference. */
export function responseSchemas(): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(RESPONSES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: refTo });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plain(schema)]));
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
