/** The actions of one sender, tick by tick. Each tick ends with a block. */
export interface Script {
  readonly seed: number;
  readonly ticks: readonly (readonly Action[])[];
  readonly reorgs: readonly { readonly tick: number; readonly depth: number }[];
  /** The transactions that a reorg removes permanently. */
  readonly dropped: ReadonlySet<number>;
}

/** An action of the sender or a stranger. Each script numbers its own intents and transactions. */
export type Action = { readonly byStranger: boolean } & (
  | {
      readonly kind: 'register';
      readonly intent: number;
      readonly amount: bigint;
      readonly recipient: 0 | 1;
      readonly untilTick: number;
    }
  | {
      readonly kind: 'send';
      readonly transaction: number;
      readonly amount: bigint;
      /** The intent that the data names. If it does not exist, the data names nothing. */
      readonly names: number | null;
      /** Another transfer in the same transaction. */
      readonly bundledWith: number | null;
      readonly callIndex: number;
    }
  | { readonly kind: 'bind'; readonly intent: number; readonly transaction: number }
  /** Runs the stages in between, as they can run at any time. */
  | { readonly kind: 'settle' }
);

const UNIT = 10n ** 18n;
/** Two amounts of intents, and one that no intent has. */
const AMOUNTS = [6_000n * UNIT, 7_000n * UNIT, 6_500n * UNIT] as const;
const TICKS = 10;

/**
 * Plans a script; the same seed gives the same script. All intents of a script close at the same tick: a stranger's
 * bind chooses which of several equal intents is paid first, and could otherwise choose which one expires.
 */
export function planScript(seed: number): Script {
  const random = generator(seed);
  const upTo = (most: number) => Math.floor(random() * most);
  const chance = (percent: number) => random() * 100 < percent;
  const pick = <T>(some: readonly T[]): T => some[upTo(some.length)]!;
  const untilTick = 4 + upTo(6);
  let [intents, transactions] = [0, 0];
  let lastOwn: number | null = null;
  const ticks = Array.from({ length: TICKS }, (_, tick) => {
    const actions: Action[] = [];
    for (let count = upTo(4); count > 0; count--) {
      const byStranger = chance(30);
      const dice = upTo(100);
      if (dice >= 97) actions.push({ kind: 'settle', byStranger: false });
      else if (dice < 35 && !byStranger && tick < untilTick) {
        const recipient = chance(80) ? 0 : 1;
        actions.push({
          kind: 'register',
          byStranger,
          intent: intents++,
          amount: pick(AMOUNTS.slice(0, 2)),
          recipient,
          untilTick,
        });
      } else if (dice < 75) {
        const bundledWith = !byStranger && chance(15) ? lastOwn : null;
        if (!byStranger && bundledWith === null) lastOwn = transactions;
        const names = chance(40) ? upTo(intents + 1) : null;
        // Unique within a script, also in a bundle.
        const callIndex: number = bundledWith === null && chance(70) ? 0 : transactions + 1;
        actions.push({
          kind: 'send',
          byStranger,
          transaction: transactions++,
          amount: pick(AMOUNTS),
          names,
          bundledWith,
          callIndex,
        });
      } else {
        actions.push({ kind: 'bind', byStranger, intent: upTo(intents + 1), transaction: upTo(transactions + 2) });
      }
    }
    return actions;
  });
  const reorgs = Array.from({ length: 2 }, () => ({ tick: 3 + upTo(TICKS - 3), depth: 1 + upTo(2) }));
  const dropped = new Set(Array.from({ length: upTo(3) }, () => upTo(8)));
  return { seed, ticks, reorgs, dropped };
}

/** Mulberry32: numbers from 0 to 1, the same for each seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
