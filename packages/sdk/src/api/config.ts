import { assetInfo, listAssets, type AddressBook, type ConfigResponse, type Side } from '@causeway/protocol';
import type { Address } from 'viem';
import type { Token } from '../amount.js';
import type { Bridge } from '../bridge.js';
import { AnswerError } from '../errors.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { address, amount, fields, list, nullable, text, whole } from './shape.js';

const COIN: Address = `0x${'0'.repeat(40)}`;

const tokens = list(fields<Token>({ token: text, address, decimals: whole, granularity: amount }));
const chain = { chainId: whole, requiredConfirmations: whole, tokens };

const config = fields<ConfigResponse>({
  environment: text,
  ethereum: fields<ConfigResponse['ethereum']>({ ...chain, bridgeLock: address }),
  partner: fields<ConfigResponse['partner']>({ ...chain, bridgeMint: address }),
  relayerWalletAddress: nullable(address),
  holdSeconds: whole,
  withdrawals: list(
    fields<ConfigResponse['withdrawals'][number]>({
      token: text,
      feeBps: whole,
      minimumFee: amount,
      minimumAmount: amount,
    }),
  ),
  intent: fields<ConfigResponse['intent']>({
    windowSeconds: whole,
    domain: fields<ConfigResponse['intent']['domain']>({ name: text, version: text }),
  }),
});

/**
 * Reads the chains, contracts and assets of the bridge. It refuses an answer that contradicts the asset table, the
 * environment or the address book of the connection, and omits assets that the book lacks.
 *
 * @throws AnswerError that names the field; ApiError, UnreachableError
 */
export async function getConfig(bridge: Bridge, options?: ReadOptions): Promise<ConfigResponse> {
  const found = await ask(bridge, 'bridge/config', config, options);
  const { addressBook: book, environment = book?.environment } = bridge;
  if (environment !== undefined) assertSame('environment', environment, found.environment);
  const compared = book === undefined ? found : compareWithBook(book, found);
  for (const side of ['ethereum', 'partner'] as const)
    for (const token of compared[side].tokens) assertUnits(side, token, findUnits(token.token, book));
  return compared;
}

/** Returns decimals and granularity of an asset. The API is not trusted: a wrong exponent would sign a wrong amount. */
function findUnits(asset: string, { assets = {} }: Partial<AddressBook> = {}) {
  if (listAssets().includes(asset)) return assetInfo(asset);
  const further = Object.hasOwn(assets, asset) ? assets[asset] : undefined;
  return further === undefined ? undefined : { decimals: further.decimals, granularity: 1n };
}

/** Verifies the units. Without a book, only the API knows those of an additional asset. */
function assertUnits(side: Side, { token, decimals, granularity }: Token, units: ReturnType<typeof findUnits>): void {
  if (units === undefined) return;
  assertSame(`${side}.tokens.${token}.decimals`, units.decimals, decimals);
  assertSame(`${side}.tokens.${token}.granularity`, `${units.granularity}`, granularity);
}

function compareWithBook(book: AddressBook, found: ConfigResponse): ConfigResponse {
  const { ethereum, partner } = found;
  assertSame('ethereum.chainId', book.ethereum.chainId, ethereum.chainId);
  assertSame('ethereum.bridgeLock', book.ethereum.bridgeLock, ethereum.bridgeLock);
  assertSame('partner.chainId', book.partner.chainId, partner.chainId);
  assertSame('partner.bridgeMint', book.partner.bridgeMint, partner.bridgeMint);
  return {
    ...found,
    ethereum: { ...ethereum, tokens: filterTokens('ethereum', book, { ETH: COIN }, ethereum.tokens) },
    partner: { ...partner, tokens: filterTokens('partner', book, { XCN: COIN }, partner.tokens) },
  };
}

function filterTokens(
  side: Side,
  book: AddressBook,
  coin: Readonly<Record<string, Address>>,
  found: readonly Token[],
): readonly Token[] {
  const known: Readonly<Record<string, Address>> = { ...book[side].tokens, ...coin };
  return found.filter(({ token, address: contract }) => {
    const expected = Object.hasOwn(known, token) ? known[token] : undefined;
    if (expected !== undefined) assertSame(`${side}.tokens.${token}`, expected, contract);
    return expected !== undefined && findUnits(token, book) !== undefined;
  });
}

function assertSame(field: string, expected: string | number, found: string | number): void {
  if (String(found).toLowerCase() !== String(expected).toLowerCase())
    throw new AnswerError(field, `is ${found}, and this connection is for ${expected}`);
}
