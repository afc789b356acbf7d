import { describe, expect, it } from '@jest/globals';
// A program under pnpm can import only this package.
import * as sdk from './index.js';
import type {
  BridgeOperationResponse,
  CausewayError,
  CausewayErrorType,
  ConfigResponse,
  DelayReason,
  Direction,
  ExplainResponse,
  FailureReason,
  FeeQuoteResponse,
  HealthResponse,
  HistoryResponse,
  LimitsResponse,
  OperationStatus,
  RefundResponse,
} from './index.js';

describe('an error as text', () => {
  it('ends with the link to its page', () => {
    const error = new sdk.InvalidInputError('amount', 'must be above 0');
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
    expect(new sdk.ApiError(400, code, 'x', { nextStep: 'y' }).docsPath).toBe(docsPath);
  });
});

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type Answer<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>;
/** The classes of errors that this package exports. */
type Classes = {
  [Name in keyof typeof sdk]: (typeof sdk)[Name] extends abstract new (...args: never[]) => CausewayError
    ? Name
    : never;
}[keyof typeof sdk];

it('each answer, status and direction has a type', () => {
  // Different types do not compile.
  const checked: [
    Same<Answer<typeof sdk.getConfig>, ConfigResponse>,
    Same<Answer<typeof sdk.getQuote>, FeeQuoteResponse>,
    Same<Answer<typeof sdk.getLimits>, LimitsResponse>,
    Same<Answer<typeof sdk.getStatus>, BridgeOperationResponse>,
    Same<Answer<typeof sdk.getHistory>, HistoryResponse>,
    Same<Answer<typeof sdk.explainHash>, ExplainResponse>,
    Same<Answer<typeof sdk.getRefund>, RefundResponse>,
    Same<Answer<typeof sdk.getHealth>, HealthResponse>,
    Same<BridgeOperationResponse['status'], OperationStatus>,
    Same<BridgeOperationResponse['direction'], Direction>,
    Same<BridgeOperationResponse['delayedReason'], DelayReason | null>,
    Same<BridgeOperationResponse['failureReason'], FailureReason | null>,
    Same<CausewayErrorType['name'], Exclude<Classes, 'CausewayError'>>,
  ] = [true, true, true, true, true, true, true, true, true, true, true, true, true];
  expect(checked).not.toContain(false);
  expect(sdk.DIRECTIONS).toHaveLength(2);
});

it.each<[unknown, string]>([
  [new sdk.WrongNetworkError(1, 8_901), 'switch to 1'],
  [new sdk.TransactionFailedError('REVERTED', '0x12', 'It failed'), 'REVERTED 0x12'],
  [new sdk.RecordError('id', 'is in use'), 'id'],
  [new TypeError('other'), 'unknown'],
  [null, 'unknown'],
])('the name of an error narrows it: %s', (thrown, expected) => {
  const summarize = (error: unknown): string => {
    if (!sdk.isCausewayError(error)) return 'unknown';
    switch (error.name) {
      case 'WrongNetworkError':
        return `switch to ${error.expectedChainId}`;
      case 'TransactionFailedError':
        return `${error.reason} ${error.transactionHash}`;
      case 'CheckError':
        return error.findings.map(({ code }) => code).join();
      default:
        return error.field ?? error.nextStep;
    }
  };
  expect(summarize(thrown)).toBe(expected);
});
