import { expect, it } from '@jest/globals';
import { ContractFunctionZeroDataError, domainSeparator, type PublicClient } from 'viem';
import { readTokenSignatures } from './token-signatures.js';

const token = { address: '0x00000000000000000000000000000000000000c1', chainId: 1 } as const;
const account = '0x00000000000000000000000000000000000000a1';
const makeDomain = (version: string) => ({ name: 'Coin', version, chainId: 1, verifyingContract: token.address });

/** A token with these functions. */
const withFunctions = (functions: Readonly<Record<string, unknown>>) =>
  ({
    getCode: async () => undefined,
    readContract: async ({ functionName }: { functionName: string }) => {
      if (functionName in functions) return functions[functionName];
      throw new ContractFunctionZeroDataError({ functionName });
    },
  }) as unknown as PublicClient;

it.each([
  ['without the function version is of version 1', {}, '1', '1'],
  ['names its version', { version: '2' }, '2', '2'],
  ['whose separator is of another version takes none', {}, '2', null],
])('a token %s', async (_, functions, separatorVersion, version) => {
  const separator = domainSeparator({ domain: makeDomain(separatorVersion) });
  const client = withFunctions({ name: 'Coin', DOMAIN_SEPARATOR: separator, nonces: 3n, ...functions });
  expect(await readTokenSignatures(client, token, account, 9n)).toEqual(
    version === null ? null : { domain: makeDomain(version), permitNonce: 3n, hasAuthorization: false },
  );
});
