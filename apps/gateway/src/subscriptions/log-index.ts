import type { ChainLog } from './chain-log.js';
import type { Subscription } from './subscription.js';

/** Finds the subscriptions that may want a log without looking at all of them: each stands under the alternatives of its first condition. */
export class LogIndex {
  readonly #byTerm = new Map<string, Set<Subscription>>();
  /** Those without conditions. */
  readonly #unconditional = new Set<Subscription>();

  add(subscription: Subscription): void {
    for (const term of termsOf(subscription)) {
      const known = this.#byTerm.get(term);
      if (known === undefined) this.#byTerm.set(term, new Set([subscription]));
      else known.add(subscription);
    }
    if (termsOf(subscription).length === 0) this.#unconditional.add(subscription);
  }

  delete(subscription: Subscription): void {
    this.#unconditional.delete(subscription);
    for (const term of termsOf(subscription)) {
      const known = this.#byTerm.get(term);
      known?.delete(subscription);
      if (known?.size === 0) this.#byTerm.delete(term);
    }
  }

  /** Those that want the log. */
  wanting(log: ChainLog): Subscription[] {
    const terms = [`address ${log.address}`, ...log.topics.map((topic, at) => `${at} ${topic}`)];
    const candidates = [this.#unconditional, ...terms.map((term) => this.#byTerm.get(term) ?? [])];
    return candidates.flatMap((set) => [...set].filter(({ matcher }) => matcher?.matches(log) === true));
  }
}

function termsOf({ matcher }: Subscription): readonly string[] {
  return matcher?.firstTerms ?? [];
}
