import { ERROR_CODES, EVENT_NAMES, listAssets, type ErrorCode } from '@causeway/protocol';
import { DeprecationError, DEPRECATIONS, type Deprecation } from './deprecations.js';
import { BODY_ERRORS, COMMON_ERRORS, ENDPOINTS, STREAM, TAGS, type Endpoint } from './endpoints.js';
import { refTo, requestSchema, responseSchemas, type JsonSchema } from './schemas.js';

/** A recorded request and its response. `query` and `parameters` by name. */
export interface Example {
  readonly query?: Readonly<Record<string, string>>;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly response: unknown;
}

/** Examples by operationId. */
export type Examples = Readonly<Record<string, Example>>;

const describeApi = () =>
  [
    `Moves ${listAssets().slice(0, -1).join(', ')} and ${listAssets().at(-1)} between Ethereum and the partner chain.`,
    'Amounts are strings: whole numbers in atomic units, or plain decimals in fields named …Formatted.',
    'Times are ISO 8601 in UTC. A failed request returns `error`, a code, and `message`, a sentence.',
    'Unknown parameters and fields are refused. Every endpoint is public and needs no credentials.',
  ].join(' ');

const header = (description: string, isRequired = true) => ({
  description,
  required: isRequired,
  schema: { type: 'string' },
});
const rate = (description: string) => header(`${description} Absent where no limit applies.`, false);

/** Response headers by name. */
const HEADERS = {
  'X-Request-Id': header('Identifies the request in the log of the service.'),
  'Cache-Control': header('How long the response can be cached.'),
  'RateLimit-Limit': rate('Requests that a client can send in the present window.'),
  'RateLimit-Remaining': rate('Requests left in the present window.'),
  'RateLimit-Reset': rate('Seconds until the window ends.'),
  'RateLimit-Policy': rate('All windows: the number of requests, and the length `w` in seconds.'),
  'Retry-After': header('Seconds to wait before retrying.'),
  ETag: header('Version of this response, for If-None-Match.'),
  Age: header('Age in seconds of the values read from the chains.', false),
  Link: header('The page about the error (rel="help") or about the deprecation (rel="deprecation").'),
};
/** Headers of endpoints with deprecated parts. */
const DEPRECATION_HEADERS = {
  Deprecation: header('When a part of this endpoint was deprecated (RFC 9745).'),
  Sunset: header('When that part can be removed (RFC 8594).'),
};
type HeaderName = keyof typeof HEADERS | keyof typeof DEPRECATION_HEADERS;
const COMMON_HEADERS: readonly HeaderName[] = [
  'X-Request-Id',
  'Cache-Control',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
];
/** Statuses after which the same request can succeed. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 503]);

/**
 * Builds the OpenAPI 3.1 document from the schemas that check requests and responses.
 *
 * @param origin origin at which clients reach this API, such as https://bridge.example.
 * @throws DeprecationError when a deprecation names an unknown parameter or field.
 */
export function buildDocument(examples: Examples, origin: string, deprecations: readonly Deprecation[] = DEPRECATIONS) {
  const paths: Record<string, Record<string, ReturnType<typeof describeEndpoint>>> = {};
  for (const endpoint of ENDPOINTS) {
    const { path, method, operationId } = endpoint;
    const own = deprecations.filter((each) => each.operationId === operationId);
    paths[path] = { ...paths[path], [method]: describeEndpoint(endpoint, examples[operationId], own) };
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
    components: {
      schemas: markFields(responseSchemas(), deprecations),
      headers: { ...HEADERS, ...(deprecations.length > 0 ? DEPRECATION_HEADERS : {}) },
    },
  };
}

function describeEndpoint(endpoint: Endpoint, example: Example | undefined, deprecations: readonly Deprecation[]) {
  const { operationId, tag, summary, description, query, parameters, body, response, statuses = [200] } = endpoint;
  const { contentType = 'application/json', hasETag = false, hasAge = false } = endpoint;
  const described = [
    ...(parameters === undefined ? [] : toParameters(parameters, 'path', example?.parameters)),
    ...(query === undefined ? [] : toParameters(query, 'query', example?.query)),
    ...(endpoint.headers === undefined ? [] : toParameters(endpoint.headers, 'header')),
  ];
  const deprecated = deprecations.length > 0 ? ([...Object.keys(DEPRECATION_HEADERS), 'Link'] as HeaderName[]) : [];
  const own: HeaderName[] = [...(hasETag ? ['ETag' as const] : []), ...(hasAge ? ['Age' as const] : []), ...deprecated];
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
    ...markDeprecated(deprecations.find(({ field }) => field === undefined)),
    ...(contentType === STREAM ? { 'x-event-names': EVENT_NAMES } : {}),
    ...(described.length === 0
      ? {}
      : {
          parameters: described.map((parameter) => ({
            ...parameter,
            ...markDeprecated(deprecations.find(({ field }) => field === parameter.name)),
          })),
        }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(requestSchema(body), example?.body) } }),
    responses: {
      ...errorResponses(endpoint, ['Link', ...deprecated]),
      ...(hasETag
        ? { 304: { description: 'Not modified since the ETag in If-None-Match.', headers: describeHeaders(304, own) } }
        : {}),
      ...(contentType === STREAM
        ? {
            204: {
              description: 'No event can follow; the client has them all.',
              headers: describeHeaders(204, deprecated),
            },
          }
        : {}),
      ...Object.fromEntries(statuses.map((status) => [status, answer(status)])),
      default: { description: 'Any other failure.', content: jsonContent({ $ref: refTo('Error') }) },
    },
  };
}

/** Returns the marks of a deprecated endpoint, parameter or field. */
function markDeprecated(deprecation: Deprecation | undefined) {
  if (deprecation === undefined) return {};
  return { deprecated: true as const, 'x-sunset': deprecation.sunsetAt.toISOString().slice(0, 10) };
}

/** Marks deprecated response fields. Ignores deprecations of parameters. */
function markFields(
  schemas: ReturnType<typeof responseSchemas>,
  deprecations: readonly Deprecation[],
): ReturnType<typeof responseSchemas> {
  for (const deprecation of deprecations) {
    const { operationId, field } = deprecation;
    const endpoint = ENDPOINTS.find((each) => each.operationId === operationId);
    if (field === undefined || endpoint === undefined) continue;
    const property = findField(schemas[endpoint.response], field.split('.'));
    const parameters = [endpoint.query, endpoint.parameters, endpoint.headers].flatMap((schema) =>
      schema === undefined ? [] : Object.keys(requestSchema(schema)['properties'] ?? {}),
    );
    if (property !== undefined) Object.assign(property, markDeprecated(deprecation));
    else if (!parameters.includes(field))
      throw new DeprecationError(deprecation, 'no parameter or field has this name');
  }
  return schemas;
}

/** Finds the schema of a field through objects and lists that are not shared with other responses. */
function findField(schema: JsonSchema | undefined, [name, ...rest]: readonly string[]): JsonSchema | undefined {
  if (schema === undefined || name === undefined) return schema;
  const { properties, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  if (properties === undefined && items !== undefined) return findField(items, [name, ...rest]);
  return findField(properties?.[name], rest);
}

/** Describes the headers of a response: common ones, those of its status, and its own. */
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

/** Converts a parameter's example to its schema's type, because a query has only strings. */
function asTyped(text: string, { type }: JsonSchema): string | number {
  return type === 'integer' ? Number(text) : text;
}

/** Describes the error codes of an endpoint, one response per status. */
function errorResponses({ errors, body }: Endpoint, own: readonly HeaderName[]) {
  const all = [...COMMON_ERRORS, ...(body === undefined ? [] : BODY_ERRORS), ...errors];
  const byStatus = Map.groupBy(all, (code) => ERROR_CODES[code].httpStatus);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: meanings(codes),
        headers: describeHeaders(status, own),
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
