import { ReplacedError, type Dissent, type Finding, type Side } from '@causeway/verifier';
import type { Logger } from 'pino';
import { SIDES } from './watch/judgement.js';
import type { Judgement, TurnReport } from './watch/watch.js';
import type { ObservedWatch } from './watchtower-health.js';
import type { WatchtowerMetrics } from './watchtower-metrics.js';

/** Turns reports into metrics, health and log lines. Each finding and each dissent is logged once. */
export class TurnLog implements ObservedWatch {
  turnedAtMs: number;
  judgedAtMs = 0;
  obstacle: string | null = null;
  private readonly known = new Set<string>();

  constructor(
    private readonly metrics: WatchtowerMetrics,
    private readonly logger: Logger,
    private readonly now: () => number,
  ) {
    this.turnedAtMs = now();
  }

  /** A long turn goes on. */
  progress(): void {
    this.turnedAtMs = this.now();
  }

  turned({ obstacle, judgement, pauseProblems }: TurnReport): void {
    this.turnedAtMs = this.now();
    this.noteObstacle(obstacle);
    for (const problem of pauseProblems) this.logger.error({ err: problem }, 'the pause was not sent');
    if (judgement === null) return;
    if (obstacle === null) {
      this.judgedAtMs = this.turnedAtMs;
      this.metrics.judgedAt.set(this.judgedAtMs / 1_000);
    }
    this.measure(judgement);
    for (const finding of judgement.findings) this.noteFinding(finding, judgement);
  }

  dissent(chain: Side, node: string, kind: Dissent, question: string): void {
    this.metrics.dissents.inc({ chain, node, kind });
    if (kind === 'DIFFERS' && this.isNew(`${chain} ${node}`))
      this.logger.error({ chain, node, question }, 'a node contradicts the others');
  }

  private noteObstacle(obstacle: Error | null): void {
    const message = obstacle?.message ?? null;
    if (obstacle instanceof ReplacedError) {
      this.metrics.replacedBlocks.inc();
      this.logger.error({ err: obstacle }, 'a final block was replaced: the chains are read again');
    } else if (message !== this.obstacle && obstacle !== null)
      this.logger.warn({ err: obstacle }, 'the chains cannot be judged');
    else if (message === null && this.obstacle !== null) this.logger.info('the chains are judged again');
    this.obstacle = message;
  }

  private measure({ heads, finals, findings, waiting, wanted, shown, undecidedIntents }: Judgement): void {
    const { metrics } = this;
    for (const chain of SIDES) {
      metrics.block.set({ chain, kind: 'head' }, Number(heads[chain].number));
      metrics.block.set({ chain, kind: 'final' }, Number(finals[chain]?.number ?? 0n));
      metrics.blockTime.set({ chain }, Number(heads[chain].timestamp));
      metrics.pauseWanted.set({ chain }, wanted[chain] ? 1 : 0);
      metrics.paused.set({ chain }, shown[chain] ? 1 : 0);
    }
    metrics.findings.reset();
    for (const { code } of findings) metrics.findings.inc({ code });
    metrics.shortSupply.reset();
    for (const { code, asset } of findings) if (code === 'SHORT') metrics.shortSupply.set({ asset: asset ?? '' }, 1);
    metrics.waiting.set(waiting.length);
    metrics.undecidedIntents.set(undecidedIntents);
  }

  private noteFinding(finding: Finding, { thefts, wanted }: Judgement): void {
    const { code, side, asset, id, transactionHash, why } = finding;
    if (!this.isNew([code, side, asset, id, transactionHash].join(' '))) return;
    const fields = { code, chain: side, asset, id, txHash: transactionHash };
    if (!thefts.includes(finding)) this.logger.error(fields, why);
    else if (wanted.ethereum || wanted.partner) this.logger.fatal(fields, `${why} The bridge is paused.`);
    else this.logger.warn(fields, `${why} The admin lifted the pause since.`);
  }

  private isNew(key: string): boolean {
    const isNew = !this.known.has(key);
    this.known.add(key);
    return isNew;
  }
}
