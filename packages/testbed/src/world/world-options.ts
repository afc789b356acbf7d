/** How a world is made. Times in seconds, as people say them. */
export interface WorldOptions {
  /** Where state, logs, address book and `stack.json` go. */
  readonly directory: string;
  /** Security hold of withdrawals. */
  readonly holdSeconds: number;
  /** How long a completed withdrawal waits until what it handed in is retired. */
  readonly retireAfterSeconds: number;
  readonly ethereumBlockSeconds: number;
  readonly partnerBlockSeconds: number;
  readonly ethereumConfirmations: number;
  readonly partnerConfirmations: number;
  /** First of four consecutive ports; free ones are picked without it. */
  readonly portBase?: number;
  /** A database of one's own; an embedded one is started without it. */
  readonly databaseUrl?: string;
  /** Throw the state of an earlier run away. */
  readonly fresh: boolean;
}

/** What the stack starts with: the hold is short, and so is the wait for a retirement; everything else as the specification has it. */
export const DEFAULT_WORLD_OPTIONS = {
  directory: '.causeway',
  holdSeconds: 30,
  retireAfterSeconds: 5,
  ethereumBlockSeconds: 1,
  partnerBlockSeconds: 1,
  ethereumConfirmations: 12,
  partnerConfirmations: 6,
  fresh: false,
} as const satisfies WorldOptions;
