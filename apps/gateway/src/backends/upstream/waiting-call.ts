import type { Asker } from '../asker.js';
import type { WireCall } from './wire-call.js';

/** A call that was not sent yet; more askers can join it. */
export class WaitingCall implements WireCall {
  private others: Asker[] | null = null;

  /** @param since when it was made, by the queue's clock. */
  constructor(
    readonly text: string,
    readonly since: number,
    private readonly first: Asker,
  ) {}

  /** The asker is told the same. */
  join(asker: Asker): void {
    this.others ??= [];
    this.others.push(asker);
  }

  resolve(result: unknown): void {
    this.first.resolve(result);
    for (const asker of this.others ?? []) asker.resolve(result);
  }

  reject(error: unknown): void {
    this.first.reject(error);
    for (const asker of this.others ?? []) asker.reject(error);
  }
}
