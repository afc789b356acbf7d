import { setTimeout as sleep } from 'node:timers/promises';
import {
  getOperationId,
  type AttestBatch,
  type AttestVerdict,
  type ExchangeSettings,
  type WorkAnswer,
} from '@causeway/protocol/attest';
import { judgeAcceptance, type Side, type Verdict, type Verifier } from '@causeway/verifier';
import type { Hex } from 'viem';
import type { Logger } from 'pino';
import type { AttesterMetrics } from '../attester-metrics.js';
import type { AttestRecord } from '../record/attest-record.js';
import type { BatchSigner } from '../signing/batch-signer.js';
import { judgeItem } from '../signing/judge-item.js';
import type { ReservesSigner } from '../signing/reserves-signer.js';
import { compareSettings } from './compare-settings.js';
import type { ExchangeClient } from './exchange-client.js';
import { ItemBook, type ShownItem } from './item-book.js';
import { ReservesAnswers } from './reserves-answers.js';
import { planNotYet, planRefused } from './schedule.js';

/** The parts of an attester that a session uses. */
export interface SessionParts {
  readonly verifier: Verifier;
  readonly record: AttestRecord;
  readonly batchSigner: BatchSigner;
  readonly reservesSigner: ReservesSigner;
  readonly metrics: AttesterMetrics;
  /** Compared with the relayer's settings. */
  readonly settings: ExchangeSettings;
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Concurrent judgements per exchange, so that a flood from one does not delay the others. */
const PARALLEL = 8;
const MOST_VERDICTS = 64;
const MOST_BATCHES = 64;
const TICK_MS = 250;
const OBSTACLE_PAUSE_MS = 1_000;
const FIRST_PAUSE_MS = 500;
/** Short, because a new member is asked for its first signature within seconds. */
const LONGEST_PAUSE_MS = 3_000;
/** How long a batch is kept. An exchange asks for a batch for 4 seconds, then makes another one. */
const BATCH_MS = 15_000;

interface PendingBatch {
  readonly batch: AttestBatch;
  readonly sinceMs: number;
  isRunning: boolean;
  /** The next attempt in epoch milliseconds, and the pause after it. */
  atMs: number;
  pauseMs: number;
  signature: Hex | null;
}

/** The session with one exchange: polls for items and batches, judges them, and answers. */
export class ExchangeSession {
  private readonly book = new ItemBook();
  private readonly batches = new Map<Hex, PendingBatch>();
  private readonly reserves: ReservesAnswers;
  private after = 0;
  private judging = 0;
  private isSending = false;
  private problem: string | null = 'it has not been called yet';
  /** The last logged differences to the relayer's settings. */
  private differences = '';
  /** When the last request ended, in epoch milliseconds. */
  lastTurnMs: number;

  constructor(
    readonly client: ExchangeClient,
    private readonly parts: SessionParts,
    private readonly end: AbortSignal,
  ) {
    this.lastTurnMs = parts.now();
    this.reserves = new ReservesAnswers(client, parts.reservesSigner, parts.logger, end);
  }

  /** Why the exchange cannot be reached; null when it can. */
  get obstacle(): string | null {
    return this.problem;
  }

  /** Runs until the shutdown. */
  async run(): Promise<void> {
    await Promise.all([this.ask(), this.tick()]);
  }

  private async ask(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.end.aborted) {
      try {
        const answer = await this.client.work(this.after);
        this.receive(answer);
        this.setProblem(null);
        pauseMs = FIRST_PAUSE_MS;
        // Prevents a busy loop with an exchange that does not hold the long poll.
        if (answer.items.length + answer.gone.length + answer.batches.length === 0) await this.pause(TICK_MS);
      } catch (error) {
        if (this.end.aborted) return;
        this.setProblem((error as Error).message);
        // The exchange may restart meanwhile with a new list, so it must show everything again.
        this.after = 0;
        await this.pause(pauseMs);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
      this.lastTurnMs = this.parts.now();
    }
  }

  private receive({ after, settings, instances, items, gone, batches, reserves }: WorkAnswer): void {
    const { metrics, logger, now } = this.parts;
    this.compare(settings);
    const { name: exchange } = this.client;
    if (this.after === 0) this.book.clear();
    // A lower position means that the exchange restarted.
    this.after = after < this.after ? 0 : after;
    metrics.instances(exchange, instances);
    if (instances > 1)
      logger.error({ exchange, instances }, 'another process uses the key of this attester: stop one of them');
    const leftOut = items.filter(({ item, stage }) => !this.book.show(item, stage, now()));
    if (leftOut.length > 0) logger.error({ exchange, count: leftOut.length }, 'the exchange shows too many items');
    this.book.forget(gone);
    for (const batch of batches) this.receiveBatch(batch);
    if (reserves !== null) this.reserves.receive(reserves);
    void this.work();
  }

  private compare(theirs: ExchangeSettings): void {
    const { logger, settings } = this.parts;
    const differences = compareSettings(settings, theirs).join('; ');
    if (differences !== '' && differences !== this.differences)
      logger.warn({ exchange: this.client.name, differences }, 'the settings of the relayer differ');
    this.differences = differences;
  }

  private receiveBatch(batch: AttestBatch): void {
    const known = this.batches.get(batch.digest);
    if (known?.signature !== null && known !== undefined) void this.sendSignature(known.batch, known.signature);
    if (known !== undefined || !this.makeRoom()) return;
    const sinceMs = this.parts.now();
    const pending = { batch, sinceMs, isRunning: false, atMs: 0, pauseMs: FIRST_PAUSE_MS, signature: null };
    this.batches.set(batch.digest, pending);
  }

  /** Forgets the oldest finished batch when full. The exchange shows a batch again while it lacks a signature. */
  private makeRoom(): boolean {
    if (this.batches.size < MOST_BATCHES) return true;
    const finished = [...this.batches.values()].find(
      ({ isRunning, signature, atMs }) => !isRunning && (signature !== null || atMs === Number.POSITIVE_INFINITY),
    );
    return finished !== undefined && this.batches.delete(finished.batch.digest);
  }

  private async tick(): Promise<void> {
    while (!this.end.aborted) {
      await this.work();
      await this.pause(TICK_MS);
    }
  }

  /** Starts all due judgements and signatures. */
  private async work(): Promise<void> {
    const { now } = this.parts;
    for (const pending of this.batches.values()) {
      if (!pending.isRunning && pending.sinceMs < now() - BATCH_MS) this.batches.delete(pending.batch.digest);
      else if (!pending.isRunning && pending.signature === null && pending.atMs <= now()) void this.sign(pending);
    }
    const finals = await this.readFinals(this.book.awaitedChains(now()));
    for (const shown of this.book.takeDue(PARALLEL - this.judging, now(), finals)) void this.judge(shown);
    void this.sendVerdicts();
  }

  private async readFinals(chains: readonly Side[]): Promise<Readonly<Record<Side, bigint | null>>> {
    const { finality } = this.parts.verifier;
    const read = async (chain: Side) =>
      // Without an answer the items keep waiting.
      chains.includes(chain) ? finality.finalBlock(chain).catch(() => null) : null;
    const [ethereum, partner] = await Promise.all([read('ethereum'), read('partner')]);
    return { ethereum, partner };
  }

  private async judge(shown: ShownItem): Promise<void> {
    const { record, batchSigner, metrics, logger, now } = this.parts;
    const names = { id: shown.item.id, operationId: getOperationId(shown.item) };
    this.judging += 1;
    try {
      const startedAtMs = performance.now();
      const began = { atMs: now(), forgotten: record.forgotten };
      const verdict = await this.findVerdict(shown);
      metrics.judged(verdict.kind, performance.now() - startedAtMs);
      // SIGN would make the exchange wait for this attester's signature.
      const obstacle = verdict.kind === 'SIGN' ? batchSigner.findObstacle() : null;
      if (obstacle !== null)
        this.book.conclude(shown, { kind: 'NOT_YET', why: obstacle }, { atMs: now() + OBSTACLE_PAUSE_MS });
      else if (verdict.kind === 'SIGN') {
        shown.judged = { verdict, ...began };
        this.book.conclude(shown, { kind: 'SIGN' }, null);
      } else if (verdict.kind === 'NOT_YET')
        this.book.conclude(shown, { kind: 'NOT_YET', why: cut(verdict.why) }, planNotYet(verdict.until, now()));
      else {
        logger.warn({ ...names, reason: verdict.reason, why: verdict.why, exchange: this.client.name }, 'refused');
        this.book.conclude(shown, toRefusal(verdict), planRefused(now()));
      }
    } catch (error) {
      logger.error({ err: error, ...names }, 'an item could not be judged');
      this.book.conclude(shown, { kind: 'NOT_YET', why: 'The judgement failed.' }, planRefused(now()));
    } finally {
      this.judging -= 1;
    }
    void this.sendVerdicts();
  }

  private async findVerdict({ item, stage }: ShownItem): Promise<Verdict> {
    const { verifier, record } = this.parts;
    if (item.kind === 'INTENT' && (stage === 'ACCEPTED' || item.origin === null)) {
      const judged = await judgeAcceptance(item, verifier);
      if (judged.kind !== 'ACCEPTED') return judged;
      record.acceptances.keep(item.intent.sender, judged.acceptance);
    }
    if (item.kind === 'INTENT' && item.origin !== null) record.acceptances.markPaid(item.id);
    return judgeItem(item, verifier);
  }

  private async sign(pending: PendingBatch): Promise<void> {
    const { batchSigner, metrics, logger, now } = this.parts;
    const { batch } = pending;
    const { name: exchange } = this.client;
    const items = this.book.find(batch.ids);
    const operationIds = [...items.values()].map(({ item }) => getOperationId(item));
    pending.isRunning = true;
    try {
      const outcome = await batchSigner.sign(batch, items);
      if (outcome.kind === 'SIGNED') {
        pending.signature = outcome.signature;
        metrics.signed(batch.call, batch.ids.length);
        logger.info(
          { exchange, call: batch.call, ids: batch.ids, operationIds, validUntil: batch.validUntil },
          'signed',
        );
        await this.sendSignature(batch, outcome.signature);
        return;
      }
      const { why, verdict } = outcome;
      if (verdict !== undefined) {
        const due = verdict.until === undefined ? planRefused(now()) : planNotYet(verdict.until, now());
        this.book.correct(verdict.id, verdict.verdict, due);
      }
      logger[outcome.kind === 'REFUSED' ? 'warn' : 'debug'](
        { exchange, operationIds, digest: batch.digest, why },
        'not signed',
      );
      if (outcome.kind === 'REFUSED') {
        metrics.refusedBatch();
        pending.atMs = Number.POSITIVE_INFINITY;
      } else postpone(pending, now());
      void this.sendVerdicts();
    } catch (error) {
      logger.warn({ err: error, exchange, digest: batch.digest }, 'a batch could not be judged');
      postpone(pending, now());
    } finally {
      pending.isRunning = false;
    }
  }

  private async sendSignature({ digest }: AttestBatch, signature: Hex): Promise<void> {
    const { logger } = this.parts;
    await this.client.sendSignature(digest, signature).catch((error: unknown) => {
      // The exchange shows a batch again while it lacks a signature.
      if (!this.end.aborted)
        logger.warn({ exchange: this.client.name, err: error }, 'the exchange did not accept a signature');
    });
  }

  private async sendVerdicts(): Promise<void> {
    if (this.isSending || this.problem !== null) return;
    this.isSending = true;
    try {
      for (let unsent = this.book.unsent(MOST_VERDICTS); unsent.length > 0;) {
        const verdicts = unsent.flatMap(({ item, verdict }) => (verdict === null ? [] : [{ id: item.id, verdict }]));
        for (const each of unsent) each.isSent = true;
        try {
          await this.client.sendVerdicts(verdicts);
        } catch (error) {
          for (const each of unsent) each.isSent = false;
          throw error;
        }
        unsent = this.book.unsent(MOST_VERDICTS);
      }
    } catch (error) {
      if (!this.end.aborted)
        this.parts.logger.debug({ exchange: this.client.name, err: error }, 'the exchange did not accept verdicts');
    } finally {
      this.isSending = false;
    }
  }

  private setProblem(problem: string | null): void {
    const { logger, metrics } = this.parts;
    const { name: exchange } = this.client;
    metrics.connected(exchange, problem === null);
    if (problem === this.problem) return;
    if (problem === null) logger.info({ exchange }, 'the exchange answers');
    else logger.warn({ exchange, problem }, 'the exchange does not answer as it must');
    this.problem = problem;
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.end }).catch(() => undefined);
  }
}

function postpone(pending: PendingBatch, nowMs: number): void {
  pending.atMs = nowMs + pending.pauseMs;
  pending.pauseMs *= 2;
}

function toRefusal({ reason, why }: Extract<Verdict, { kind: 'REFUSE' }>): AttestVerdict {
  return { kind: 'REFUSE', reason, why: cut(why) };
}

/** The exchange rejects longer texts. */
function cut(why: string): string {
  return why.slice(0, 500);
}
