import { describe, expect, it } from '@jest/globals';
import { request } from '../../test/request-fixtures.js';
import { bindingFacts, isAsShown, wordFacts } from './signed-message.js';

const shown = request();
const typedData = shown.typedData as { readonly message: Readonly<Record<string, unknown>> };
const withMessage = (change: object) => ({
  ...shown,
  typedData: { ...typedData, message: { ...typedData.message, ...change } },
});

describe('the message of a request', () => {
  it('contains the words and the fields that bind them', () => {
    const texts = [...wordFacts(shown), ...bindingFacts(shown)].map(({ text }) => text);
    expect(texts).toEqual(Object.values(typedData.message).map(String));
    expect(bindingFacts(shown).map(({ label }) => label)).toEqual([
      'Request id',
      'Kind',
      'Terms',
      'State',
      'Valid until',
    ]);
    expect(isAsShown(shown)).toBe(true);
  });

  it.each<readonly [string, Parameters<typeof isAsShown>[0]]>([
    ['another word', withMessage({ amount: '5 XCN' })],
    ['another state', withMessage({ state: shown.id })],
    ['other terms', withMessage({ terms: '{}' })],
    ['an extra field', withMessage({ note: 'all is well' })],
    ['another reason', { ...shown, reason: 'another' }],
    ['another type', { ...shown, typedData: { ...typedData, primaryType: 'OtherRequest' } }],
  ])('is not signed with %s', (_, given) => {
    expect(isAsShown(given)).toBe(false);
  });

  it('is null if no signature is needed', () => {
    const unsigned = { ...shown, typedData: null };
    expect(isAsShown(unsigned)).toBe(true);
    expect(bindingFacts(unsigned).map(({ text }) => text)).toEqual(
      expect.arrayContaining([shown.id, shown.version, JSON.stringify(shown.terms)]),
    );
  });
});
