import { zeroAddress, type Address, type Hex } from 'viem';
import { EventHistory, type HistoryOptions } from './event-history.js';
import type { PlacedLog, QuorumReader } from './quorum-reader.js';
import { decodeBeginning, decodePaid, decodeRelayer, type PaidEvent } from '../blocks/events.js';

/** A delivery or a refund, with its block. */
export interface PlacedPaid extends PaidEvent {
  readonly blockNumber: bigint;
}

/** A sum after a block. */
interface Sum {
  readonly blockNumber: bigint;
  readonly total: bigint;
}

/** An event whose amounts are summed. */
type SummedEvent = 'Deposit' | 'Mint' | 'Withdraw' | 'Release';

/** A relayer wallet, from a block on. */
interface Wallet {
  readonly blockNumber: bigint;
  readonly address: Address;
}

/**
 * All deliveries and refunds of one contract, and the events that explain them. Judgements share it, so that events are
 * read only once.
 */
export class DeliveryHistory {
  private readonly events: EventHistory;
  private readonly paid = new Map<Hex, PlacedPaid[]>();
  /** By event and token. */
  private readonly sums = new Map<string, Sum[]>();
  /** The blocks of the numbered withdrawals of native XCN, by id. */
  private readonly coinWithdrawals = new Map<Hex, bigint>();
  private readonly wallets: Wallet[] = [];

  constructor(reader: QuorumReader, options: HistoryOptions) {
    this.events = new EventHistory(reader, options, {
      add: (log) => this.add(log),
      clear: () => this.clear(),
    });
  }

  /**
   * The history up to a final block.
   *
   * @throws NoQuorumError
   */
  async at(block: bigint): Promise<HistoryView> {
    await this.events.readUntil(block);
    const isUntil = ({ blockNumber }: { readonly blockNumber: bigint }) => blockNumber <= block;
    return {
      findPaid: (id) => this.paid.get(id)?.filter(isUntil) ?? [],
      sum: (name, token) => this.sums.get(`${name} ${token}`)?.findLast(isUntil)?.total ?? 0n,
      sumPaid: (token, isCounted) =>
        [...this.paid.values()]
          .flat()
          .filter((paid) => paid.token === token && paid.name !== 'Refunded' && isUntil(paid) && isCounted(paid.id))
          .reduce((sum, { amount, fee }) => sum + amount + fee, 0n),
      hasWithdrawn: (id) => (this.coinWithdrawals.get(id) ?? block + 1n) <= block,
      wallets: this.wallets.filter(isUntil).map(({ address }) => address),
    };
  }

  private add(log: PlacedLog): void {
    const { blockNumber } = log;
    const paid = decodePaid(log);
    if (paid !== null) this.addPaid({ ...paid, blockNumber });
    const begun = decodeBeginning(log);
    if (begun !== null) {
      const { name, id, token, amount } = begun;
      this.addSum(name, token, blockNumber, amount);
      if (name === 'Withdraw' && token === zeroAddress) this.coinWithdrawals.set(id, blockNumber);
    }
    const address = decodeRelayer(log);
    if (address !== null) this.wallets.push({ blockNumber, address });
  }

  private addPaid(event: PlacedPaid): void {
    const { name, id, token, blockNumber, amount, fee } = event;
    this.paid.set(id, [...(this.paid.get(id) ?? []), event]);
    if (name !== 'Refunded') this.addSum(name, token, blockNumber, amount + fee);
  }

  /** Keeps one sum for each block. */
  private addSum(name: string, token: Address, blockNumber: bigint, amount: bigint): void {
    const key = `${name} ${token}`;
    const sums = this.sums.get(key) ?? [];
    if (sums.length === 0) this.sums.set(key, sums);
    const last = sums.at(-1);
    if (last?.blockNumber === blockNumber) sums.pop();
    sums.push({ blockNumber, total: (last?.total ?? 0n) + amount });
  }

  private clear(): void {
    for (const map of [this.paid, this.sums, this.coinWithdrawals]) map.clear();
    this.wallets.length = 0;
  }
}

/** The history of a contract up to a block. */
export interface HistoryView {
  /** The deliveries or refunds of an id, in order. A reopened number can have several. */
  readonly findPaid: (id: Hex) => readonly PlacedPaid[];
  /** The sum of an event's amounts with their fees, of a token on the contract's chain. */
  readonly sum: (name: SummedEvent, token: Address) => bigint;
  /** The sum of the deliveries of a token with these ids, with their fees. */
  readonly sumPaid: (token: Address, isCounted: (id: Hex) => boolean) => bigint;
  /** Whether the id is of a numbered withdrawal of native XCN. */
  readonly hasWithdrawn: (id: Hex) => boolean;
  /** The relayer wallets in order, the current one last. A wallet can appear again. */
  readonly wallets: readonly Address[];
}
