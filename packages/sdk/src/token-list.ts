import type { ConfigResponse } from '@causeway/protocol';
import { getAddress, isAddressEqual, zeroAddress, type Address } from 'viem';

/** Tokens in the form of Uniswap's Token Lists (https://github.com/Uniswap/token-lists). */
export interface TokenList {
  readonly name: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly version: TokenListVersion;
  readonly tokens: readonly {
    readonly chainId: number;
    readonly address: Address;
    readonly decimals: number;
    readonly name: string;
    readonly symbol: string;
  }[];
}

/** `major` increases if a token is removed, `minor` if one is added, `patch` if one is changed. */
export interface TokenListVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Name, version and time of a token list. */
export interface TokenListTerms {
  /** At most 30 letters, digits, underscores and spaces. Default: Causeway. */
  readonly name?: string;
  /** Default: 1.0.0. */
  readonly version?: TokenListVersion;
  /** Default: now. */
  readonly timestamp?: Date;
}

/**
 * Makes a token list of the bridge's ERC-20 tokens on both chains, for wallets and exchanges. The coins ETH and XCN are
 * in the definitions of the chains.
 *
 * @example
 * ```ts
 * const list = makeTokenList(await getConfig(bridge), { name: 'My wallet' });
 * ```
 */
export function makeTokenList(config: ConfigResponse, terms: TokenListTerms = {}): TokenList {
  const { name = 'Causeway', version = { major: 1, minor: 0, patch: 0 }, timestamp = new Date() } = terms;
  const tokens = [config.ethereum, config.partner].flatMap(({ chainId, tokens: ofChain }) =>
    ofChain
      .filter(({ address }) => !isAddressEqual(address, zeroAddress))
      .map(({ token, address, decimals }) => ({
        chainId,
        address: getAddress(address),
        decimals,
        name: token,
        symbol: token,
      })),
  );
  return { name, timestamp: timestamp.toISOString(), version, tokens };
}
