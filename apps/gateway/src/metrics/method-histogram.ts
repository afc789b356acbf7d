import { Histogram, type HistogramConfiguration } from 'prom-client';

/** What was observed of one method. */
interface Observed {
  /** How many values fell under each bound and above the one before it; the last place is for those above all bounds. */
  readonly buckets: number[];
  sum: number;
  count: number;
}

/**
 * A histogram with the label `method`, to which an observation is a few additions.
 *
 * prom-client's own checks and hashes its labels on each, which every call of a batch would pay for. This one keeps plain numbers and labels them when
 * it is asked.
 */
export class MethodHistogram extends Histogram<'method'> {
  readonly #methods = new Map<string, Observed>();
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];

  constructor(configuration: HistogramConfiguration<'method'> & { readonly buckets: number[] }) {
    super({ ...configuration, labelNames: ['method'] });
    this.#name = configuration.name;
    this.#help = configuration.help;
    this.#bounds = configuration.buckets;
  }

  /** Instead of `observe`. */
  record(method: string, value: number): void {
    let observed = this.#methods.get(method);
    if (observed === undefined) {
      observed = { buckets: Array.from({ length: this.#bounds.length + 1 }, () => 0), sum: 0, count: 0 };
      this.#methods.set(method, observed);
    }
    let bucket = 0;
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket++;
    observed.buckets[bucket] = (observed.buckets[bucket] ?? 0) + 1;
    observed.sum += value;
    observed.count++;
  }

  /** What the registry asks a histogram for. It is not among the types of prom-client; the test shows that the registry writes the same text. */
  getForPromString() {
    const values = [...this.#methods].flatMap(([method, observed]) => this.#valuesOf(method, observed));
    return Promise.resolve({ name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum', values });
  }

  #valuesOf(method: string, { buckets, sum, count }: Observed) {
    const sharedLabels = { method };
    let below = 0;
    const bucketValues = [...this.#bounds, '+Inf'].map((le, index) => {
      below += buckets[index] ?? 0;
      return { metricName: `${this.#name}_bucket`, labels: { le }, sharedLabels, value: below };
    });
    return [
      ...bucketValues,
      { metricName: `${this.#name}_sum`, labels: {}, sharedLabels, value: sum },
      { metricName: `${this.#name}_count`, labels: {}, sharedLabels, value: count },
    ];
  }
}
