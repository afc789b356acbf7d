import type { Side } from '@causeway/verifier';
import { Counter, Gauge, Registry } from 'prom-client';

/** The metrics of a watchtower. */
export class WatchtowerMetrics {
  readonly registry = new Registry();
  /** Set after each turn that judged both chains. */
  readonly judgedAt = this.gauge('judged_at_seconds', 'Unix time of the last judgement of both chains');
  readonly block = this.gauge('block', 'Newest judged block, by kind: head or final', ['chain', 'kind']);
  readonly blockTime = this.gauge('block_time_seconds', 'Unix time of the newest judged block', ['chain']);
  readonly findings = this.gauge('findings', 'Contradictions between the chains, by code', ['code']);
  readonly waiting = this.gauge('waiting_deliveries', 'Payments whose origin is not known yet');
  readonly undecidedIntents = this.gauge(
    'undecided_intents',
    'Released intents of which the searched blocks do not say who paid them or whether they were signed',
  );
  readonly shortSupply = this.gauge('supply_short', '1 while the collateral covers less than the supply', ['asset']);
  readonly pauseWanted = this.gauge('pause_wanted', '1 while a finding pauses the contract, otherwise 0', ['chain']);
  readonly paused = this.gauge('paused', '1 while the contract shows both pauses, otherwise 0', ['chain']);
  readonly rehearsal = this.gauge('rehearsal_ok', '1 when the last simulated pause worked, otherwise 0', [
    'chain',
    'node',
  ]);
  readonly affordablePauses = this.gauge(
    'affordable_pauses',
    "How many pauses at MAX_FEE_GWEI the pauser's coin pays for",
    ['chain'],
  );
  readonly pausesSent = this.counter('pause_transactions_total', 'Transactions sent to pause a contract', ['chain']);
  readonly replacedBlocks = this.counter('replaced_final_blocks_total', 'Times that a final block was replaced');
  readonly dissents = this.counter(
    'node_dissents_total',
    'Answers that did not count, by kind: DIFFERS, AWAY or PRUNED',
    ['chain', 'node', 'kind'],
  );

  constructor() {
    for (const chain of ['ethereum', 'partner'] satisfies Side[]) {
      this.pauseWanted.set({ chain }, 0);
      this.paused.set({ chain }, 0);
    }
    this.judgedAt.set(0);
  }

  private gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `causeway_watchtower_${name}`, help, labelNames, registers: [this.registry] });
  }

  private counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `causeway_watchtower_${name}`, help, labelNames, registers: [this.registry] });
  }
}
