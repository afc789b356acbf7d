import { Ledger } from '../ledger/ledger.js';
import { NotDeployedError, readLedger, ReplacedError } from '../ledger/read-ledger.js';
import { NoQuorumError } from '../nodes/quorum-reader.js';
import type { FinalHeaders, Verifier } from '../verifier.js';
import { UsageError } from './exit-codes.js';
import type { Progress } from './progress.js';
import { CHAIN_NAMES, SIDES, type Run } from './setup.js';
import { loadState, locateState, saveState } from './state-file.js';

/** Milliseconds between two writes of the state file. */
const SAVE_EVERY_MS = 10_000;

/** How many blocks before the sweep of an intent's payment the payment is searched: more than a day of 2 seconds. */
const PAYER_BLOCKS = 50_000n;

/** A ledger that continues from its state file. */
export class Reading {
  private saved: Promise<void> = Promise.resolve();
  private savedAtMs = Date.now();

  private constructor(
    readonly ledger: Ledger,
    private readonly verifier: Verifier,
    private readonly file: string,
    private readonly progress: Progress,
  ) {}

  /** Statements of reserves are recomputed from the first block on, so a run that checks them begins again. */
  static async begin(verifier: Verifier, run: Run): Promise<Reading> {
    const { settings } = verifier;
    const file = locateState(run.flags, run.env, settings);
    const isFresh = run.flags.fresh === true || run.flags.reserves !== undefined;
    return new Reading(
      isFresh ? Ledger.begin(settings) : await loadState(file, settings),
      verifier,
      file,
      run.progress,
    );
  }

  /** Reads up to these blocks, and saves the state every few seconds and at the end. */
  async read(at: FinalHeaders): Promise<void> {
    const { ledger, verifier, progress } = this;
    for (const side of SIDES) {
      const [read, final] = [ledger.cursors[side]?.number ?? 0n, at[side].number];
      if (read > final)
        throw new NoQuorumError(side, 'a final block', [`block ${read} was final before, and now ${final} is`], false);
    }
    try {
      await readLedger(ledger, verifier, at, {
        payerBlocks: PAYER_BLOCKS,
        onProgress: ({ side, block, toBlock, logs }) => {
          progress.show(`${CHAIN_NAMES[side]}: block ${block} of ${toBlock}, ${logs} events read`);
          if (Date.now() - this.savedAtMs >= SAVE_EVERY_MS) this.save();
        },
      });
    } catch (error) {
      if (error instanceof NotDeployedError)
        throw new UsageError(
          'address-book',
          `is of another bridge: ${error.message}`,
          'Check address and deployedAtBlock.',
        );
      if (!(error instanceof ReplacedError)) throw error;
      throw new UsageError('state', `cannot be continued: ${error.message}`, 'Begin again with --fresh.');
    } finally {
      progress.clear();
    }
    this.save();
    await this.saved;
  }

  /** The state is copied now, and written after the write before. */
  private save(): void {
    this.savedAtMs = Date.now();
    const state = this.ledger.toState();
    this.saved = this.saved.then(async () => saveState(this.file, state));
    this.saved.catch(() => undefined);
  }
}
