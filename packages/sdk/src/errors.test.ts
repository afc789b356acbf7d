import { describe, expect, it } from '@jest/globals';
import { ApiError, InvalidInputError } from './errors.js';

describe('an error as text', () => {
  it('ends with the link to its page', () => {
    const error = new InvalidInputError('amount', 'must be above 0');
    expect(`${error}`).toBe(
      'InvalidInputError: amount must be above 0\nEnter another amount.\nDocs: docs/errors.md#invalidinputerror',
    );
    expect(error.toString('https://docs.example')).toMatch(
      /\nDocs: https:\/\/docs\.example\/errors\/invalidinputerror\/$/,
    );
  });

  it.each([
    ['PAUSED', 'errors.md#paused'],
    ['not a code', 'errors.md#apierror'],
  ])('of the API with the code %s leads to %s', (code, docsPath) => {
    expect(new ApiError(400, code, 'x', { nextStep: 'y' }).docsPath).toBe(docsPath);
  });
});
