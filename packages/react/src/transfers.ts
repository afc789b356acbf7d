import {
  burn,
  claim,
  createBrowserStore,
  deposit,
  InvalidInputError,
  isBegun,
  RecordError,
  resume,
  UndecidedError,
  withdrawXcn,
  withdrawXcnByIntent,
  type Bridge,
  type BrowserStore,
  type CausewayErrorType,
  type ClaimTerms,
  type PlannedTransfer,
  type Progress,
  type ResumeOptions,
  type SentTransfer,
  type TransferOptions,
  type TransferRecord,
  type Wallet,
} from '@causeway/sdk';
import type { QueryClient } from '@tanstack/react-query';

/** A transfer that `useCheck` can check, or a claim of a credit. */
export type TransferToBegin = PlannedTransfer | ({ readonly kind: 'CLAIM' } & ClaimTerms);

/** Options of a transfer in a page. The provider has the store, and the hook the signal. */
export type RunOptions = Omit<TransferOptions, 'store' | 'signal'>;

/** What this page knows of a transfer that it began or resumed. */
export interface RunState {
  readonly isRunning: boolean;
  /** Null until the checks have passed. */
  readonly record: TransferRecord | null;
  /** The newest event of each step, in order. */
  readonly progress: readonly Progress[];
  readonly outcome: SentTransfer | null;
  readonly error: CausewayErrorType | null;
}

/** One call of a flow or of `resume`. */
export interface Run {
  state: RunState;
  readonly controller: AbortController;
}

/** A record of the store, and its run in this page. */
export interface ListedTransfer {
  readonly record: TransferRecord;
  readonly run: RunState | null;
}

export const IDLE: RunState = { isRunning: false, record: null, progress: [], outcome: null, error: null };
export const NO_TRANSFERS: readonly ListedTransfer[] = [];

/**
 * The transfers of a page. Their state is here and not in components, so that a second mount finds what the first one
 * began.
 */
export class Transfers {
  private readonly listeners = new Set<() => void>();
  /** The last run of each record. */
  private readonly runs = new Map<string, Run>();
  private listed: readonly ListedTransfer[] | null = null;

  constructor(
    private readonly client: QueryClient,
    private givenStore: BrowserStore | undefined,
  ) {}

  /** Calls the listener after each change, also by another tab. */
  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.listeners.size === 0) {
      addEventListener('storage', this.publish);
      // Another tab can have changed the store since the last listener.
      this.listed = null;
    }
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) removeEventListener('storage', this.publish);
    };
  };

  /** Lists the records of the store, newest first. The list is the same until the next change. */
  readonly list = (): readonly ListedTransfer[] => {
    this.listed ??= this.readRecords().map((record) => ({ record, run: this.runs.get(record.id)?.state ?? null }));
    return this.listed;
  };

  /** Returns the state of a run, or of the newer run of its record, unless the record was discarded. */
  read(run: Run | null): RunState {
    const { record } = run?.state ?? IDLE;
    const newest = record === null ? run : this.runs.get(record.id);
    return newest?.state ?? IDLE;
  }

  /** Begins a transfer. It never throws: the run has the error. */
  begin(bridge: Bridge, wallet: Wallet | null | undefined, transfer: TransferToBegin, options: RunOptions): Run {
    return this.run(null, options, async (own) => callFlow(bridge, assertWallet(wallet), transfer, own));
  }

  /** Resumes the newest record of a transfer, unless it runs in this page. */
  resume(
    bridge: Bridge,
    wallet: Wallet | null | undefined,
    record: TransferRecord,
    options: RunOptions & Pick<ResumeOptions, 'sendAgain'>,
  ): Run {
    const present = this.runs.get(record.id);
    if (present?.state.isRunning === true) return present;
    return this.run(record, options, async (own) => {
      const outcome = await resume(bridge, assertWallet(wallet), this.store.load(record.id) ?? record, own);
      if (outcome.state === 'SENT') return outcome;
      if (outcome.state === 'UNDECIDED') throw new UndecidedError(outcome.step, outcome.looks);
      throw new RecordError('id', 'is not in the store: the transfer was discarded');
    });
  }

  /** Resumes the transfers of the wallet's account that were begun and have had no run in this page. */
  resumeBegun(bridge: Bridge, wallet: Wallet, options: RunOptions): void {
    const account = wallet.account.toLowerCase();
    for (const { record, run } of this.list())
      if (run === null && isBegun(record) && record.sender.toLowerCase() === account)
        this.resume(bridge, wallet, record, options);
  }

  /** Removes a record, if there is one, unless its transfer runs in this page. */
  discard(record: TransferRecord | null): void {
    const id = record?.id ?? '';
    if (this.runs.get(id)?.state.isRunning === true) return;
    if (record !== null) this.store.remove(id);
    this.runs.delete(id);
    this.publish();
  }

  /** Stops all waiting. */
  stopAll(): void {
    for (const { controller } of this.runs.values()) controller.abort();
  }

  private get store(): BrowserStore {
    this.givenStore ??= createBrowserStore();
    return this.givenStore;
  }

  private readRecords(): readonly TransferRecord[] {
    try {
      return this.store.list();
    } catch {
      // The user blocks the storage. A transfer reports it when it begins.
      return [];
    }
  }

  private readonly publish = (): void => {
    this.listed = null;
    for (const listener of this.listeners) listener();
  };

  private run(
    record: TransferRecord | null,
    options: RunOptions,
    work: (own: TransferOptions) => Promise<SentTransfer>,
  ): Run {
    const controller = new AbortController();
    const run: Run = { controller, state: { ...IDLE, isRunning: true, record } };
    const change = (state: Partial<RunState>) => {
      run.state = { ...run.state, ...state };
      this.publish();
    };
    const begin = async () => {
      const { store } = this;
      const save = async (saved: TransferRecord) => {
        await store.save(saved);
        this.runs.set(saved.id, run);
        change({ record: saved });
      };
      const onProgress = (progress: Progress) => {
        const others = run.state.progress.filter(({ position }) => position !== progress.position);
        change({ progress: [...others, progress].toSorted((a, b) => a.position - b.position) });
        options.onProgress?.(progress);
      };
      return work({ ...options, store: { load: (id) => store.load(id), save }, signal: controller.signal, onProgress });
    };
    if (record !== null) this.runs.set(record.id, run);
    // After the caller has kept the run.
    queueMicrotask(this.publish);
    // As a mutation it reaches the app's callbacks and tools. Its options override the app's defaults: a repetition or
    // a wait for a connection would open a window later.
    const mutation = this.client.getMutationCache().build<SentTransfer, CausewayErrorType, void, unknown>(this.client, {
      mutationKey: ['causeway', 'transfer'],
      mutationFn: begin,
      retry: false,
      networkMode: 'always',
    });
    void mutation.execute().then(
      (outcome) => change({ isRunning: false, outcome }),
      (error: CausewayErrorType) => {
        // After an abort the record can be resumed again.
        if (controller.signal.aborted) this.runs.delete(run.state.record?.id ?? '');
        change(controller.signal.aborted ? IDLE : { isRunning: false, error });
      },
    );
    return run;
  }
}

function assertWallet(wallet: Wallet | null | undefined): Wallet {
  if (wallet === null || wallet === undefined) throw new InvalidInputError('wallet', 'is missing: connect one first');
  return wallet;
}

async function callFlow(
  bridge: Bridge,
  wallet: Wallet,
  transfer: TransferToBegin,
  options: TransferOptions,
): Promise<SentTransfer> {
  if (transfer.kind === 'CLAIM') return claim(bridge, wallet, transfer, options);
  const { kind, asset } = transfer;
  // The check parses the recipient.
  const terms = { asset, amount: transfer.amount, recipient: transfer.recipient as `0x${string}` };
  if (kind === 'DEPOSIT') return deposit(bridge, wallet, terms, options);
  if (kind === 'BURN') return burn(bridge, wallet, terms, options);
  if (asset !== 'XCN') throw new InvalidInputError('asset', 'must be XCN for this kind of transfer');
  return kind === 'INTENT'
    ? withdrawXcnByIntent(bridge, wallet, terms, options)
    : withdrawXcn(bridge, wallet, terms, options);
}
