import * as sdk from '@causeway/sdk';
import { describe, expect, it } from '@jest/globals';
import { HttpRequestError } from 'viem';
import { InterruptedError, KeyError, NotConfirmedError, UsageError } from '../errors.js';
import { EXIT_CODES } from './exit-codes.js';
import { describeFailure } from './failure.js';

const FINDING = {
  code: 'PAUSED',
  field: 'direction',
  severity: 'blocking',
  passes: true,
  until: null,
  message: 'Paused.',
  nextStep: 'Wait.',
} as const;

/** One error of each class, and its exit code. */
const ERRORS: readonly (readonly [Error, number, string | null])[] = [
  [new sdk.InvalidInputError('amount', 'is wrong'), 2, null],
  [new UsageError('api', 'is missing'), 2, null],
  [new sdk.CheckError([FINDING]), 3, 'PAUSED'],
  [new sdk.ContractError('BelowMinimum', 'refused', { nextStep: 'More.' }), 3, 'BelowMinimum'],
  [new sdk.IntentUnpayableError('EXPIRED', 'over'), 3, 'EXPIRED'],
  [new sdk.ApiError(400, 'BELOW_MINIMUM', 'too low', { nextStep: 'More.' }), 4, 'BELOW_MINIMUM'],
  [new sdk.AnswerError('id', 'is wrong'), 4, null],
  [new sdk.UnreachableError('http://api', null), 5, null],
  [new sdk.WrongNetworkError(1, 2), 5, null],
  [new sdk.WrongAccountError('a', 'b'), 5, null],
  [new sdk.WalletRefusedError('Sign', null), 5, null],
  [new sdk.WalletFailedError('Sign', null), 5, null],
  [new KeyError('keystore', 'is damaged', 'Mend it.'), 5, null],
  [new sdk.UndecidedError('Deposit', [{ at: 'chain', showed: 'nothing' }]), 6, null],
  [new NotConfirmedError('no', 'Say yes.'), 7, null],
  [new sdk.TransactionFailedError('REVERTED', '0x', 'failed'), 8, 'REVERTED'],
  [new sdk.RecordError('id', 'is in use'), 9, null],
  [new InterruptedError(), 130, null],
  [new TypeError('a bug of this program'), 1, null],
];

describe('a failure', () => {
  it.each(ERRORS.map(([error, ...rest]) => [error.name, error, ...rest] as const))(
    '%s has its exit code',
    (_, error, exitCode, code) => {
      const { exit, failure } = describeFailure(error, 'https://docs.example');
      expect(EXIT_CODES[exit].code).toBe(exitCode);
      expect(failure).toMatchObject({ code, message: error.message });
      const docs = error instanceof sdk.ApiError ? 'below_minimum' : error.name.toLowerCase();
      expect(failure.docs).toBe(error instanceof sdk.CausewayError ? `https://docs.example/errors/${docs}/` : null);
      // Words for the users of a page are translated.
      expect(failure.nextStep ?? '').not.toMatch(/this app|then continue|send again/);
    },
  );

  it('has an exit code for every error class of the SDK', () => {
    const known = new Set(ERRORS.map(([{ name }]) => name));
    const classes = Object.keys(sdk).filter((name) => /^(?!Causeway)[A-Z]\w*Error$/.test(name));
    expect(classes.filter((name) => !known.has(name))).toEqual([]);
  });

  it('lists the findings and the checks made', () => {
    expect(describeFailure(new sdk.CheckError([FINDING])).failure.findings).toEqual([FINDING]);
    expect(describeFailure(new sdk.UndecidedError('x', [])).failure.looks).toEqual([]);
  });

  it('names the option that accepts a finding', () => {
    const short = { ...FINDING, code: 'FUNDS_SHORT', severity: 'acceptable' } as const;
    const nextStep = 'Wait, and try again later. You can also begin anyway.';
    expect(describeFailure(new sdk.CheckError([{ ...short, nextStep }])).failure.nextStep).toBe(
      'Wait, and try again later. To begin anyway, give --accept FUNDS_SHORT.',
    );
  });

  it("hides a node's URL, which can contain a key", () => {
    const error = new HttpRequestError({ url: 'https://node.example/secret', body: { a: 1 }, details: 'gone' });
    const { exit, failure } = describeFailure(error);
    expect(EXIT_CODES[exit].code).toBe(5);
    expect(failure).toMatchObject({ error: 'NodeError', retry: { helps: false }, docs: 'docs/errors.md#nodeerror' });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });
});
