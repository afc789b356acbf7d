import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AttestRecord } from './record/attest-record.js';

/** The metrics of an attester. */
export class AttesterMetrics {
  readonly registry = new Registry();
  private readonly judgements = new Counter({
    name: 'causeway_attester_judgements_total',
    help: 'Judgements of deliveries and refunds, by verdict',
    labelNames: ['verdict'],
    registers: [this.registry],
  });
  private readonly judgementSeconds = new Histogram({
    name: 'causeway_attester_judgement_seconds',
    help: 'How long a judgement took',
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [this.registry],
  });
  private readonly signatures = new Counter({
    name: 'causeway_attester_signatures_total',
    help: 'Signatures for calls of the contracts',
    labelNames: ['call'],
    registers: [this.registry],
  });
  private readonly payments = new Counter({
    name: 'causeway_attester_signed_payments_total',
    help: 'Deliveries and refunds within these calls',
    registers: [this.registry],
  });
  private readonly refusedBatches = new Counter({
    name: 'causeway_attester_refused_calls_total',
    help: 'Calls refused permanently: a relayer asked for a payment that the chains do not owe, or sent a malformed batch',
    registers: [this.registry],
  });
  private readonly connections = new Gauge({
    name: 'causeway_attester_exchange_connected',
    help: '1 while the exchange of a relayer answers, otherwise 0',
    labelNames: ['exchange'],
    registers: [this.registry],
  });
  private readonly processes = new Gauge({
    name: 'causeway_attester_instances',
    help: 'Processes with the key of this attester that an exchange sees: more than 1 is a fault',
    labelNames: ['exchange'],
    registers: [this.registry],
  });

  judged(verdict: string, durationMs: number): void {
    this.judgements.inc({ verdict });
    this.judgementSeconds.observe(durationMs / 1_000);
  }

  signed(call: string, payments: number): void {
    this.signatures.inc({ call });
    this.payments.inc(payments);
  }

  refusedBatch(): void {
    this.refusedBatches.inc();
  }

  connected(exchange: string, isConnected: boolean): void {
    this.connections.set({ exchange }, isConnected ? 1 : 0);
  }

  instances(exchange: string, count: number): void {
    this.processes.set({ exchange }, count);
  }

  watchRecord(record: Pick<AttestRecord, 'size' | 'isUsable'>): void {
    const size: Gauge = new Gauge({
      name: 'causeway_attester_record_entries',
      help: 'Entries of the record',
      registers: [this.registry],
      collect: () => size.set(record.size),
    });
    const usable: Gauge = new Gauge({
      name: 'causeway_attester_record_usable',
      help: '1 while signatures can be recorded, otherwise 0; at 0 the attester signs nothing',
      registers: [this.registry],
      collect: () => usable.set(record.isUsable ? 1 : 0),
    });
  }
}
