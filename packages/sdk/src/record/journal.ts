import { RecordError } from '../errors.js';
import type { Step, TransferRecord } from './record.js';
import { sealRecord } from './record-form.js';
import type { RecordStore } from './store.js';

/** The record of a transfer under way. Each change is kept before the transfer goes on. */
export class Journal {
  constructor(
    private current: TransferRecord,
    private readonly store: RecordStore | undefined,
  ) {}

  get record(): TransferRecord {
    return this.current;
  }

  /** The step at an index, of a kind. */
  step<Name extends Step['step']>(index: number, name: Name): Extract<Step, { step: Name }> {
    const step = this.current.steps[index];
    if (step?.step !== name) throw new RecordError(`steps.${index}`, `is not a ${name}`);
    return step as Extract<Step, { step: Name }>;
  }

  /**
   * Changes a step and keeps the record.
   *
   * @throws RecordError when the store has a change of another program, which runs the same transfer.
   */
  async write<Name extends Step['step']>(
    index: number,
    step: Extract<Step, { step: Name }>,
  ): Promise<Extract<Step, { step: Name }>> {
    const { id, revision } = this.current;
    const kept = await this.store?.load?.(id);
    if (kept !== undefined && kept !== null && kept.revision > revision)
      throw new RecordError('revision', `is ${revision}, and another program has written ${kept.revision}`);
    const steps = this.current.steps.map((old, at) => (at === index ? step : old));
    await this.keep(sealRecord({ ...this.current, revision: revision + 1, steps }));
    return step;
  }

  /** Keeps the record as it is. */
  async keep(record: TransferRecord = this.current): Promise<void> {
    try {
      await this.store?.save(record);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new RecordError('store', `does not keep it (${reason})`, 'Mend the store, then resume.');
    }
    this.current = record;
  }
}
