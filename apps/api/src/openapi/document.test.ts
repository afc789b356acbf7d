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
import { requestSchema, responseSchemas } from './schemas.js';

const document = buildDocument(examples);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');

/** Method and path of every handler of the application, as the document writes them. */
function routes(): string[] {
  const { controllers = [] } = ApiModule.from({ logLevel: 'silent' } as Configuration);
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

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
  });

  it('describes every endpoint of the application, and no other', () => {
    const described = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
    expect(
      routes()
        .filter((route) => !/^get \/(openapi\.json|reference)/.test(route))
        .toSorted(),
    ).toEqual(described.toSorted());
  });

  it('has every error code of the specification', () => {
    const text = JSON.stringify(document.paths);
    for (const code of Object.keys(ERROR_CODES).slice(0, 16)) expect(text).toContain(`${code}: `);
  });

  it('writes numbers of queries as integers with their bounds', () => {
    const parameters = document.paths['/bridge/history']?.['get']?.parameters;
    expect(parameters?.find(({ name }) => name === 'limit')).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Operations of a page; 10 unless given.',
      schema: { type: 'integer', minimum: 1, maximum: 100 },
      example: 5,
    });
  });
});

describe.each(ENDPOINTS.map((endpoint) => [endpoint.operationId, endpoint] as const))('the example of %s', (id, of) => {
  const example = (examples as Readonly<Record<string, Example>>)[id];

  it('is an answer that the schema describes', () => {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${of.response}` });
    expect({ valid: validate(example?.response), errors: validate.errors }).toEqual({ valid: true, errors: null });
  });

  it('is of a request that the API accepts', () => {
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
