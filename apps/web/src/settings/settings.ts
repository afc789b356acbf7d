import type { AddressBook } from '@causeway/sdk';
import { setAssets } from '@causeway/ui/format';

/** An explorer of a chain. `{hash}` and `{address}` are replaced. */
interface ExplorerSettings {
  readonly name: string;
  /** Such as `https://explorer.example/tx/{hash}`. */
  readonly transactionUrl: string;
  /** Such as `https://explorer.example/address/{address}`. */
  readonly addressUrl?: string;
}

/** A chain as the host of the page describes it. */
interface ChainSettings {
  readonly name: string;
  /** JSON-RPC nodes that the page and the wallet use. */
  readonly rpcUrls: readonly string[];
  /** Blocks until an origin is final. */
  readonly confirmations: number;
  readonly explorer?: ExplorerSettings;
}

/** A module of the page's own origin that provides a further wallet. */
interface WalletModuleSettings {
  readonly name: string;
  /** Path of an ES module. Its default export returns an EIP-1193 provider. Loaded when the user chooses it. */
  readonly module: string;
  /** Origins that it contacts, for the policy. */
  readonly connect?: readonly string[];
}

/** A key for trying the bridge, in the environment `local` only. */
export interface TestWalletSettings {
  readonly name: string;
  readonly privateKey: `0x${string}`;
}

/** `settings.json`, the host's file beside the page. */
export interface Settings {
  /** An http or https URL, or a path of the page's own origin such as `/api/v1`. */
  readonly apiUrl: string;
  /** The trusted contracts and chains. */
  readonly addressBook: AddressBook;
  readonly ethereum: ChainSettings;
  readonly partner: ChainSettings;
  /** The hold of withdrawals. */
  readonly holdSeconds: number;
  /** The operators, and how many must sign a refund. Only "Check it yourself" reads them. */
  readonly operators?: { readonly addresses: readonly `0x${string}`[]; readonly needed: number };
  /** Base URL of the documentation. */
  readonly docsUrl?: string;
  readonly walletModules?: readonly WalletModuleSettings[];
  readonly testWallets?: readonly TestWalletSettings[];
}

/** The settings cannot be used. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param problems a sentence for each wrong field. */
  constructor(readonly problems: readonly string[]) {
    super(problems.join(' '));
  }
}

type Check = (value: unknown, field: string) => readonly string[];

const HEX = {
  address: /^0x[0-9a-fA-F]{40}$/,
  key: /^0x[0-9a-fA-F]{64}$/,
} as const;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function must(isRight: (value: unknown) => boolean, rule: string): Check {
  return (value, field) => (isRight(value) ? [] : [`${field} must be ${rule}.`]);
}

function checkObject(required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check {
  return (value, field) => {
    if (!isObject(value)) return [`${field} must be an object.`];
    const path = (name: string) => (field === 'settings.json' ? name : `${field}.${name}`);
    return [
      ...Object.entries(required).flatMap(([name, check]) => check(value[name], path(name))),
      ...Object.entries(optional).flatMap(([name, check]) =>
        value[name] === undefined ? [] : check(value[name], path(name)),
      ),
    ];
  };
}

function checkList(check: Check, least = 0): Check {
  return (value, field) =>
    Array.isArray(value) && value.length >= least
      ? value.flatMap((each, index) => check(each, `${field}[${index}]`))
      : [`${field} must be a list${least > 0 ? ` of at least ${least}` : ''}.`];
}

const text = must((value) => typeof value === 'string' && value !== '', 'a text');
const address = must((value) => typeof value === 'string' && HEX.address.test(value), 'an address');
const httpUrl = must(isHttpUrl, 'an http or https URL');
const isCount = (least: number) => (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;
const count = must(isCount(1), 'a whole number above 0');
const tokens: Check = (value, field) =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, token]) => address(token, `${field}.${name}`))
    : [`${field} must be an object of token addresses.`];
const furtherAsset = checkObject({
  decimals: must(isCount(0), 'a whole number'),
  dust: must((value) => typeof value === 'string' && /^\d+$/.test(value), 'a whole number as text'),
});
const furtherAssets: Check = (value, field) =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, asset]) => furtherAsset(asset, `${field}.${name}`))
    : [`${field} must be an object of assets.`];

const deployment = { chainId: count, deployedAtBlock: must(isCount(0), 'a block number'), tokens };
const checkUrlWith = (part: string) =>
  must((value) => isHttpUrl(value) && (value as string).includes(part), `an http or https URL with ${part}`);
const chain = checkObject(
  { name: text, rpcUrls: checkList(httpUrl, 1), confirmations: count },
  {
    explorer: checkObject(
      { name: text, transactionUrl: checkUrlWith('{hash}') },
      { addressUrl: checkUrlWith('{address}') },
    ),
  },
);

const settings = checkObject(
  {
    apiUrl: must(
      (value) => isHttpUrl(value) || (typeof value === 'string' && /^\/(?!\/)/.test(value)),
      'an http or https URL, or a path such as /api/v1',
    ),
    addressBook: checkObject(
      {
        environment: must(
          (value) => ['local', 'testnet', 'mainnet'].includes(value as string),
          'local, testnet or mainnet',
        ),
        ethereum: checkObject({ ...deployment, bridgeLock: address }),
        partner: checkObject({ ...deployment, bridgeMint: address }),
        relayer: address,
      },
      { assets: furtherAssets },
    ),
    ethereum: chain,
    partner: chain,
    holdSeconds: must(isCount(0), 'a whole number of seconds'),
  },
  {
    operators: checkObject({ addresses: checkList(address, 1), needed: count }),
    docsUrl: httpUrl,
    walletModules: checkList(
      checkObject(
        {
          name: text,
          module: must(
            (value) => typeof value === 'string' && /^\/(?!\/)[\w./-]+\.js$/.test(value),
            "a path of this page's origin that ends with .js",
          ),
        },
        { connect: checkList(text) },
      ),
    ),
    testWallets: checkList(
      checkObject({
        name: text,
        privateKey: must((value) => typeof value === 'string' && HEX.key.test(value), 'a private key'),
      }),
    ),
  },
);

/**
 * Checks the settings of the page.
 *
 * @throws SettingsError with a sentence for each wrong field.
 */
export function parseSettings(value: unknown): Settings {
  const problems = settings(value, 'settings.json');
  if (problems.length > 0) throw new SettingsError(problems);
  const parsed = value as Settings;
  if (parsed.testWallets !== undefined && parsed.addressBook.environment !== 'local')
    throw new SettingsError(['testWallets is allowed in the environment local only: remove it.']);
  return parsed;
}

/**
 * Reads settings.json beside the page. Amounts are then written in the units of its address book.
 *
 * @throws SettingsError
 */
export async function loadSettings(): Promise<Settings> {
  let value: unknown;
  try {
    const answer = await fetch('/settings.json');
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    value = await answer.json();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([`settings.json cannot be read (${reason}): place it beside index.html, as JSON.`]);
  }
  const parsed = parseSettings(value);
  setAssets(parsed.addressBook.assets);
  return parsed;
}

/** The absolute URL of the API. */
export function resolveApiUrl({ apiUrl }: Settings): string {
  return new URL(apiUrl, location.origin).href;
}
