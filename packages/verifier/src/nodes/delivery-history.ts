import type { Address, Hex } from 'viem';
import { EventHistory, type HistoryOptions } from './event-history.js';
import type { PlacedLog, QuorumReader } from './quorum-reader.js';
import { decodePaid, decodeRelayer, type PaidEvent } from '../blocks/events.js';

/** A delivery or a refund, with its block. */
export interface PlacedPaid extends PaidEvent {
  readonly blockNumber: bigint;
}

/** A sum after a block. */
interface Sum {
  readonly blockNumber: bigint;
  readonly total: bigint;
}

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
  private readonly paidCoin: Sum[] = [];
  private readonly wallets: Wallet[] = [];

  /** @param coin the address of XCN on the contract's chain: zero for native XCN, or its token. */
  constructor(
    reader: QuorumReader,
    options: HistoryOptions,
    private readonly coin: Address | null,
  ) {
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
      paidCoin: this.paidCoin.findLast(isUntil)?.total ?? 0n,
      wallets: this.wallets.filter(isUntil).map(({ address }) => address),
    };
  }

  private add(log: PlacedLog): void {
    const { blockNumber } = log;
    const paid = decodePaid(log);
    if (paid !== null) this.addPaid({ ...paid, blockNumber });
    const address = decodeRelayer(log);
    if (address !== null) this.wallets.push({ blockNumber, address });
  }

  private addPaid(event: PlacedPaid): void {
    const { name, id, token, blockNumber, amount, fee } = event;
    this.paid.set(id, [...(this.paid.get(id) ?? []), event]);
    if (name === 'Refunded' || token !== this.coin) return;
    this.paidCoin.push({ blockNumber, total: (this.paidCoin.at(-1)?.total ?? 0n) + amount + fee });
  }

  private clear(): void {
    this.paid.clear();
    for (const list of [this.paidCoin, this.wallets]) list.length = 0;
  }
}

/** The history of a contract up to a block. */
export interface HistoryView {
  /** The deliveries or refunds of an id, in order. A reopened number can have several. */
  readonly findPaid: (id: Hex) => readonly PlacedPaid[];
  /** The sum of all deliveries of native XCN with their fees. */
  readonly paidCoin: bigint;
  /** The relayer wallets in order, the current one last. A wallet can appear again. */
  readonly wallets: readonly Address[];
}
