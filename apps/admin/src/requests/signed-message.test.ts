import { describe, expect, it } from '@jest/globals';
import { request } from '../../test/request-fixtures.js';
import { bindingFields, isAsShown, wordsOf } from './signed-message.js';

const shown = request();
const typedData = shown.typedData as { readonly message: Readonly<Record<string, unknown>> };
const withMessage = (change: object) => ({
  ...shown,
  typedData: { ...typedData, message: { ...typedData.message, ...change } },
});

describe('the message of a request', () => {
  it('is the words and what binds them', () => {
    expect({ ...wordsOf(shown), ...bindingFields(shown) }).toEqual(typedData.message);
    expect(Object.keys(bindingFields(shown))).toEqual(['requestId', 'kind', 'terms', 'state', 'validUntil']);
    expect(isAsShown(shown)).toBe(true);
  });

  it.each<readonly [string, Parameters<typeof isAsShown>[0]]>([
    ['another word', withMessage({ amount: '5 XCN' })],
    ['another state', withMessage({ state: shown.id })],
    ['other terms', withMessage({ terms: '{}' })],
    ['a field more', withMessage({ note: 'all is well' })],
    ['another reason', { ...shown, reason: 'another' }],
    ['another type', { ...shown, typedData: { ...typedData, primaryType: 'AdminRequest' } }],
  ])('is not signed with %s', (_, given) => {
    expect(isAsShown(given)).toBe(false);
  });

  it('is none when no signature is needed', () => {
    const unsigned = { ...shown, typedData: null };
    expect(isAsShown(unsigned)).toBe(true);
    expect(bindingFields(unsigned)).toMatchObject({ requestId: shown.id, state: shown.version });
  });
});
