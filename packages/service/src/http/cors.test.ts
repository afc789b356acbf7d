import { describe, expect, it } from '@jest/globals';
import { Cors } from './cors.js';

describe('Cors', () => {
  it('lets every origin call where * is among the origins', () => {
    const cors = new Cors(['https://a.example', '*']);
    expect(cors.allows('https://b.example')).toBe(true);
    expect(cors.headers('https://b.example')).toMatchObject({ 'access-control-allow-origin': '*' });
  });

  it('lets only the origins of the list call, and callers that are not browsers', () => {
    const cors = new Cors(['https://a.example']);
    expect(['https://a.example', 'https://b.example', 'null', undefined].map((origin) => cors.allows(origin))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(cors.headers('https://a.example')).toMatchObject({
      vary: 'Origin',
      'access-control-allow-origin': 'https://a.example',
    });
    expect(cors.headers('https://b.example')).toEqual({ vary: 'Origin' });
    expect(
      cors.preflightHeaders({ origin: 'https://b.example', 'access-control-request-headers': 'content-type' }),
    ).toEqual({});
  });
});
