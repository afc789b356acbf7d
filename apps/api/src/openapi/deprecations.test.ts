import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { buildDocument } from './document.js';
import { deprecationHeaders, DEPRECATIONS, installDeprecations, type Deprecation } from './deprecations.js';
import { ENDPOINTS } from './endpoints.js';

// The API deprecates nothing, so these entries exist only in this test.

const REFUND: Deprecation = {
  operationId: 'getRefund',
  deprecatedAt: new Date('2027-01-01T00:00:00Z'),
  sunsetAt: new Date('2027-09-01T00:00:00Z'),
  link: 'https://docs.causeway.test/refunds',
};
const FIELD: Deprecation = {
  operationId: 'getRefund',
  field: 'status',
  deprecatedAt: new Date('2027-02-01T00:00:00Z'),
  sunsetAt: new Date('2027-08-01T00:00:00Z'),
  link: 'https://docs.causeway.test/refund-status',
};
const PARAMETER: Deprecation = { ...FIELD, operationId: 'getHistory', field: 'offset' };

/** Starts a server with two endpoints of the API and these deprecations. */
async function startServer(deprecations: readonly Deprecation[]) {
  const server = fastify();
  installDeprecations(server, ENDPOINTS, deprecations);
  server.get('/api/v1/bridge/refunds/:id', async () => ({}));
  server.get('/api/v1/bridge/status', async () => ({}));
  await server.ready();
  return server;
}

describe('deprecated endpoints', () => {
  it('send the headers of RFC 9745 and RFC 8594, unlike other endpoints', async () => {
    const server = await startServer([REFUND]);
    for (const method of ['GET', 'HEAD'] as const) {
      const { headers } = await server.inject({ method, url: '/api/v1/bridge/refunds/0x1' });
      expect(headers).toMatchObject({
        deprecation: '@1798761600',
        sunset: 'Wed, 01 Sep 2027 00:00:00 GMT',
        link: '<https://docs.causeway.test/refunds>; rel="deprecation"; type="text/html"',
      });
    }
    const { headers } = await server.inject({ method: 'GET', url: '/api/v1/bridge/status' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['deprecation']));
    await server.close();
  });

  it('send the first dates and all pages of their parts', () => {
    expect(deprecationHeaders([REFUND, FIELD])).toEqual({
      deprecation: '@1798761600',
      sunset: 'Sun, 01 Aug 2027 00:00:00 GMT',
      link:
        '<https://docs.causeway.test/refunds>; rel="deprecation"; type="text/html", ' +
        '<https://docs.causeway.test/refund-status>; rel="deprecation"; type="text/html"',
    });
    expect(deprecationHeaders([])).toBeNull();
  });

  it('are refused for an unknown endpoint or too short a notice', () => {
    const install = (deprecation: Deprecation) => () => installDeprecations(fastify(), ENDPOINTS, [deprecation]);
    expect(install({ ...REFUND, operationId: 'getMoon' })).toThrow(
      'The deprecation of getMoon: no endpoint has this operationId',
    );
    expect(install({ ...FIELD, sunsetAt: new Date('2027-03-01T00:00:00Z') })).toThrow(
      'The deprecation of getRefund.status: sunsetAt must be at least 180 days after deprecatedAt',
    );
  });

  it('of the API itself are valid', () => {
    expect(() => installDeprecations(fastify(), ENDPOINTS, DEPRECATIONS)).not.toThrow();
  });
});

describe('the OpenAPI document', () => {
  const document = buildDocument({}, 'https://bridge.causeway.test', [REFUND, PARAMETER]);

  it('marks a deprecated endpoint and describes its headers', () => {
    const operation = document.paths['/bridge/refunds/{id}']?.['get'];
    expect(operation).toMatchObject({ deprecated: true, 'x-sunset': '2027-09-01' });
    const names = ['Deprecation', 'Sunset', 'Link'];
    expect(operation?.responses).toMatchObject({
      200: { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) },
    });
    expect(Object.keys(document.components.headers)).toEqual(expect.arrayContaining(names));
    expect(document.paths['/bridge/status']?.['get']).not.toHaveProperty('deprecated');
  });

  it('marks a deprecated parameter only', () => {
    const operation = document.paths['/bridge/history']?.['get'];
    expect(operation).not.toHaveProperty('deprecated');
    const marked = operation?.parameters?.filter((each) => 'deprecated' in each);
    expect(marked).toMatchObject([{ name: 'offset', deprecated: true, 'x-sunset': '2027-08-01' }]);
  });

  it('marks a deprecated field of an answer', () => {
    const { components } = buildDocument({}, 'https://bridge.causeway.test', [FIELD]);
    expect(components.schemas['Refund']).toMatchObject({
      properties: { status: { deprecated: true, 'x-sunset': '2027-08-01' } },
    });
  });

  it('refuses a deprecation of a field that does not exist', () => {
    const build = () => buildDocument({}, 'https://bridge.causeway.test', [{ ...FIELD, field: 'moon' }]);
    expect(build).toThrow('The deprecation of getRefund.moon: no parameter or field has this name');
  });
});
