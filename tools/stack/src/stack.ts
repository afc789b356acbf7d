// The public types. No imports, so that the declarations of this package need no other package.

/** Bytes in hex. */
export type Hex = `0x${string}`;
/** A side of the bridge. */
export type Side = 'ethereum' | 'partner';

/** The statuses of an operation. */
export type OperationStatus =
  | 'PENDING_ORIGIN_TX'
  | 'CONFIRMING'
  | 'AWAITING_RELAY'
  | 'PROCESSING_DESTINATION'
  | 'COMPLETED'
  | 'DELAYED'
  | 'FAILED'
  | 'EXPIRED';

/** Why an operation is DELAYED. */
export type DelayReason =
  | 'FLOAT_SHORT'
  | 'OUTFLOW_LIMIT'
  | 'COLLATERAL_SHORT'
  | 'BACKING_SHORT'
  | 'PAUSED'
  | 'NODE_UNAVAILABLE'
  | 'NODE_REFUSED'
  | 'FEES_ABOVE_CAP'
  | 'ORIGIN_NOT_CONFIRMED'
  | 'NONCE_TAKEN'
  | 'DESTINATION_REVERTED'
  | 'DELIVERY_CANCELLED'
  | 'ATTESTERS_UNAVAILABLE'
  | 'ATTESTERS_DISAGREE'
  | 'NUMBER_USED_UP';

/** The error codes of the REST API. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'BELOW_MINIMUM'
  | 'DEADLINE_EXPIRED'
  | 'SIGNATURE_INVALID'
  | 'SIGNATURE_MISMATCH'
  | 'SIGNATURE_DOMAIN_REJECTED'
  | 'SENDER_MISMATCH'
  | 'OPERATION_NOT_FOUND'
  | 'INTENT_NOT_FOUND'
  | 'INTENT_ALREADY_BOUND'
  | 'INTENT_NOT_PENDING'
  | 'DUPLICATE_ORIGIN_TX'
  | 'INTENT_EXPIRED'
  | 'RATE_LIMIT_EXCEEDED'
  | 'SIGNATURE_VERIFICATION_UNAVAILABLE'
  | 'SERVICE_PAUSED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'URI_TOO_LONG'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE';

/** Options of a stack. Times are in seconds. */
export interface StackOptions {
  /** Folder of state, logs and `stack.json`. Default: a temporary folder, which `stop` deletes. */
  readonly directory?: string;
  /** Security hold of withdrawals. Default: 2. `scenarios.passHold` skips a long hold. */
  readonly holdSeconds?: number;
  /** Time between blocks. Default: 1. */
  readonly ethereumBlockSeconds?: number;
  readonly partnerBlockSeconds?: number;
  /** Blocks until a transaction is final. Default: 3 on Ethereum, 2 on the partner chain. */
  readonly ethereumConfirmations?: number;
  readonly partnerConfirmations?: number;
  /** First of five consecutive ports. Default: the usual ports, or any free ones. */
  readonly portBase?: number;
  /** URL of an empty PostgreSQL database. Default: an embedded server. */
  readonly databaseUrl?: string;
  /** Receives a message about each step of the start. */
  readonly onStep?: (step: string) => void;
}

/** An account whose key is public. */
export interface Account {
  readonly address: Hex;
  readonly privateKey: Hex;
}

/** The contracts and tokens. ETH on Ethereum and XCN on the partner chain are the chains' own coins. */
export interface AddressBook {
  readonly environment: string;
  readonly ethereum: {
    readonly chainId: number;
    readonly bridgeLock: Hex;
    readonly sentinel: Hex;
    readonly tokens: Readonly<Record<'USDC' | 'XCN', Hex>>;
    readonly deployedAtBlock: number;
  };
  readonly partner: {
    readonly chainId: number;
    readonly bridgeMint: Hex;
    readonly sentinel: Hex;
    readonly tokens: Readonly<Record<'ETH' | 'USDC', Hex>>;
    readonly deployedAtBlock: number;
    readonly nativeUnit: string;
  };
  readonly relayer: Hex;
}

/** Addresses, accounts and URLs of a running stack, as `causeway-stack --json` prints them. */
export interface StackFacts {
  /** The page for people, with Alice and Bob as test wallets. */
  readonly webUrl: string;
  readonly apiUrl: string;
  readonly healthUrl: string;
  /** The operators' console. */
  readonly consoleUrl: string;
  /** Absent with `--no-faucet`. */
  readonly faucetUrl?: string;
  /** URL for `connectStack`. */
  readonly controlUrl: string;
  readonly ethereum: { readonly chainId: number; readonly rpcUrl: string };
  readonly partner: { readonly chainId: number; readonly rpcUrl: string; readonly wsUrl: string };
  readonly holdSeconds: number;
  readonly addressBook: AddressBook;
  /** By role. Alice and Bob are users with ETH, USDC and XCN on Ethereum, and XCN on the partner chain. */
  readonly accounts: Readonly<
    Record<
      | 'deployer'
      | 'relayer'
      | 'guardian'
      | 'recovery'
      | 'pauser'
      | 'treasury'
      | 'policyManager'
      | 'firstOperator'
      | 'secondOperator'
      | 'auditor'
      | 'alice'
      | 'bob',
      Account
    >
  >;
  /** Alice's smart account on the partner chain, with XCN: it has `execute(address,uint256,bytes)` and ERC-1271. */
  readonly smartAccount: Hex;
  readonly databaseUrl: string;
  /** Folder with a log file for each part. */
  readonly logs: string;
}

/** An operation as `GET /bridge/status` returns it; the fields that tests need. */
export interface Operation {
  readonly id: Hex;
  readonly status: OperationStatus;
  readonly asset: string;
  readonly direction: 'ETHEREUM_TO_PARTNER' | 'PARTNER_TO_ETHEREUM';
  /** Atomic units, as text. */
  readonly amount: string;
  readonly outputAmount: string;
  readonly sender: Hex;
  readonly recipient: Hex;
  readonly originTxHash: Hex | null;
  readonly destinationTxHash: Hex | null;
  readonly intentId: Hex | null;
  readonly delayedReason: DelayReason | null;
  readonly failureReason: string | null;
  readonly refundId: Hex | null;
  readonly holdUntil: string | null;
  readonly settlement: { readonly txHash: Hex; readonly credited: boolean } | null;
  readonly [field: string]: unknown;
}

/** A state of the stack that holds until it is lifted. */
export interface Condition {
  /** Ends the condition, and resolves when the stack works as before. A second call does nothing. */
  readonly lift: () => Promise<void>;
}

/** A condition, and the operation in the requested state. */
export interface Reached extends Condition {
  readonly operation: Operation;
}

/** A request that the API refuses with the code, and its answer. The request can be repeated until `lift`. */
export interface ReachedError extends Condition {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  };
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: { readonly error: ErrorCode; readonly message: string };
  };
}

/** A withdrawal that its recipient refused: a credit in the contract until it is claimed. */
export interface RefusedDelivery extends Reached {
  /** In atomic units. */
  readonly claimable: bigint;
  /** Makes the recipient accept coins, and claims the credit for it. */
  readonly lift: () => Promise<void>;
}

/** Provokes what can happen to a transfer. Calls run one at a time. */
export interface Scenarios {
  /** Brings a new operation to a status. A status that would pass is held until `lift`. */
  readonly reachStatus: (status: OperationStatus) => Promise<Reached>;
  /** Brings a new operation to DELAYED for a reason. `lift` removes the cause. */
  readonly reachDelay: (reason: DelayReason) => Promise<Reached>;
  /** Makes a request that the API refuses with a code. */
  readonly reachError: (code: ErrorCode) => Promise<ReachedError>;
  /** The guardian pauses new transfers (`beginnings`), or payments (`deliveries`), of the contract on a chain. */
  readonly pause: (chain: Side, what: 'beginnings' | 'deliveries') => Promise<Condition>;
  /** Lowers the outflow limit of an asset on the chain that pays it out, to a tenth of a coin. */
  readonly limitOutflow: (chain: Side, asset: string) => Promise<Condition>;
  /** Pays out the whole float of XCN on the partner chain. `lift` refills it. */
  readonly emptyFloat: () => Promise<Condition>;
  /** Raises Ethereum's base fee above the relayer's maximum. */
  readonly raiseFees: () => Promise<Condition>;
  /** Ethereum makes blocks only for transactions, so no transaction there becomes final. */
  readonly holdBlocks: () => Promise<Condition>;
  /** Stops the API: connections are refused. `lift` restarts it. */
  readonly stopApi: () => Promise<Condition>;
  /** Stops the relayer: transfers are not delivered. `lift` restarts it. */
  readonly stopRelayer: () => Promise<Condition>;
  /** A deposit that is read, then lost in a reorg of Ethereum. Returns the operation before the reorg. */
  readonly reorg: () => Promise<Reached>;
  /** A withdrawal of ETH to a contract that refuses it. */
  readonly refuseRecipient: () => Promise<RefusedDelivery>;
  /** An intent that is paid while its client is offline, and that the client binds later. */
  readonly bindLate: () => Promise<Reached>;
  /** A withdrawal whose hold passes immediately, whatever `holdSeconds` is: both chains' clocks move forward. */
  readonly passHold: () => Promise<Reached>;
  /** Moves the clocks of both chains forward. */
  readonly passTime: (seconds: number) => Promise<void>;
}

/** Funds for an account. */
export interface Funding {
  readonly address: Hex;
  /** ETH, USDC or XCN. */
  readonly asset: string;
  readonly chain: Side;
  /** In atomic units: 18 decimals for ETH and XCN, 6 for USDC. */
  readonly amount: bigint;
}

/** A running stack. */
export interface Stack extends StackFacts {
  readonly scenarios: Scenarios;
  /** Gives an account any amount. Bridged tokens on the partner chain need a deposit, which takes seconds. */
  readonly fund: (funding: Funding) => Promise<void>;
  /** Stops the stack. A stack that another process started keeps running. */
  readonly stop: () => Promise<void>;
}
