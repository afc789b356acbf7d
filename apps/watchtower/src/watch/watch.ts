import { setTimeout as sleep } from 'node:timers/promises';
import {
  Ledger,
  lookUp,
  readLedger,
  ReplacedError,
  type Finding,
  type FoundTransfers,
  type Heads,
  type Side,
  type Verifier,
} from '@causeway/verifier';
import { judge, SIDES, type Verdict } from './judgement.js';
import { showsBothPauses, type ReadTime } from './pauses.js';
import { SupplyCheck, type KeptShortage } from './supply-check.js';

type Header = Heads[Side];

/** The parts that a watch uses. It keeps no time and sends nothing itself. */
export interface WatchParts {
  /**
   * Sends the transaction that pauses a chain's contract, or raises its fees. Called each turn until the contract shows
   * both pauses.
   */
  readonly pause: (side: Side, head: Header) => Promise<void>;
  /** As for `judge`. */
  readonly lagSeconds: Readonly<Record<Side, bigint>>;
  /**
   * How many milliseconds a turn waits for the transfers of refunds and intents. A thief can make their search take
   * minutes. Default: 1,000.
   */
  readonly lookUpMs?: number;
  /** Called while a long turn reads the history. */
  readonly onProgress?: () => void;
}

/** The judgement of both chains up to their newest blocks. */
export interface Judgement extends Verdict {
  readonly heads: Heads;
  /** The last blocks that were judged as final; null before any is. */
  readonly finals: Readonly<Ledger['cursors']>;
  /** Released intents that the searched blocks do not decide. */
  readonly undecidedIntents: number;
  /** Where the contract shows both pauses at the head. */
  readonly shown: Readonly<Record<Side, boolean>>;
}

/** The result of a turn. */
export interface TurnReport {
  /** Why something was not judged; null when everything was. A `ReplacedError`: the ledger begins again. */
  readonly obstacle: Error | null;
  /** The newest judgement, of this turn or an earlier one. */
  readonly judgement: Judgement | null;
  /** Why a pause was not sent. */
  readonly pauseProblems: readonly Error[];
}

/** The state from which a later process resumes, as JSON. */
export interface WatchState {
  readonly ledger: unknown;
  readonly short: readonly KeptShortage[];
}

/**
 * In how many blocks before its sweep the transfer of a released intent is searched. A sweep usually follows within
 * twenty, but a thief can sweep later; a much longer search would delay every judgement.
 */
const PAYER_BLOCKS = 2_000n;
/** Found transfers to keep, so that each turn searches only new ones. */
const MAX_TRANSFERS = 10_000;

/** Judges both chains turn by turn, and pauses the bridge for a theft. Blindness or lag never pauses. */
export class Watch {
  private ledger: Ledger;
  private readonly supply: SupplyCheck;
  private judgement: Judgement | null = null;
  private readonly transfers: FoundTransfers = new Map();
  /** The search that runs. */
  private search: Promise<unknown> | null = null;
  /** Why the last search failed; null if it did not. */
  private searchProblem: Error | null = null;

  /** @throws BadStateError for a state of another bridge or version, or an altered one. */
  constructor(
    private readonly verifier: Verifier,
    private readonly parts: WatchParts,
    state: WatchState | null = null,
  ) {
    const { settings } = verifier;
    this.ledger = state === null ? Ledger.begin(settings) : Ledger.resume(settings, state.ledger);
    this.supply = new SupplyCheck(verifier, state?.short);
  }

  toState(): WatchState {
    return { ledger: this.ledger.toState(), short: this.supply.toState() };
  }

  /** Judges the newest blocks, and continues the pauses that are wanted, also by an earlier judgement. */
  async turn(): Promise<TurnReport> {
    let obstacle: Error | null = null;
    try {
      obstacle = await this.judge();
    } catch (error) {
      obstacle = error as Error;
      if (error instanceof ReplacedError) this.ledger = Ledger.begin(this.verifier.settings);
    }
    const wanted = SIDES.filter((side) => this.judgement?.wanted[side] === true);
    const pauses = await Promise.allSettled(wanted.map(async (side) => this.pause(side)));
    const pauseProblems = pauses.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    return { obstacle, judgement: this.judgement, pauseProblems };
  }

  private async pause(side: Side): Promise<void> {
    const head = await this.readHead(side);
    if (!(await showsBothPauses(this.verifier, side, head))) await this.parts.pause(side, head);
  }

  /**
   * @returns why the supply, a refund or an intent was not judged, or null.
   * @throws an error when nothing was judged.
   */
  private async judge(): Promise<Error | null> {
    // A delivery's chain is read before its origin's, so that the origin is known: mints are judged up to the first
    // partner block, releases up to the Ethereum block.
    const first = await this.readHead('partner');
    const ethereum = await this.readHead('ethereum');
    const second = await this.readHead('partner');
    const heads = { ethereum, partner: second.number < first.number ? first : second };
    if (this.isJudged(heads)) return null;
    const finals = await this.readFinals();
    let problem: Error | null = null;
    const readTime = createTimes(this.verifier);
    await this.supply.check(this.ledger, finals, readTime).catch((error: unknown) => (problem = error as Error));
    const fork = this.ledger.fork();
    await this.read(fork, heads);
    problem = (await this.answer(fork, heads)) ?? problem;
    const { findings, trust, unexplained } = fork;
    const open = new Set(fork.takeQuestions().map(({ id }) => id));
    const isOpen = ({ id }: Finding) => id !== null && open.has(id);
    const evidence = {
      ledger: { findings, trust, unexplained: unexplained.filter((one) => !isOpen(one)) },
      heads,
      until: { ethereum, partner: first },
      shortages: this.supply.shortages,
      readTime,
    };
    const verdict = await judge(evidence, this.parts.lagSeconds);
    this.judgement = {
      ...verdict,
      waiting: [...verdict.waiting, ...unexplained.filter(isOpen)],
      undecidedIntents: fork.undecidedIntents,
      heads,
      finals: { ...this.ledger.cursors },
      shown: {
        ethereum: await showsBothPauses(this.verifier, 'ethereum', heads.ethereum),
        partner: await showsBothPauses(this.verifier, 'partner', heads.partner),
      },
    };
    return problem;
  }

  private isJudged(heads: Heads): boolean {
    const last = this.judgement;
    return last?.waiting.length === 0 && SIDES.every((side) => last.heads[side].hash === heads[side].hash);
  }

  /** Extends the ledger to the newest final blocks. It never goes back. */
  private async readFinals(): Promise<Heads> {
    const { finality, readers } = this.verifier;
    const read = async (side: Side): Promise<Header> => {
      const final = await finality.finalBlock(side);
      const before = this.ledger.cursors[side]?.number ?? 0n;
      return readers[side].headerAt(final > before ? final : before);
    };
    const finals = { ethereum: await read('ethereum'), partner: await read('partner') };
    await this.read(this.ledger, finals);
    return finals;
  }

  /** After the first turn, searches that take long run beside the turns. */
  private async read(ledger: Ledger, to: Heads): Promise<void> {
    const { transfers, parts } = this;
    const onProgress = () => parts.onProgress?.();
    const isQuick = this.judgement !== null;
    await readLedger(ledger, this.verifier, to, { transfers, payerBlocks: PAYER_BLOCKS, onProgress, isQuick });
  }

  /** Answers the questions whose transfers are found soon; later turns answer the others. @returns the problem. */
  private async answer(ledger: Ledger, to: Heads): Promise<Error | null> {
    const { transfers, verifier } = this;
    const questions = ledger.takeQuestions();
    if (questions.length === 0) return null;
    if (this.search === null && transfers.size > MAX_TRANSFERS) transfers.clear();
    const { wallets } = ledger.keys('partner');
    this.search ??= lookUp(questions, verifier, to, { wallets, payerBlocks: PAYER_BLOCKS, transfers })
      .then(() => (this.searchProblem = null))
      .catch((error: unknown) => (this.searchProblem = error as Error))
      .finally(() => (this.search = null));
    await Promise.race([this.search, sleep(this.parts.lookUpMs ?? 1_000, null, { ref: false })]);
    await this.read(ledger, to);
    return this.searchProblem;
  }

  private async readHead(side: Side): Promise<Header> {
    const reader = this.verifier.readers[side];
    return reader.headerAt(await reader.head());
  }
}

/** The times of blocks, each read once. */
function createTimes({ readers }: Verifier): ReadTime {
  const times = new Map<string, Promise<bigint>>();
  return async (side, block) => {
    const key = `${side} ${block}`;
    const time = times.get(key) ?? readers[side].headerAt(block).then(({ timestamp }) => timestamp);
    times.set(key, time);
    return time;
  };
}
