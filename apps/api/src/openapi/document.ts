import { ERROR_CODES, listAssets, type ErrorCode } from '@causeway/protocol';
import { BODY_ERRORS, COMMON_ERRORS, ENDPOINTS, STREAM, TAGS, type Endpoint } from './endpoints.js';
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

const describeApi = () =>
  [
    `Moves ${listAssets().slice(0, -1).join(', ')} and ${listAssets().at(-1)} between Ethereum and the partner chain.`,
    'Amounts are texts: whole numbers in atomic units, and in fields named …Formatted plain decimals.',
    'Times are ISO 8601 in UTC. A failing request answers with `error`, a code, and `message`, a sentence.',
    'Unknown parameters and fields are refused. Every endpoint is public and needs no credentials.',
  ].join(' ');

const header = (description: string, isRequired = true) => ({
  description,
  required: isRequired,
  schema: { type: 'string' },
});
const rate = (description: string) => header(`${description} Absent where no limit applies.`, false);

/** The headers of answers, by their names. */
const HEADERS = {
  'X-Request-Id': header('Names the request in the log of the service.'),
  'Cache-Control': header('How long the answer may be kept.'),
  'RateLimit-Limit': rate('Requests that a client may send in the present window.'),
  'RateLimit-Remaining': rate('Requests that are left of them.'),
  'RateLimit-Reset': rate('When the window ends, in seconds.'),
  'RateLimit-Policy': rate('All windows: requests, and `w` seconds.'),
  'Retry-After': header('When to ask again, in seconds.'),
  ETag: header('Of this answer, for If-None-Match.'),
  Age: header('How many seconds ago the chains said this.', false),
};
type HeaderName = keyof typeof HEADERS;
const COMMON_HEADERS: readonly HeaderName[] = [
  'X-Request-Id',
  'Cache-Control',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
];
/** The statuses after which the same request may succeed. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 503]);

/**
 * Describes the endpoints by the schemas that check their requests and answers (OpenAPI 3.1).
 *
 * @param origin under which clients reach this API, such as https://bridge.example.
 */
export function buildDocument(examples: Examples, origin: string) {
  const paths: Record<string, Record<string, ReturnType<typeof describeEndpoint>>> = {};
  for (const endpoint of ENDPOINTS) {
    const { path, method, operationId } = endpoint;
    paths[path] = { ...paths[path], [method]: describeEndpoint(endpoint, examples[operationId]) };
  }
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Causeway bridge',
      version: '1.0.0',
      description: describeApi(),
      contact: { name: 'The Causeway authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${origin}/api/v1`, description: 'This bridge.' }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: responseSchemas(), headers: HEADERS },
  };
}

function describeEndpoint(endpoint: Endpoint, example: Example | undefined) {
  const { operationId, tag, summary, description, query, parameters, body, response, statuses = [200] } = endpoint;
  const { contentType = 'application/json', hasETag = false, hasAge = false } = endpoint;
  const described = [
    ...(parameters === undefined ? [] : toParameters(parameters, 'path', example?.parameters)),
    ...(query === undefined ? [] : toParameters(query, 'query', example?.query)),
    ...(endpoint.headers === undefined ? [] : toParameters(endpoint.headers, 'header')),
  ];
  const own: HeaderName[] = [...(hasETag ? ['ETag' as const] : []), ...(hasAge ? ['Age' as const] : [])];
  const answer = (status: number) => ({
    description: summary,
    headers: describeHeaders(status, own),
    content: { [contentType]: toMedia({ $ref: refTo(response) }, example?.response) },
  });
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(described.length === 0 ? {} : { parameters: described }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(requestSchema(body), example?.body) } }),
    responses: {
      ...errorResponses(endpoint),
      ...(hasETag
        ? { 304: { description: 'Not changed since the ETag of If-None-Match.', headers: describeHeaders(304, own) } }
        : {}),
      ...(contentType === STREAM
        ? {
            204: {
              description: 'Nothing can follow the last event: the client has all.',
              headers: describeHeaders(204),
            },
          }
        : {}),
      ...Object.fromEntries(statuses.map((status) => [status, answer(status)])),
      default: { description: 'Any other failure.', content: jsonContent({ $ref: refTo('Error') }) },
    },
  };
}

/** The headers of an answer: those of all, those of its status, and its own. */
function describeHeaders(status: number, own: readonly HeaderName[] = []) {
  const names: HeaderName[] = [...COMMON_HEADERS, ...own, ...(TRY_AGAIN.has(status) ? ['Retry-After' as const] : [])];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function toParameters(
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
        headers: describeHeaders(status),
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
  return { 'application/json': toMedia(schema, example) };
}

function toMedia(schema: JsonSchema, example?: unknown) {
  return { schema, ...(example === undefined ? {} : { example }) };
}
