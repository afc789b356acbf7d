import type { Address, Hex } from 'viem';
import { EventHistory, type HistoryOptions } from '../nodes/event-history.js';
import type { PlacedLog, QuorumReader } from '../nodes/quorum-reader.js';
import { COIN } from '../settings.js';
import { decodeAdded, decodeBeginning, decodePaid, decodeRelayer, type PaidEvent } from './events.js';

/** A delivery or a refund, and its place. */
export interface PlacedPaid extends PaidEvent {
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
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
  private readonly byAmount = new Map<bigint, PlacedPaid[]>();
  private readonly sums = new Map<Address, Sum[]>();
  private readonly withdrawals = new Map<Hex, bigint>();
  private readonly withdrawn: Sum[] = [];
  private readonly wallets: Wallet[] = [];
  private readonly added: Sum[] = [];

  /** @param listed the token whose deliveries are also found by their amount. */
  constructor(
    reader: QuorumReader,
    options: HistoryOptions,
    private readonly listed: Address | null,
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
      findByAmount: (amount) => this.byAmount.get(amount)?.filter(isUntil) ?? [],
      getSum: (token) => this.sums.get(token)?.findLast(isUntil)?.total ?? 0n,
      sumListed: (isCounted) => this.sumListed((paid) => isUntil(paid) && isCounted(paid.id)),
      hasWithdrawal: (id) => (this.withdrawals.get(id) ?? block + 1n) <= block,
      withdrawn: this.withdrawn.findLast(isUntil)?.total ?? 0n,
      wallets: this.wallets.filter(isUntil).map(({ address }) => address),
      added: this.added.findLast(isUntil)?.total ?? 0n,
    };
  }

  private add(log: PlacedLog): void {
    const { blockNumber, transactionHash } = log;
    const paid = decodePaid(log);
    if (paid !== null) this.addPaid({ ...paid, blockNumber, transactionHash });
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
    const { name, id, token, blockNumber } = event;
    push(this.paid, id, event);
    if (name === 'Refunded') return;
    const amount = event.amount + event.fee;
    if (token === this.listed) push(this.byAmount, amount, event);
    const sums = this.sums.get(token) ?? [];
    this.sums.set(token, sums);
    addTo(sums, blockNumber, amount);
  }

  private sumListed(isCounted: (paid: PlacedPaid) => boolean): bigint {
    let sum = 0n;
    for (const [amount, paid] of this.byAmount) sum += amount * BigInt(paid.filter(isCounted).length);
    return sum;
  }

  private clear(): void {
    for (const index of [this.paid, this.byAmount, this.sums, this.withdrawals]) index.clear();
    for (const list of [this.wallets, this.withdrawn, this.added]) list.length = 0;
  }
}

/** The history of a contract up to a block. */
export interface HistoryView {
  /** The deliveries or refunds of an id, in their order: an opened number may have several. */
  readonly findPaid: (id: Hex) => readonly PlacedPaid[];
  /** The deliveries of the listed token whose amount and fee are this sum, in their order. */
  readonly findByAmount: (amount: bigint) => readonly PlacedPaid[];
  /** The sum of all deliveries of a token, with their fees. */
  readonly getSum: (token: Address) => bigint;
  /** The sum of the deliveries of the listed token whose id is counted, with their fees. */
  readonly sumListed: (isCounted: (id: Hex) => boolean) => bigint;
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

function push<K, V>(index: Map<K, V[]>, key: K, value: V): void {
  const found = index.get(key);
  if (found === undefined) index.set(key, [value]);
  else found.push(value);
}
