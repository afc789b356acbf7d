// The entry point `@causeway/contracts/address-book-schema`. It needs zod, which is an optional peer dependency.
import type { Address } from 'viem';
import { z } from 'zod';
import { SPECIFIED_ASSETS, type FurtherAsset } from './assets.js';
import type { AddressBook } from './address-book.js';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .transform((text) => text.toLowerCase() as Address);

/** Further assets by symbol. The database checks symbols with the same pattern. */
export function furtherAssets<T extends z.ZodType>(asset: T) {
  return z.record(z.string(), asset).superRefine((assets, context) => {
    const refuse = (symbol: string, message: string) => context.addIssue({ code: 'custom', path: [symbol], message });
    for (const symbol of Object.keys(assets)) {
      if (!/^[A-Z0-9]{1,12}$/.test(symbol)) refuse(symbol, 'must be 1 to 12 capital letters or digits');
      if (symbol in SPECIFIED_ASSETS) refuse(symbol, 'is already an asset of the specification');
    }
  });
}

const furtherAsset = z.strictObject({
  decimals: z.int().min(0).max(18),
  dust: z.string().regex(/^\d+$/),
}) satisfies z.ZodType<FurtherAsset>;

/** Checks an address book, and converts its addresses to lower case. */
export const addressBookSchema = z
  .object({
    environment: z.enum(['local', 'testnet', 'mainnet']),
    ethereum: z.object({
      chainId: z.int().positive(),
      bridgeLock: address,
      sentinel: address,
      tokens: z.object({ USDC: address, XCN: address }).catchall(address),
      deployedAtBlock: z.int().nonnegative(),
    }),
    partner: z.object({
      chainId: z.int().positive(),
      bridgeMint: address,
      sentinel: address,
      tokens: z.object({ ETH: address, USDC: address }).catchall(address),
      deployedAtBlock: z.int().nonnegative(),
      nativeUnit: z.string().regex(/^[1-9]\d*$/),
    }),
    relayer: address,
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
      for (const symbol of wanted) if (!(symbol in tokens)) refuse(symbol, 'is missing, although assets names it');
      const entries = Object.entries(tokens);
      for (const [symbol, token] of entries) {
        if (!wanted.includes(symbol)) refuse(symbol, 'belongs to an asset that assets does not name');
        const [first] = entries.find(([, other]) => other === token) ?? [symbol];
        if (first !== symbol) refuse(symbol, `is also the token of ${first}`);
      }
    }
  }) satisfies z.ZodType<AddressBook>;
