import type { Side } from '../nodes/finality.js';

/** The sums of the events of one asset, in atomic units. */
export interface Totals {
  readonly deposited: bigint;
  readonly minted: bigint;
  /** Withdrawals that began on the partner chain, before their fees. */
  readonly withdrawn: bigint;
  /** All releases with their fees, those of intents too. */
  readonly released: bigint;
  /** The part of `released` that paid intents. */
  readonly intents: bigint;
  /** The fees of all releases. */
  readonly fees: bigint;
  readonly collected: bigint;
  readonly retired: bigint;
  readonly refunded: bigint;
  readonly swept: bigint;
  /** By the chain where the contract holds the amount. */
  readonly credited: Readonly<Record<Side, bigint>>;
  readonly claimed: Readonly<Record<Side, bigint>>;
  readonly toppedUp: Readonly<Record<Side, bigint>>;
  readonly handedOver: Readonly<Record<Side, bigint>>;
}

/** The balance sheet of one asset from the events of both chains. */
export interface AssetSums extends Totals {
  /** The collateral on Ethereum without fees and credits. Coin and tokens that were sent without an event are more. */
  readonly locked: bigint;
  /** The part of `locked` that no deposit brought: what was added less what was handed over. */
  readonly surplus: bigint;
  /** On the partner chain: the total supply of the token; for native XCN, its mints less what left again. */
  readonly supply: bigint;
  /** Tokens that withdrawals handed in and that are not retired. */
  readonly held: bigint;
  /** Deposits not minted, and withdrawals not released. */
  readonly inFlight: bigint;
  /** Fees that BridgeLock still holds. */
  readonly feesHeld: bigint;
  /** `inFlight` less the amounts of the operations that are pending: 0 when the sheet closes. */
  readonly difference: bigint;
}

/** The sums of one asset while events are added. */
export class Sums {
  private readonly counted: { -readonly [K in keyof Totals]: Totals[K] };
  /** Of the operations that began and are not delivered. */
  private pending: bigint;

  constructor(
    private readonly isCoin: boolean,
    from: { readonly totals: Totals; readonly pending: bigint } = { totals: ZERO, pending: 0n },
  ) {
    this.counted = { ...from.totals };
    this.pending = from.pending;
  }

  add(name: PlainTotal, amount: bigint): void {
    this.counted[name] += amount;
  }

  addOn(side: Side, name: SideTotal, amount: bigint): void {
    this.counted[name] = { ...this.counted[name], [side]: this.counted[name][side] + amount };
  }

  /** @param amount negative when an operation is delivered. */
  addPending(amount: bigint): void {
    this.pending += amount;
  }

  fork(): Sums {
    return new Sums(this.isCoin, this.toState());
  }

  toState(): { readonly totals: Totals; readonly pending: bigint } {
    return { totals: { ...this.counted }, pending: this.pending };
  }

  toSheet(): AssetSums {
    const { deposited, minted, withdrawn, released, intents, fees, collected, retired } = this.counted;
    const { toppedUp, handedOver } = this.counted;
    const surplus = toppedUp.ethereum - handedOver.ethereum;
    const inFlight = deposited - minted + (withdrawn - (released - intents));
    return {
      ...this.counted,
      locked: deposited - released + surplus,
      surplus,
      supply: this.isCoin ? minted - withdrawn - intents : minted - retired,
      held: this.isCoin ? 0n : withdrawn - retired,
      inFlight,
      feesHeld: fees - collected,
      difference: inFlight - this.pending,
    };
  }
}

type SideTotal = 'credited' | 'claimed' | 'toppedUp' | 'handedOver';
type PlainTotal = Exclude<keyof Totals, SideTotal>;

const NONE = { ethereum: 0n, partner: 0n };
const ZERO: Totals = {
  deposited: 0n,
  minted: 0n,
  withdrawn: 0n,
  released: 0n,
  intents: 0n,
  fees: 0n,
  collected: 0n,
  retired: 0n,
  refunded: 0n,
  swept: 0n,
  credited: NONE,
  claimed: NONE,
  toppedUp: NONE,
  handedOver: NONE,
};
