import type { AddressBook, ConfigResponse, Side } from '@causeway/protocol';
import type { Address } from 'viem';
import type { Bridge } from '../bridge.js';
import { AnswerError } from '../errors.js';
import { ask, type ReadOptions } from './request.js';
import { address, amount, fields, list, nullable, text, whole } from './shape.js';

const COIN: Address = `0x${'0'.repeat(40)}`;

const tokens = list(
  fields<ConfigResponse[Side]['tokens'][number]>({ token: text, address, decimals: whole, granularity: amount }),
);
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
 * Reads the chains, contracts and assets of the bridge. Where the connection names an environment or an address book,
 * an answer that contradicts it is refused. Assets that the book does not have are left out: no call uses them.
 *
 * @throws AnswerError that names the field; ApiError, UnreachableError
 */
export async function getConfig(bridge: Bridge, options?: ReadOptions): Promise<ConfigResponse> {
  const found = await ask(bridge, 'bridge/config', config, options);
  const { addressBook: book, environment = book?.environment } = bridge;
  if (environment !== undefined) assertSame('environment', environment, found.environment);
  return book === undefined ? found : compareWithBook(book, found);
}

function compareWithBook(book: AddressBook, found: ConfigResponse): ConfigResponse {
  const { ethereum, partner } = found;
  assertSame('ethereum.chainId', book.ethereum.chainId, ethereum.chainId);
  assertSame('ethereum.bridgeLock', book.ethereum.bridgeLock, ethereum.bridgeLock);
  assertSame('partner.chainId', book.partner.chainId, partner.chainId);
  assertSame('partner.bridgeMint', book.partner.bridgeMint, partner.bridgeMint);
  return {
    ...found,
    ethereum: {
      ...ethereum,
      tokens: filterTokens('ethereum', { ETH: COIN, ...book.ethereum.tokens }, ethereum.tokens),
    },
    partner: { ...partner, tokens: filterTokens('partner', { XCN: COIN, ...book.partner.tokens }, partner.tokens) },
  };
}

function filterTokens(
  side: Side,
  known: Readonly<Record<string, Address>>,
  found: ConfigResponse[Side]['tokens'],
): ConfigResponse[Side]['tokens'] {
  return found.filter(({ token, address: contract }) => {
    const expected = Object.hasOwn(known, token) ? known[token] : undefined;
    if (expected !== undefined) assertSame(`${side}.tokens.${token}`, expected, contract);
    return expected !== undefined;
  });
}

function assertSame(field: string, expected: string | number, found: string | number): void {
  if (String(found).toLowerCase() !== String(expected).toLowerCase())
    throw new AnswerError(field, `is ${found}, and this connection is for ${expected}`);
}
