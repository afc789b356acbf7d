import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { chainProfile, ENVIRONMENTS, ERROR_CODES, type ErrorCode } from '@causeway/protocol';
import { bridgeErrorsAbi } from '@causeway/protocol/abi';
import { concat, toFunctionSelector } from 'viem';
import * as sdk from './index.js';
import { toContractError } from './steps/contract-error.js';
import { refuse, startApi } from '../test/api-server.js';
import { expectForUser } from '../test/checked-transfer.js';
import { describeChain } from './chain-name.js';

// The next step of a finding is tested with the findings.

const FIELDS = ['amount', 'recipient', 'asset', 'sender', 'kind', 'maxFeeShareBps', 'apiUrl', 'storage', 'hash', 'id'];
const CAUSE = new Error('internal');

/** Errors of each class. */
const ERRORS: readonly sdk.CausewayErrorType[] = [
  ...FIELDS.map((field) => new sdk.InvalidInputError(field, 'is wrong')),
  new sdk.UnreachableError('http://api', CAUSE),
  new sdk.AnswerError('id', 'is wrong'),
  new sdk.CheckError([
    {
      code: 'PAUSED',
      field: 'direction',
      severity: 'blocking',
      passes: true,
      until: null,
      message: 'Paused.',
      nextStep: 'Try again later.',
    },
  ]),
  new sdk.WrongNetworkError(8_901, 1),
  new sdk.WrongAccountError('0x1', '0x2'),
  new sdk.WalletRefusedError('Sign', CAUSE),
  new sdk.WalletFailedError('Sign', CAUSE),
  ...(['REVERTED', 'REPLACED'] as const).map((reason) => new sdk.TransactionFailedError(reason, '0x12', 'It failed')),
  ...(['EXPIRED', 'WALLET_REPLACED', 'FEE_TOO_HIGH', 'NOT_CONFIRMED'] as const).map(
    (reason) => new sdk.IntentUnpayableError(reason, 'It must not be paid'),
  ),
  new sdk.RecordError('checksum', 'is wrong'),
  new sdk.UndecidedError('Deposit', []),
];

/** Each contract error with zeros as arguments. */
const OF_CONTRACTS = bridgeErrorsAbi
  .filter(({ name }) => name !== 'StringTooLong')
  .map((error) => {
    const selector = toFunctionSelector({ ...error, type: 'function', outputs: [], stateMutability: 'view' });
    return [error.name, concat([selector, `0x${'0'.repeat(64 * error.inputs.length)}`])] as const;
  });

describe('the next step', () => {
  it.each(ERRORS.map((error) => [error.name, error] as const))('of %s is for a user', (_, { nextStep, retry }) => {
    expectForUser(nextStep);
    // No class alone knows when a retry helps.
    expect(retry).toEqual({ helps: false });
  });

  it.each(OF_CONTRACTS)('of %s of a contract is for a user', (errorName, data) => {
    const error = toContractError({ data }, 'Deposit');
    expect(error).toMatchObject({ name: 'ContractError', errorName, retry: { helps: false } });
    expectForUser(error.nextStep);
  });

  it('of each refusal of the API is for a user, and one helps only after a time that the API names', async () => {
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      const { httpStatus } = ERROR_CODES[code];
      const message = 'amount is wrong';
      // A wait of more than a minute is left to the caller.
      const api = await startApi({
        'bridge/limits': refuse(httpStatus, { error: code, message }, { 'retry-after': '61' }),
      });
      const error: unknown = await sdk.getLimits(api.bridge).catch((thrown: unknown) => thrown);
      await api.close();
      if (!sdk.isCausewayError(error)) throw error;
      expectForUser(error.nextStep);
      const isTransient = [408, 429, 500, 503].includes(httpStatus) && code !== 'SERVICE_PAUSED';
      expect([code, error.retry]).toEqual([code, isTransient ? { helps: true, afterSeconds: 61 } : { helps: false }]);
    }
  });

  it('of each place that throws is for a user', () => {
    const folder = import.meta.dirname;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!test)\.ts$/.test(file),
    );
    const sentences = files.flatMap((file) =>
      [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/(?:nextStep\b[^'`;{}]*|Error\([^;]*, )'([A-Z][^']*\.)'/g),
      ].map(([, sentence = '']) => sentence),
    );
    expect(sentences.length).toBeGreaterThan(20);
    for (const sentence of sentences) expectForUser(sentence);
  });

  it('is tested for each class', () => {
    const classes = Object.keys(sdk).filter((name) => name.endsWith('Error') && !/^(is|Causeway)/.test(name));
    const tested = new Set([...ERRORS.map(({ name }) => name), 'ApiError', 'ContractError']);
    expect(new Set(classes)).toEqual(tested);
  });
});

it('each chain of the bridge has a name', () => {
  for (const environment of ENVIRONMENTS) {
    const { ethereumChainId, partnerChainId } = chainProfile(environment);
    expect(describeChain(ethereumChainId)).toMatch(/^(Ethereum|Sepolia|the local Ethereum) \(chain \d+\)$/);
    expect(describeChain(partnerChainId)).toBe(`the partner chain (chain ${partnerChainId})`);
  }
  expect(describeChain(10)).toBe('chain 10');
});
