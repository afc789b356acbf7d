import type { Address } from 'viem';
import { z } from 'zod';
import { assetInfo, SPECIFIED_ASSETS, type Asset, type FurtherAsset } from '../cli/assets.js';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .transform((text) => text.toLowerCase() as Address);

/** Further assets by their symbols. The database checks the same form of a symbol. */
export function furtherAssets<T extends z.ZodType>(asset: T) {
  return z.record(z.string(), asset).superRefine((assets, context) => {
    const refuse = (symbol: string, message: string) => context.addIssue({ code: 'custom', path: [symbol], message });
    for (const symbol of Object.keys(assets)) {
      if (!/^[A-Z0-9]{1,12}$/.test(symbol)) refuse(symbol, 'must have 1 to 12 capital letters or digits as its symbol');
      if (symbol in SPECIFIED_ASSETS) refuse(symbol, 'is an asset of the specification already');
    }
  });
}

const furtherAsset = z.strictObject({
  decimals: z.int().min(0).max(18),
  /** In atomic units. Arrivals at the relayer wallet below it are summed per payer, and not refunded one by one. */
  dust: z.string().regex(/^\d+$/),
}) satisfies z.ZodType<FurtherAsset>;

/** The addresses of the contracts of one environment. */
export const addressBookSchema = z
  .object({
    environment: z.enum(['local', 'testnet', 'mainnet']),
    ethereum: z.object({
      chainId: z.int().positive(),
      bridgeLock: address,
      /** The guardian of the bridge contract, through which pausers pause it. */
      sentinel: address,
      tokens: z.object({ USDC: address, XCN: address }).catchall(address),
      /** Block of the deployment: scanning the chain starts here. */
      deployedAtBlock: z.int().nonnegative(),
    }),
    partner: z.object({
      chainId: z.int().positive(),
      bridgeMint: address,
      /** The guardian of the bridge contract there. */
      sentinel: address,
      tokens: z.object({ ETH: address, USDC: address }).catchall(address),
      deployedAtBlock: z.int().nonnegative(),
      /** 18-decimal units of XCN in one unit of the partner EVM's msg.value. */
      nativeUnit: z.string().regex(/^[1-9]\d*$/),
    }),
    relayer: address,
    /** Assets beside those of the specification, each with a token on both sides. */
    assets: furtherAssets(furtherAsset).optional(),
  })
  .superRefine(({ ethereum, partner, assets = {} }, context) => {
    const further = Object.keys(assets);
    for (const [side, tokens, specified] of [
      ['ethereum', ethereum.tokens, ['USDC', 'XCN']],
      ['partner', partner.tokens, ['ETH', 'USDC']],
    ] as const) {
      const refuse = (symbol: string, message: string) =>
        context.addIssue({ code: 'custom', path: [side, 'tokens', symbol], message });
      const wanted = [...specified, ...further];
      for (const symbol of wanted) if (!(symbol in tokens)) refuse(symbol, 'is missing, and assets names it');
      const entries = Object.entries(tokens);
      for (const [symbol, token] of entries) {
        if (!wanted.includes(symbol)) refuse(symbol, 'is the token of an asset that assets does not name');
        const [first] = entries.find(([, other]) => other === token) ?? [symbol];
        if (first !== symbol) refuse(symbol, `is the token of ${first}, too`);
      }
    }
  });

/** The addresses of the contracts of one environment, in lower case. */
export type AddressBook = z.output<typeof addressBookSchema>;

/** The address of a coin, where a token has that of its contract. */
const COIN: Address = '0x0000000000000000000000000000000000000000';

/** The token of an asset on a side. The zero address is the coin: ETH on Ethereum, XCN on the partner chain. */
export function getToken(book: AddressBook, side: 'ethereum' | 'partner', asset: Asset): Address {
  if (assetInfo(asset).coinOf === side) return COIN;
  const token = (book[side].tokens as Readonly<Record<Asset, Address>>)[asset];
  if (token === undefined) throw new Error(`The address book has no token of ${asset} on ${side}`);
  return token;
}
