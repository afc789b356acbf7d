import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '@causeway/protocol';
import { ApiModule } from '../api.module.js';
import type { Configuration } from '../configuration.js';
import { buildDocument, type Example } from './document.js';
import { ENDPOINTS } from './endpoints.js';
import examples from './examples.json' with { type: 'json' };
import { requestSchema, responseSchemas, type JsonSchema } from './schemas.js';

const document = buildDocument(examples, 'https://bridge.causeway.test');
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');

/** Endpoints with a recorded example: not the document itself, and not the page, which is not JSON. */
const EXEMPLARY = ENDPOINTS.filter(({ operationId }) => operationId in examples);

/** Method and path of every handler, in the document's notation. */
function routes(): string[] {
  const { controllers = [] } = ApiModule.from({
    logLevel: 'silent',
    docsFolder: null,
    webFolder: null,
  } as Configuration);
  return controllers.flatMap((controller) => {
    const prefixes = [Reflect.getMetadata('path', controller) as string | string[]].flat();
    const prototype = controller.prototype as Record<string, object>;
    return Object.getOwnPropertyNames(prototype).flatMap((name) => {
      const method = Reflect.getMetadata('method', prototype[name] ?? {}) as number | undefined;
      if (method === undefined) return [];
      const own = (Reflect.getMetadata('path', prototype[name] ?? {}) as string).replace(/^\/$/, '');
      return prefixes
        .map((prefix) => `/${prefix}${own === '' ? '' : `/${own}`}`.replace(/:(\w+)/, '{$1}'))
        .filter((path) => path.startsWith('/api/v1'))
        .map((path) => `${method === 0 ? 'get' : 'post'} ${path.replace('/api/v1', '')}`);
    });
  });
}

/** Yields the fields of a schema, at any depth, without a description. */
function* wordlessFields(schema: unknown, path: string): Generator<string> {
  if (schema === null || typeof schema !== 'object') return;
  for (const [name, inner] of Object.entries(schema)) {
    if (name === 'example') continue;
    yield* wordlessFields(inner, `${path}.${name}`);
    if (name !== 'properties') continue;
    for (const [field, of] of Object.entries(inner as Record<string, JsonSchema>)) {
      const alternatives = [of, ...((of['anyOf'] ?? []) as JsonSchema[])];
      if (!alternatives.some((each) => 'description' in each || '$ref' in each)) yield `${path}.${field}`;
    }
  }
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
  });

  it('describes every field, parameter and endpoint', () => {
    const { components, paths } = document;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const wordless = [
      ...operations.filter(({ description }) => description === '').map(({ operationId }) => operationId),
      ...operations.flatMap(({ operationId, parameters = [] }) =>
        parameters.filter((each) => each.description === undefined).map(({ name }) => `${operationId}.${name}`),
      ),
      ...Object.entries(components.schemas).flatMap(([name, schema]) => [...wordlessFields(schema, name)]),
      ...operations.flatMap(({ operationId, requestBody }) => [...wordlessFields(requestBody, operationId)]),
    ];
    expect(wordless).toEqual([]);
    expect(JSON.stringify(paths['/bridge/xcn-withdraw-intent'])).toContain('limited by the body size of 65,536 bytes');
  });

  it('names the API URL and needs no credentials', () => {
    expect(document).toMatchObject({
      servers: [{ url: 'https://bridge.causeway.test/api/v1' }],
      security: [],
      info: { license: { identifier: 'MIT' } },
    });
    // The reference page warns about any dialect but the default.
    expect(document).not.toHaveProperty('jsonSchemaDialect');
  });

  it('has rate limit headers on every response, and Retry-After where the request can be repeated', () => {
    const { paths } = document;
    for (const { operationId, responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
      for (const [status, { headers = {} }] of Object.entries(responses as Record<string, { headers?: object }>)) {
        if (status === 'default') continue;
        const names = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'];
        if (['429', '503'].includes(status)) names.push('Retry-After');
        expect([operationId, status, Object.keys(headers)]).toEqual([
          operationId,
          status,
          expect.arrayContaining(names),
        ]);
      }
  });

  it('has both messages of an event stream', () => {
    expect(document.components.schemas['StreamMessage']).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/BridgeOperation' }, { $ref: '#/components/schemas/Resync' }],
    });
  });

  it('offers the cursor of a history before the offset', () => {
    const names = document.paths['/bridge/history']?.['get']?.parameters?.map(({ name }) => name);
    expect(names?.filter((name) => ['cursor', 'offset'].includes(name))).toEqual(['cursor', 'offset']);
  });

  it('describes exactly the endpoints of the application', () => {
    const described = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
    expect(
      routes()
        .filter((route) => route !== 'get /reference/{file}')
        .toSorted(),
    ).toEqual(described.toSorted());
  });

  it('has every error code of the specification', () => {
    const text = JSON.stringify(document.paths);
    for (const code of Object.keys(ERROR_CODES).slice(0, 16)) expect(text).toContain(`${code}: `);
  });

  it('describes query numbers as bounded integers', () => {
    const parameters = document.paths['/bridge/history']?.['get']?.parameters;
    expect(parameters?.find(({ name }) => name === 'limit')).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Operations per page. Default: 10.',
      schema: { type: 'integer', minimum: 1, maximum: 100 },
      example: 5,
    });
  });
});

describe.each(EXEMPLARY.map((endpoint) => [endpoint.operationId, endpoint] as const))('the example of %s', (id, of) => {
  const example = (examples as Readonly<Record<string, Example>>)[id];

  it('has a response that matches the schema', () => {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${of.response}` });
    expect({ valid: validate(example?.response), errors: validate.errors }).toEqual({ valid: true, errors: null });
  });

  it('has a request that the API accepts', () => {
    for (const [schema, value] of [
      [of.query, example?.query],
      [of.parameters, example?.parameters],
      [of.body, example?.body],
    ] as const) {
      if (schema === undefined) continue;
      expect(schema.safeParse(value)).toMatchObject({ success: true });
      expect(requestSchema(schema)).toMatchObject({ type: 'object' });
    }
  });
});

describe('a schema inside another', () => {
  it('is a reference', () => {
    expect(responseSchemas()['History']).toMatchObject({
      properties: { operations: { items: { $ref: '#/components/schemas/BridgeOperation' } } },
    });
  });
});
