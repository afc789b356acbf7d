import type { Address } from 'viem';
import { BadAnswerError, readBytes, readObject, type JsonObject } from './blocks/json.js';
import type { Side } from './nodes/finality.js';
import { COIN, type AssetSettings, type BridgeSettings, type VerifierSettings } from './settings.js';

/** The assets of the specification. Written again here, since the verifier shares no code with what it checks. */
const SPECIFIED = [
  { symbol: 'ETH', decimals: 18, coinOf: 'ethereum' },
  { symbol: 'USDC', decimals: 6, coinOf: null },
  { symbol: 'XCN', decimals: 18, coinOf: 'partner' },
] as const;

/**
 * Reads the settings of a verifier from the JSON of an address book, and the rest from `more`.
 *
 * @throws BadAnswerError that names the first missing or wrong field.
 */
export function readSettings(
  json: unknown,
  more: Pick<VerifierSettings, 'holdSeconds' | 'operators'>,
): VerifierSettings {
  const book = readObject(json, 'the address book');
  const assets = listAssets(book);
  return {
    ethereum: readContract(book, 'ethereum', 'bridgeLock'),
    partner: readContract(book, 'partner', 'bridgeMint'),
    assets,
    isLocal: book['environment'] === 'local',
    ...more,
  };
}

function readContract(book: JsonObject, side: Side, name: string): BridgeSettings {
  const chain = readObject(book[side], side);
  return {
    chainId: readInteger(chain['chainId'], `${side}.chainId`),
    contract: readBytes(chain[name], `${side}.${name}`, 20),
    deployedAtBlock: BigInt(readInteger(chain['deployedAtBlock'], `${side}.deployedAtBlock`)),
    sentinel: readBytes(chain['sentinel'], `${side}.sentinel`, 20),
  };
}

function listAssets(book: JsonObject): readonly AssetSettings[] {
  const further = Object.entries(readObject(book['assets'] ?? {}, 'assets')).map(([symbol, asset]) => {
    const decimals = readInteger(readObject(asset, `assets.${symbol}`)['decimals'], `assets.${symbol}.decimals`);
    return { symbol, decimals, coinOf: null };
  });
  const readToken = (side: Side, symbol: string, coinOf: Side | null): Address => {
    if (coinOf === side) return COIN;
    const tokens = readObject(readObject(book[side], side)['tokens'], `${side}.tokens`);
    return readBytes(tokens[symbol], `${side}.tokens.${symbol}`, 20);
  };
  return [...SPECIFIED, ...further].map(({ symbol, decimals, coinOf }) => ({
    symbol,
    decimals,
    tokens: { ethereum: readToken('ethereum', symbol, coinOf), partner: readToken('partner', symbol, coinOf) },
  }));
}

function readInteger(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new BadAnswerError(`${name} must be an integer of at least 0`);
}
