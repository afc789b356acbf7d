/** How many calls of a message may run now, and what the others are told. */
export interface Admission {
  /** 0 … the number asked for. The first so many calls of the message run. */
  readonly admitted: number;
  /** Follows "Rate limit exceeded: " in the answers (-32005) of the calls that do not run. */
  readonly refusal: string;
}

/**
 * Asked once a message, before any of its calls runs. What is not a valid call counts too, so that broken messages are not free.
 * It must not reject.
 *
 * @param calls 1 for a single message, its length for a batch.
 */
export type Admit = (calls: number) => Admission | Promise<Admission>;
