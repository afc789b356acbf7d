import { ERROR_CODES, type ErrorCode } from '@causeway/protocol';
import { BODY_ERRORS, COMMON_ERRORS, ENDPOINTS, type Endpoint } from './endpoints.js';
import { refTo, requestSchema, responseSchemas, type JsonSchema } from './schemas.js';

/** A request and its answer, as they were. `query` and `parameters` by name. */
export interface Example {
  readonly query?: Readonly<Record<string, string>>;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly response: unknown;
}

/** By operationId. */
export type Examples = Readonly<Record<string, Example>>;

const DESCRIPTION = [
  'Moves ETH, USDC and XCN between Ethereum and the partner chain.',
  'Amounts are texts: whole numbers in atomic units, and in fields named …Formatted plain decimals.',
  'Times are ISO 8601 in UTC. A failing request answers with `error`, a code, and `message`, a sentence.',
  'Unknown parameters and fields are refused. Every endpoint is public and needs no credentials.',
].join(' ');

const header = (description: string) => ({ description, required: true, schema: { type: 'string' } });
/** The headers of every answer. */
const HEADERS = {
  'X-Request-Id': header('Names the request in the log of the service.'),
  'Cache-Control': header('How long the answer may be kept.'),
};
/** The statuses after which the same request may succeed. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 503]);

/** Describes the endpoints by the schemas that check their requests and answers (OpenAPI 3.1). */
export function buildDocument(examples: Examples) {
  const paths: Record<string, Record<string, ReturnType<typeof describeEndpoint>>> = {};
  for (const endpoint of ENDPOINTS) {
    const { path, method, operationId } = endpoint;
    paths[path] = { ...paths[path], [method]: describeEndpoint(endpoint, examples[operationId]) };
  }
  return {
    openapi: '3.1.0' as const,
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Causeway bridge', version: '1.0.0', description: DESCRIPTION },
    servers: [{ url: '/api/v1' }],
    paths,
    components: { schemas: responseSchemas() },
  };
}

function describeEndpoint(endpoint: Endpoint, example: Example | undefined) {
  const { operationId, summary, query, parameters, body, response, statuses = [200] } = endpoint;
  const { hasETag, isStream } = endpoint;
  const described = [
    ...(parameters === undefined ? [] : parametersOf(parameters, 'path', example?.parameters)),
    ...(query === undefined ? [] : parametersOf(query, 'query', example?.query)),
    ...(endpoint.headers === undefined ? [] : parametersOf(endpoint.headers, 'header')),
  ];
  const headers = { ...HEADERS, ...(hasETag === true ? { ETag: header('Of this answer, for If-None-Match.') } : {}) };
  const answer = {
    description: summary,
    headers,
    content: {
      [isStream === true ? 'text/event-stream' : 'application/json']: mediaOf(
        { $ref: refTo(response) },
        example?.response,
      ),
    },
  };
  return {
    operationId,
    summary,
    ...(described.length === 0 ? {} : { parameters: described }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(requestSchema(body), example?.body) } }),
    responses: {
      ...errorResponses(endpoint),
      ...(hasETag === true ? { 304: { description: 'Not changed since the ETag of If-None-Match.', headers } } : {}),
      ...(isStream === true
        ? { 204: { description: 'Nothing can follow the last event: the client has all.', headers } }
        : {}),
      ...Object.fromEntries(statuses.map((status) => [status, answer])),
      default: { description: 'Any other failure.', content: jsonContent({ $ref: refTo('Error') }) },
    },
  };
}

function parametersOf(
  schema: Endpoint['query'] & object,
  where: 'path' | 'query' | 'header',
  example?: Example['query'],
) {
  const { properties = {}, required = [] } = requestSchema(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(example?.[name] === undefined ? {} : { example: asTyped(example[name], rest) }),
  }));
}

/** The example of a parameter as its schema has it: a query has only texts. */
function asTyped(text: string, { type }: JsonSchema): string | number {
  return type === 'integer' ? Number(text) : text;
}

/** The codes of an endpoint, one answer for each status. */
function errorResponses({ errors, body }: Endpoint) {
  const all = [...COMMON_ERRORS, ...(body === undefined ? [] : BODY_ERRORS), ...errors];
  const byStatus = Map.groupBy(all, (code) => ERROR_CODES[code].httpStatus);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: meanings(codes),
        headers: { ...HEADERS, ...(TRY_AGAIN.has(status) ? { 'Retry-After': header('In seconds.') } : {}) },
        content: errorContent(codes),
      },
    ]),
  );
}

function meanings(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `${code}: ${ERROR_CODES[code].meaning}`).join('\n');
}

function errorContent(codes: readonly ErrorCode[]) {
  return jsonContent({ allOf: [{ $ref: refTo('Error') }, { properties: { error: { enum: codes } } }] });
}

function jsonContent(schema: JsonSchema, example?: unknown) {
  return { 'application/json': mediaOf(schema, example) };
}

function mediaOf(schema: JsonSchema, example?: unknown) {
  return { schema, ...(example === undefined ? {} : { example }) };
}
