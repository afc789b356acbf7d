// No imports here: `scripts/run.mjs` reads this file before anything is built.

/** How an environment is made. Times in seconds. */
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
  /** First of four consecutive ports, of five with a faucet. Without it the usual ports, or any free ones. */
  readonly portBase?: number;
  /** Connection string of an existing database. Without it an embedded server starts. */
  readonly databaseUrl?: string;
  /** Begin with new chains and a new database; the state of an earlier run is moved aside. */
  readonly fresh: boolean;
  /** Alice deposits ETH, USDC and XCN before the environment is ready, so that she can withdraw them. */
  readonly firstDeposits: boolean;
  /** Assets beside those of the specification: entries of `assets` in a deployment's configuration, but the token. */
  readonly assets: Readonly<Record<string, FurtherAssetOptions>>;
  /** The names of the relayers. One is active, and the others are passive. */
  readonly relayers: readonly string[];
  /** How many attesters run. The contracts ask for the signatures of `threshold` of them; 0 and 0: of none. */
  readonly attesters: number;
  readonly threshold: number;
  /** A faucet gives coins and test tokens of both chains to any account. */
  readonly faucet: boolean;
  /** Clients whom the API does not limit, as RATE_LIMIT_EXEMPT_IPS names them. */
  readonly exemptClients: string;
}

/** A further asset. Its token on Ethereum is a test token, of which both users get a million. */
interface FurtherAssetOptions {
  readonly name: string;
  readonly decimals: number;
  readonly [setting: string]: unknown;
}

/** Short waits for the hold and for retirements; otherwise the values of the specification. */
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
  faucet: false,
  // Tests and demos ask more often than people.
  exemptClients: '127.0.0.1,::1',
} as const satisfies EnvironmentOptions;
