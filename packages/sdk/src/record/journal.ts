import { RecordError } from '../errors.js';
import { describeProgress, type Progress } from './progress.js';
import type { Step, TransferRecord } from './record.js';
import { sealRecord } from './record-form.js';
import type { RecordStore } from './store.js';

/** Where a running transfer is saved and reported. */
interface JournalOptions {
  readonly store?: RecordStore;
  readonly onProgress?: (progress: Progress) => void;
}

/** The record of a running transfer. Each change is saved, then reported, before the transfer continues. */
export class Journal {
  private reported = '';

  constructor(
    private current: TransferRecord,
    private readonly options: JournalOptions,
  ) {}

  get record(): TransferRecord {
    return this.current;
  }

  /** Returns the step at an index and verifies its kind. */
  step<Name extends Step['step']>(index: number, name: Name): Extract<Step, { step: Name }> {
    const step = this.current.steps[index];
    if (step?.step !== name) throw new RecordError(`steps.${index}`, `is not a ${name}`);
    return step as Extract<Step, { step: Name }>;
  }

  /**
   * Changes a step and saves the record.
   *
   * @throws RecordError if the store has a change by another program that runs the same transfer.
   */
  async write<Name extends Step['step']>(
    index: number,
    step: Extract<Step, { step: Name }>,
  ): Promise<Extract<Step, { step: Name }>> {
    const { id, revision } = this.current;
    const kept = await this.options.store?.load?.(id);
    if (kept !== undefined && kept !== null && kept.revision > revision)
      throw new RecordError('revision', `is ${revision}, and another program has written ${kept.revision}`);
    const steps = this.current.steps.map((old, at) => (at === index ? step : old));
    await this.keep(sealRecord({ ...this.current, revision: revision + 1, steps }));
    this.report(index);
    return step;
  }

  /** Reports a change to the caller. `state` is that of a request to the bridge, which the record does not save. */
  report(index: number, state?: Step['state']): void {
    const progress = describeProgress(this.current, index, state);
    const reported = JSON.stringify(progress);
    if (progress === undefined || reported === this.reported) return;
    this.reported = reported;
    this.options.onProgress?.(progress);
  }

  /** Saves the record. */
  async keep(record: TransferRecord = this.current): Promise<void> {
    try {
      await this.options.store?.save(record);
    } catch (cause) {
      // For example, another program holds the lock of the store.
      if (cause instanceof RecordError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new RecordError(
        'store',
        `cannot save it (${reason})`,
        'Free storage on this device, then continue the transfer.',
      );
    }
    this.current = record;
  }
}
