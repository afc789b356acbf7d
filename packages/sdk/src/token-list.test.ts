import { expect, it } from '@jest/globals';
import schema from '@uniswap/token-lists/src/tokenlist.schema.json' with { type: 'json' };
import { Ajv } from 'ajv';
import { getAddress } from 'viem';
import type { ConfigResponse } from '@causeway/protocol';
import { makeAnswer } from '../test/api-server.js';
import { makeTokenList } from './token-list.js';

const isTokenList = new Ajv({ strict: false, validateFormats: false }).compile(schema);
const config = makeAnswer<ConfigResponse>('getConfig');

it('a token list has the ERC-20 tokens of both chains, in the form of the standard', () => {
  const terms = { name: 'My wallet', version: { major: 2, minor: 0, patch: 1 }, timestamp: new Date(0) };
  const list = makeTokenList(config, terms);
  expect(isTokenList(list)).toBe(true);
  expect(list).toMatchObject({ ...terms, timestamp: '1970-01-01T00:00:00.000Z' });
  const { ethereum, partner } = config;
  expect(list.tokens.map(({ chainId, symbol, decimals }) => [chainId, symbol, decimals])).toEqual([
    [ethereum.chainId, 'USDC', 6],
    [ethereum.chainId, 'XCN', 18],
    [partner.chainId, 'ETH', 18],
    [partner.chainId, 'USDC', 6],
  ]);
  const usdc = ethereum.tokens.find(({ token }) => token === 'USDC');
  expect(list.tokens[0]?.address).toBe(getAddress(usdc?.address ?? '0x'));
});

it('a token list without terms is valid, too', () => {
  expect(isTokenList(makeTokenList(config))).toBe(true);
  expect(isTokenList({ ...makeTokenList(config), tokens: [{}] })).toBe(false);
});
