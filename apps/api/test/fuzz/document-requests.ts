import fc from 'fast-check';
import type { Example, Examples } from '../../src/openapi/document.js';
import type { JsonSchema } from '../../src/openapi/schemas.js';

// Draws requests from the OpenAPI document: valid, nearly valid and malformed ones.

/** Bytes to send on one connection, and the HTTP requests they contain. */
export interface DrawnRequest {
  readonly bytes: Buffer;
  readonly requests: readonly { readonly method: string; readonly url: string }[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
}

/** The parts of a document that describe requests. */
type RequestDocument = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Values that the API can find: by field name, or whole queries and bodies by operationId. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

const HASH = fc.stringMatching(/^0x[0-9a-f]{64}$/);

const hostileText = fc.oneof(
  fc.constantFrom('', ' ', '\0', '\u202e', '\ud800', '\r\nX-Injected: 1', '%', '%zz', '%00', '../..', '__proto__'),
  fc.constantFrom('null', 'NaN', '-0', '1e999', '0x', '0X', `0x${'f'.repeat(65)}`, '9'.repeat(400), '１２', '1_000'),
  fc.constantFrom("' OR 1=1 --", '${jndi:ldap://x}', '<script>', 'x'.repeat(3_000), '한'.repeat(500), '\u{1F511}'),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const hostileValue = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], { a: 1 }, ['0x']),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A value of a schema, as JSON. */
function valueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { type, enum: words, pattern, minimum = 0, maximum = 2 ** 40 } = schema;
  if (Array.isArray(words)) return fc.constantFrom<unknown>(...(words as unknown[]));
  if (type === 'integer') return fc.integer({ min: Number(minimum), max: Number(maximum) });
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'grapheme', maxLength: 40 });
}

/** A part of a request, mostly right and sometimes wrong. */
const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: wrong });

/** Fields of a body or a query by their schemas, some missing, wrong or unknown. */
function drawFields(
  schemas: Readonly<Record<string, JsonSchema>>,
  wholes: readonly unknown[],
  known: KnownValues,
): fc.Arbitrary<Record<string, unknown>> {
  const asInTheWhole = Symbol();
  const drawn = Object.entries(schemas).map(([name, schema]) =>
    fc
      .oneof(
        { weight: 40, arbitrary: fc.constant(asInTheWhole) },
        { weight: 5, arbitrary: fc.constantFrom<unknown>(undefined, ...(known[name] ?? [])) },
        { weight: 2, arbitrary: valueOf(schema) },
        { weight: 2, arbitrary: hostileValue },
      )
      .map((value) => [name, value] as const),
  );
  const unknown = mostly(
    fc.constant<[string, unknown][]>([]),
    fc.array(fc.tuple(hostileText, hostileValue), { maxLength: 2 }),
  );
  return fc.tuple(fc.constantFrom(...wholes), fc.tuple(...drawn), unknown).map(([whole, fields, more]) => {
    const changed = fields.filter(([, value]) => value !== asInTheWhole);
    const all = { ...(whole as object), ...Object.fromEntries([...changed, ...more]) };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  });
}

const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const asQueryValue = (value: unknown) => encodeURIComponent(asText(value).toWellFormed());

/** A query of fields, some repeated, in other notations, or not UTF-8. */
const drawQuery = (fields: fc.Arbitrary<Record<string, unknown>>) =>
  fc
    .tuple(
      fields,
      mostly(
        fc.constant(''),
        fc.constantFrom('repeat', '&&=', '&a[b]=1', '&%ff=%fe', '&constructor=1', '&__proto__=1'),
      ),
    )
    .map(([values, oddity]) => {
      const pairs = Object.entries(values).map(([name, value]) => `${asQueryValue(name)}=${asQueryValue(value)}`);
      return `${pairs.join('&')}${oddity === 'repeat' ? `&${pairs.join('&')}` : oddity}`;
    });

/** The bytes of a body, sometimes not quite JSON. */
const drawBody = (fields: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Buffer> => {
  const json = fields.map((body) => JSON.stringify(body));
  const broken = fc.tuple(json, fc.nat(), fc.uint8Array({ maxLength: 8 })).map(([text, at, bytes]) => {
    const cut = at % (text.length + 1);
    return Buffer.concat([Buffer.from(text.slice(0, cut)), bytes, Buffer.from(text.slice(cut))]);
  });
  const odd = fc.constantFrom(
    '',
    'null',
    '[]',
    '"a"',
    '1e999',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '\ufeff{}',
    '['.repeat(30_000),
    `{"a":"${'x'.repeat(70_000)}"}`,
    '{"nonce":"\\ud800"}',
    '{"a":1,"a":2}',
    '{,}',
  );
  return fc.oneof(
    { weight: 12, arbitrary: json.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: odd.map((text) => Buffer.from(text)) },
  );
};

/** The path of an endpoint in any form that clients can write. */
const drawPath = (path: string, { parameters }: Example, known: KnownValues): fc.Arbitrary<string> => {
  const ids = fc.oneof(
    fc.constantFrom<unknown>(...(known['id'] ?? []), ...Object.values(parameters ?? {})),
    HASH,
    hostileText,
  );
  const filled = path.includes('{') ? ids.map((id) => path.replace(/\{\w+\}/, asQueryValue(id))) : fc.constant(path);
  const odd = fc.constantFrom<(right: string) => string>(
    (right: string) => `${right}/`,
    (right: string) => right.replace('/', '//'),
    (right: string) => right.toUpperCase(),

    (right: string) => `${right}/../config`,
    (right: string) => `${right}%00`,
    (right: string) => `${right};a=1`,
    (right) => right.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    (right) => `${right}/${'a'.repeat(9_000)}`,
  );
  return mostly(
    filled,
    fc.tuple(filled, odd).map(([right, change]) => change(right)),
  );
};

const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'TRACE', 'QUERY'];

const extraHeaders = fc.array(
  fc.constantFrom(
    'If-None-Match: *',
    'If-None-Match: "x", W/"y"',
    'Origin: https://app.example',
    'Origin: null',
    'Cookie: a=b',
    'Accept: text/html;q=0',
    'Accept-Encoding: gzip, br',
    'Authorization: Bearer x',
    'X-Forwarded-For: ::1, x',
    'Access-Control-Request-Method: POST',
    'Expect: 100-continue',
    'Expect: coffee',
    'Range: bytes=0-1',
    'Traceparent: 00-x',
    'X-Request-Id: mine',
    'Last-Event-ID: \u00ff',
    'X-Http-Method-Override: DELETE',
    'Content-Encoding: gzip',
    'Upgrade: websocket',
    `X-Long: ${'a'.repeat(2_000)}`,
  ),
  { maxLength: 2 },
);

const contentType = mostly(
  fc.constant('application/json'),
  fc.constantFrom(
    'application/json; charset=utf-16',
    'application/json;',
    'text/plain',
    'multipart/form-data; boundary=a',
    ';',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'application/json, text/plain',
    '',
  ),
);

/** Requests for all endpoints of a document. */
export function documentRequest(
  paths: RequestDocument,
  examples: Examples,
  known: KnownValues,
): fc.Arbitrary<DrawnRequest> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const example = examples[operation.operationId] ?? { response: null };
      const inQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      const query = drawFields(
        Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
        known[operation.operationId] ?? [example.query ?? {}],
        known,
      );
      const bodySchema = operation.requestBody?.content['application/json'].schema as
        { properties?: Record<string, JsonSchema> } | undefined;
      const body = drawFields(
        bodySchema?.properties ?? {},
        known[operation.operationId] ?? [example.body ?? {}],
        known,
      );
      return fc.record({
        method: mostly(fc.constant(method.toUpperCase()), fc.constantFrom(...METHODS)),
        path: drawPath(path, example, known).map((each) => (each.startsWith('/health') ? each : `/api/v1${each}`)),
        query: drawQuery(query),
        hasQuery:
          bodySchema === undefined
            ? mostly(fc.constant(inQuery.length > 0), fc.boolean())
            : mostly(fc.constant(false), fc.boolean()),
        body: bodySchema === undefined ? mostly(fc.constant(Buffer.alloc(0)), drawBody(body)) : drawBody(body),
        headers: extraHeaders,
        contentType,
        isChunked: mostly(fc.constant(false), fc.boolean()),
      });
    }),
  );
  return fc
    .oneof(...operations)
    .map(({ method, path, query, hasQuery, body, headers, contentType: type, isChunked }) => {
      const url = hasQuery ? `${path}?${query}` : path;
      const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
      const framing = body.length > 0 || method === 'POST' ? [length, `Content-Type: ${type}`] : [];
      const head = [`${method} ${url} HTTP/1.1`, 'Host: x', 'Connection: close', ...framing, ...headers, '', ''];
      const chunk = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')];
      const content =
        isChunked && framing.length > 0 ? (body.length === 0 ? [Buffer.from('0\r\n\r\n')] : chunk) : [body];
      return {
        bytes: Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), ...content]),
        requests: [{ method, url }],
      };
    });
}
