import { setImmediate } from 'node:timers/promises';

/** Logs, or things as small, that are worked on in a row: some milliseconds. */
export const SLICE = 256;

/** The pauses of a long piece of work, in which everything else that waits for this thread has its turn. */
export class Pauses {
  #done = 0;

  /** To be called after a part of the work, with the number of things done; pauses once a slice is full. */
  async after(things: number): Promise<void> {
    this.#done += things;
    if (this.#done < SLICE) return;
    this.#done = 0;
    await setImmediate();
  }
}
