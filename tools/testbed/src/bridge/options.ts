// No imports here: `scripts/run.mjs` reads this file before anything is built.

/** Options of an environment. Times are in seconds. */
export interface EnvironmentOptions {
  /** Folder of state, logs, address book and `stack.json`. */
  readonly directory: string;
  /** Security hold of withdrawals. */
  readonly holdSeconds: number;
  /** How long the relayer keeps the tokens of a completed withdrawal before it retires them. */
  readonly retireAfterSeconds: number;
  /** Whole XCN of the float in BridgeMint at the start. */
  readonly floatXcn: number;
  /** Delay of the timelock that is the contracts' admin. 0: the deployer itself is the admin. */
  readonly adminDelaySeconds: number;
  readonly ethereumBlockSeconds: number;
  readonly partnerBlockSeconds: number;
  readonly ethereumConfirmations: number;
  readonly partnerConfirmations: number;
  /** First of four consecutive ports, of five with a faucet. Default: the usual ports, or any free ones. */
  readonly portBase?: number;
  /** Connection string of an existing database. Default: an embedded server. */
  readonly databaseUrl?: string;
  /** Starts with new chains and a new database, and moves the state of an earlier run aside. */
  readonly fresh: boolean;
  /** Alice deposits ETH, USDC and XCN before the environment is ready, so that she can withdraw them. */
  readonly firstDeposits: boolean;
  /** Assets beyond those of the specification: entries of a deployment's `assets`, without the token. */
  readonly assets: Readonly<Record<string, FurtherAssetOptions>>;
  /** The names of the relayers. One is active, and the others are passive. */
  readonly relayers: readonly string[];
  /** How many attesters run. The contracts need `threshold` signatures; 0 and 0 for none. */
  readonly attesters: number;
  readonly threshold: number;
  /** Whether a watchtower pauses the contracts when a delivery is not owed. */
  readonly watchtower: boolean;
  /** Whether a faucet gives coins and test tokens of both chains to any account. */
  readonly faucet: boolean;
  /** Whether the API serves the page for people, which must be built, with Alice and Bob as test wallets. */
  readonly web: boolean;
  /** Clients exempt from the API's rate limits, in the form of RATE_LIMIT_EXEMPT_IPS. */
  readonly exemptClients: string;
}

/** A further asset. Its token on Ethereum is a test token; both users get a million. */
interface FurtherAssetOptions {
  readonly name: string;
  readonly decimals: number;
  readonly [setting: string]: unknown;
}

/** The stack of `npx @causeway/stack`: as fast as possible while each status stays visible. */
export const PARTNER_STACK_OPTIONS = {
  holdSeconds: 2,
  ethereumConfirmations: 3,
  partnerConfirmations: 2,
  // A scenario empties the float by deposits, and the outflow limit allows 50 million an hour.
  floatXcn: 1_000_000,
  faucet: true,
  web: true,
} as const satisfies Partial<EnvironmentOptions>;

/** The specification's values, with a shorter hold and delay of retirements. */
export const DEFAULT_ENVIRONMENT_OPTIONS = {
  directory: '.causeway',
  holdSeconds: 30,
  retireAfterSeconds: 5,
  floatXcn: 100_000_000,
  adminDelaySeconds: 0,
  ethereumBlockSeconds: 1,
  partnerBlockSeconds: 1,
  ethereumConfirmations: 12,
  partnerConfirmations: 6,
  fresh: false,
  firstDeposits: false,
  assets: {},
  relayers: ['relayer'],
  attesters: 0,
  threshold: 0,
  watchtower: false,
  faucet: false,
  web: false,
  // Tests and demos poll more often than people.
  exemptClients: '127.0.0.1,::1',
} as const satisfies EnvironmentOptions;
