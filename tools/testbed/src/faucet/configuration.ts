import { decryptKeystore } from '@causeway/chain';
import {
  ConfigurationError,
  filePath,
  isUrl,
  list,
  listenHost,
  listenPort,
  logLevel,
  privateKey,
  readEach,
  readVariables,
  wholeNumber,
} from '@causeway/service/configuration';
import { readAddressBook } from '@causeway/contracts/deploy';
import { publicServerVariables } from '@causeway/service/http';
import {
  assetInfo,
  getToken,
  listAssets,
  parseAmount,
  type AddressBook,
  type Asset,
  type Side,
} from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';

const ASSET_ENTRY = /^(ethereum|partner):([A-Z0-9]{1,12})=([\d.]+)\/([\d.]+)$/;
const ASSETS_RULE = 'must be entries such as ethereum:USDC=1000/100000, separated by commas';
const URL_RULE = 'must be an http:// or https:// address';

const rpcUrl = (chain: string) =>
  z
    .string(URL_RULE)
    .refine((text) => isUrl(text, ['http:', 'https:']), URL_RULE)
    .meta({ description: `JSON-RPC address of a node of ${chain}.`, isSecret: true });

/** The environment variables of the faucet: meaning, allowed values, defaults. */
export const faucetVariables = z.object({
  HOST: listenHost.describe('Address to listen on.'),
  PORT: listenPort.default(3_002).describe('Port to listen on; 0 picks a free one.'),
  ETHEREUM_RPC_URL: rpcUrl('Ethereum'),
  PARTNER_RPC_URL: rpcUrl('the partner chain'),
  ADDRESS_BOOK: filePath('an address book (JSON)').describe(
    'The address book that the deployment wrote. The one of mainnet is refused.',
  ),
  FAUCET_KEYSTORE: filePath('a keystore')
    .optional()
    .describe('Encrypted key of the wallet that pays on both chains. Use the wallet for nothing else.'),
  FAUCET_KEYSTORE_PASSWORD_FILE: filePath('a file with a password')
    .optional()
    .describe('File whose first line is the password of FAUCET_KEYSTORE.'),
  FAUCET_KEY: privateKey.optional().meta({
    description: 'The private key, instead of FAUCET_KEYSTORE, in `local` only.',
    isSecret: true,
  }),
  FAUCET_ASSETS: list(ASSETS_RULE, (entry) => ASSET_ENTRY.test(entry))
    .prefault('ethereum:ETH=0.1/10,ethereum:USDC=1000/100000,ethereum:XCN=10000/1000000,partner:XCN=10000/1000000')
    .describe('Assets by chain, each with the amount for a request and the daily total.'),
  LIMIT_WINDOW_SECONDS: wholeNumber(1, 31_536_000)
    .default(86_400)
    .describe('How long an address waits for the same asset again, and the window of DRIPS_PER_CLIENT.'),
  DRIPS_PER_CLIENT: wholeNumber(0, 1e6)
    .default(10)
    .describe('Requests paid to a client (IPv4 address or IPv6 /64 network) in a window; 0 for no limit.'),
  TRANSACTION_TIMEOUT_MS: wholeNumber(1, 3_600_000)
    .default(60_000)
    .describe('How long a request waits for its transaction to be mined; after that the answer is 202.'),
  TRUSTED_PROXY_HOPS: publicServerVariables.TRUSTED_PROXY_HOPS,
  RATE_LIMIT_EXEMPT_IPS: publicServerVariables.RATE_LIMIT_EXEMPT_IPS.describe(
    'Addresses and networks exempt from DRIPS_PER_CLIENT.',
  ),
  CORS_ORIGINS: publicServerVariables.CORS_ORIGINS,
  LOG_LEVEL: logLevel.describe('Least severe level that is logged.'),
});

export interface FaucetAsset {
  readonly chain: Side;
  readonly asset: Asset;
  /** The zero address is the coin of the chain. */
  readonly token: Address;
  /** Decimals of the amounts. The JSON-RPC of both chains counts coins with 18. */
  readonly decimals: number;
  /** Atomic units for a request. */
  readonly amount: bigint;
  /** Atomic units a day, to all recipients together. */
  readonly mostPerDay: bigint;
}

/** The settings of the faucet. */
export interface FaucetConfiguration {
  readonly values: z.output<typeof faucetVariables>;
  readonly book: AddressBook;
  readonly wallet: { readonly address: Address; readonly privateKey: Hex };
  readonly assets: readonly FaucetAsset[];
}

/**
 * Reads and validates the environment variables, the address book and the key.
 *
 * @throws Error with a line for each problem. It never contains the key.
 */
export async function readConfiguration(
  env: Readonly<Record<string, string | undefined>>,
): Promise<FaucetConfiguration> {
  const values = readVariables(faucetVariables, env);
  const book = readAddressBook(values.ADDRESS_BOOK);
  if (book.environment === 'mainnet') throw new ConfigurationError(['ADDRESS_BOOK must not be the one of mainnet']);
  const parts = readEach({
    key: () => chooseKey(values, book),
    assets: () => values.FAUCET_ASSETS.map((entry) => readAsset(book, entry)),
  });
  return { values, book, assets: parts.assets, wallet: await readWallet(parts.key) };
}

type WalletKey = { readonly bare: Hex } | { readonly file: string; readonly passwordFile: string };

/** @throws ConfigurationError unless exactly one key is set; outside the local environment it must be encrypted. */
function chooseKey(values: FaucetConfiguration['values'], { environment }: AddressBook): WalletKey {
  const { FAUCET_KEY: bare, FAUCET_KEYSTORE: file, FAUCET_KEYSTORE_PASSWORD_FILE: passwordFile } = values;
  if (bare !== undefined) {
    if (environment !== 'local')
      throw new ConfigurationError([`FAUCET_KEY must not be set for ${environment}: use FAUCET_KEYSTORE`]);
    if (file !== undefined) throw new ConfigurationError(['FAUCET_KEY and FAUCET_KEYSTORE must not both be set']);
    return { bare };
  }
  if (file === undefined)
    throw new ConfigurationError(['FAUCET_KEYSTORE is not set; it must be the path of a keystore']);
  if (passwordFile !== undefined) return { file, passwordFile };
  throw new ConfigurationError(['FAUCET_KEYSTORE_PASSWORD_FILE is not set; it must be the path of a password file']);
}

async function readWallet(key: WalletKey): Promise<FaucetConfiguration['wallet']> {
  if ('bare' in key) return { address: privateKeyToAddress(key.bare), privateKey: key.bare };
  const decrypted = await decryptKeystore({ kind: 'keystore', ...key }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError([`FAUCET_KEYSTORE cannot be used: ${reason}`], { cause });
  });
  return { address: privateKeyToAddress(decrypted), privateKey: decrypted };
}

/** @throws ConfigurationError for an asset missing in the address book, and for invalid amounts. */
function readAsset(book: AddressBook, entry: string): FaucetAsset {
  const [, side, asset = '', each = '', all = ''] = ASSET_ENTRY.exec(entry) ?? [];
  const chain: Side = side === 'partner' ? 'partner' : 'ethereum';
  const refuse = (reason: string) => new ConfigurationError([`FAUCET_ASSETS has ${entry}, but ${reason}`]);
  if (!listAssets().includes(asset)) throw refuse(`the address book names ${listAssets().join(', ')}`);
  const [amount, mostPerDay] = [each, all].map((text) => {
    try {
      return parseAmount(asset, text);
    } catch (error) {
      throw refuse(error instanceof Error ? error.message : String(error));
    }
  }) as [bigint, bigint];
  if (amount === 0n || mostPerDay < amount) throw refuse('the amount must be above 0 and at most the daily total');
  return { chain, asset, token: getToken(book, chain, asset), decimals: assetInfo(asset).decimals, amount, mostPerDay };
}
