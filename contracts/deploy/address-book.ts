// The entry point `@causeway/contracts/address-book`: the types of an address book, without dependencies.
import type { Address } from 'viem';
import { assetInfo, type Asset, type FurtherAsset } from './assets.js';

/** The contracts on one chain. */
interface Deployment<Specified extends Asset> {
  readonly chainId: number;
  /** The guardian of the bridge contract, through which pausers pause it. */
  readonly sentinel: Address;
  /** The ERC-20 tokens of the assets. The chain's native coin has none. */
  readonly tokens: Readonly<Record<Specified, Address>> & { readonly [symbol: Asset]: Address };
  /** Block of the deployment, where scanning starts. */
  readonly deployedAtBlock: number;
}

/** The addresses of the contracts of one environment, in lower case. */
export interface AddressBook {
  readonly environment: 'local' | 'testnet' | 'mainnet';
  readonly ethereum: Deployment<'USDC' | 'XCN'> & { readonly bridgeLock: Address };
  readonly partner: Deployment<'ETH' | 'USDC'> & {
    readonly bridgeMint: Address;
    /** 18-decimal units of XCN per unit of the partner EVM's msg.value, as a decimal string. */
    readonly nativeUnit: string;
  };
  readonly relayer: Address;
  /** Assets in addition to those of the specification, each with a token on both sides. */
  readonly assets?: Readonly<Record<Asset, FurtherAsset>> | undefined;
}

/** The address that stands for a native coin. */
const COIN: Address = '0x0000000000000000000000000000000000000000';

/** The token of an asset on a side. The zero address is the native coin: ETH on Ethereum, XCN on the partner chain. */
export function getToken(book: AddressBook, side: 'ethereum' | 'partner', asset: Asset): Address {
  if (assetInfo(asset).coinOf === side) return COIN;
  const tokens: Readonly<Record<Asset, Address>> = book[side].tokens;
  const token = tokens[asset];
  if (token === undefined) throw new Error(`The address book has no ${asset} token on ${side}`);
  return token;
}
