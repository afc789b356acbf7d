import type { Address, Hex } from 'viem';
import { EventHistory, type HistoryOptions } from '../nodes/event-history.js';
import type { PlacedLog, QuorumReader } from '../nodes/quorum-reader.js';
import { COIN } from '../settings.js';
import { decodeAdded, decodeBeginning, decodePaid, decodeRelayer, type PaidEvent } from './events.js';

/** A delivery or a refund, and its place. */
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
 * All deliveries and refunds of one contract, and the events that explain them. Every judgement asks it, so nothing is
 * searched for from the beginning.
 */
export class DeliveryHistory {
  private readonly events: EventHistory;
  private readonly paid = new Map<Hex, PlacedPaid[]>();
  private readonly paidCoin: PlacedPaid[] = [];
  private readonly withdrawals = new Map<Hex, bigint>();
  private readonly withdrawn: Sum[] = [];
  private readonly wallets: Wallet[] = [];
  private readonly added: Sum[] = [];

  /** @param coin native XCN, or its token, on the chain of the contract. */
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
      sumCoin: (isCounted = () => true) =>
        this.paidCoin
          .filter((paid) => isUntil(paid) && isCounted(paid.id))
          .reduce((sum, { amount, fee }) => sum + amount + fee, 0n),
      hasWithdrawal: (id) => (this.withdrawals.get(id) ?? block + 1n) <= block,
      withdrawn: this.withdrawn.findLast(isUntil)?.total ?? 0n,
      wallets: this.wallets.filter(isUntil).map(({ address }) => address),
      added: this.added.findLast(isUntil)?.total ?? 0n,
    };
  }

  private add(log: PlacedLog): void {
    const { blockNumber } = log;
    const paid = decodePaid(log);
    if (paid !== null) this.addPaid({ ...paid, blockNumber });
    const beginning = paid === null ? decodeBeginning(log) : null;
    if (beginning !== null) this.withdrawals.set(beginning.id, blockNumber);
    if (beginning?.token === COIN) addTo(this.withdrawn, blockNumber, beginning.amount);
    const address = decodeRelayer(log);
    if (address !== null) this.wallets.push({ blockNumber, address });
    const added = decodeAdded(log);
    // A sweep moves coin from a wallet to the float.
    if (added === null || this.wallets.some((wallet) => wallet.address === added.sender)) return;
    addTo(this.added, blockNumber, added.amount);
  }

  private addPaid(event: PlacedPaid): void {
    const { name, id, token } = event;
    this.paid.set(id, [...(this.paid.get(id) ?? []), event]);
    if (name !== 'Refunded' && token === this.coin) this.paidCoin.push(event);
  }

  private clear(): void {
    for (const index of [this.paid, this.withdrawals]) index.clear();
    for (const list of [this.paidCoin, this.wallets, this.withdrawn, this.added]) list.length = 0;
  }
}

/** The history of a contract up to a block. */
export interface HistoryView {
  /** The deliveries or refunds of an id, in their order: an opened number may have several. */
  readonly findPaid: (id: Hex) => readonly PlacedPaid[];
  /** The sum of the deliveries of native XCN with their fees, all or those whose id is counted. */
  readonly sumCoin: (isCounted?: (id: Hex) => boolean) => bigint;
  /** Whether a numbered withdrawal began with this id. */
  readonly hasWithdrawal: (id: Hex) => boolean;
  /** The coin of all numbered withdrawals of native XCN that began. */
  readonly withdrawn: bigint;
  /** The relayer wallets in their order, the present one last. One may have come back. */
  readonly wallets: readonly Address[];
  /** The coin that other accounts than relayer wallets added to the float, less what was handed over. */
  readonly added: bigint;
}

function addTo(sums: Sum[], blockNumber: bigint, amount: bigint): void {
  sums.push({ blockNumber, total: (sums.at(-1)?.total ?? 0n) + amount });
}
