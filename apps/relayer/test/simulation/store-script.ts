import type { BridgeEvent, OperationTerms } from '@causeway/protocol';
import type { Fence, ScannedBlock, ScannedTransfer, WalletCall } from '@causeway/store';
import { aBurn, aDeposit, aNativeWithdrawal, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { zeroAddress, type Hex } from 'viem';
import type { OperationRow } from '../../simulation/store/rows.ts';
import type { Process, StorePair } from './store-pair.js';

/** Few of each, so that amounts, payers and recipients meet. */
const AMOUNTS = [1_000n, 2_000n, 3_000n] as const;
export const SENDERS = ['ann', 'bob'].map((name) => anAddress(name));
export const RECIPIENTS = ['carl', 'dora'].map((name) => anAddress(name));
export const OPERATORS = ['olga', 'otto'].map((name) => anAddress(name));
export const CHAINS = [ETHEREUM, PARTNER] as const;
export const wallets = CHAINS.map((chainId) => ({ chainId, address: anAddress('relayer') }));
const MINUTE_MS = 60_000;

/** One random history: what happened on the chains so far, and the choices that the seed makes. */
export class Script {
  /** Every fence that was ever held, the present one last. */
  readonly fences: Fence[] = [];
  /** Chain time of block 0: far from the clocks of the databases. */
  private readonly startMs: number;
  private readonly mined = new Map<string, ScannedBlock>();
  private readonly orphans = new Map<number, { events: BridgeEvent[]; transfers: ScannedTransfer[] }>();
  private state: number;
  private nonces = 0n;

  constructor(
    readonly pair: StorePair,
    seed: number,
  ) {
    this.state = seed >>> 0;
    this.startMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + 10 * 86_400_000;
  }

  get memory() {
    return this.pair.memory;
  }

  /** Mulberry32. */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  upTo(most: number): number {
    return Math.floor(this.random() * most);
  }

  chance(percent: number): boolean {
    return this.random() * 100 < percent;
  }

  /** One of some things; undefined of none. */
  pick<T>(some: Iterable<T>): T | undefined {
    const all = [...some];
    return all[this.upTo(all.length)];
  }

  /** Some of them, in their order. */
  some<T>(all: readonly T[], percent = 70): T[] {
    return all.filter(() => this.chance(percent));
  }

  hash(bytes = 32): Hex {
    return `0x${Array.from({ length: bytes * 2 }, () => this.upTo(16).toString(16)).join('')}`;
  }

  amount(): bigint {
    return this.chance(50) ? AMOUNTS[0] : (this.pick(AMOUNTS) ?? 0n);
  }

  sender() {
    return this.pick(this.chance(50) ? SENDERS.slice(0, 1) : SENDERS) ?? zeroAddress;
  }

  recipient() {
    return this.pick(RECIPIENTS) ?? zeroAddress;
  }

  chain(): number {
    return this.chance(60) ? PARTNER : ETHEREUM;
  }

  wallet() {
    const chainId = this.chain();
    return { chainId, address: anAddress('relayer') };
  }

  /** Chain time this many minutes after the first block; negative for before it. */
  time(minutes: number): Date {
    return new Date(this.startMs + minutes * MINUTE_MS);
  }

  /** The fence of the leader; sometimes one that was lost. */
  fence(): Fence {
    const lost = this.chance(12) ? this.pick(this.fences) : undefined;
    const fence = lost ?? this.fences.at(-1);
    if (fence === undefined) throw new Error('Nobody has held the lease');
    return fence;
  }

  head(chainId: number): bigint {
    return (this.memory.cursors.get(chainId)?.nextBlock ?? 1n) - 1n;
  }

  /** A block at most this many below the newest one, and never below 0. */
  ancestor(chainId: number, depth: number): bigint {
    const ancestor = this.head(chainId) - BigInt(this.upTo(depth));
    return ancestor < 0n ? 0n : ancestor;
  }

  block(chainId: number) {
    return this.memory.blocks.newest(chainId, null);
  }

  operations(matches: (row: OperationRow) => boolean): OperationRow[] {
    return this.memory.operations.filter(matches);
  }

  signature() {
    const [maxFeePerGas, maxPriorityFeePerGas] = [BigInt(1 + this.upTo(9)), 1n];
    return { hash: this.hash(), raw: this.hash(4), gas: 21_000n, maxFeePerGas, maxPriorityFeePerGas };
  }

  /** A process asks for the lease. Its time to live may be over immediately. */
  async acquire(by: Process, ttlMs: number): Promise<void> {
    const fence = await this.pair.both(
      `lease.acquire ${by} ${ttlMs}`,
      (store) => store.lease.acquire('relayer', by, ttlMs),
      by,
    );
    if (fence !== null) this.fences.push(fence);
  }

  /** Finds the call of the memory's row in each store, and makes a call with it. */
  async withCall<T>(
    label: string,
    row: { readonly chainId: number; readonly address: Hex; readonly nonce: bigint },
    use: (store: Parameters<Parameters<StorePair['both']>[1]>[0], call: WalletCall) => Promise<T>,
  ): Promise<T | null> {
    return this.pair.both(label, async (store) => {
      const call = await store.journal.withNonce(row, row.nonce);
      if (call === null) throw new Error('The call is missing');
      return use(store, call);
    });
  }

  /** Reads the next blocks of a chain. */
  async mine(chainId: number): Promise<void> {
    const from = this.head(chainId) + 1n + (this.chance(3) ? 1n : 0n);
    const skipped = this.chance(15) ? BigInt(this.upTo(3)) : this.chance(2) ? 4_200n : 0n;
    const seen = new Set<string>();
    const blocks = Array.from({ length: 1 + this.upTo(2) }, (_, index) =>
      this.plan(chainId, from + skipped + BigInt(index), seen),
    );
    const last = blocks.at(-1)?.number ?? 0n;
    const fence = this.fence();
    const stored = await this.pair.both(`scan.extend ${chainId} ${from} to ${last}`, (store) =>
      store.scan.extend(fence, chainId, blocks, last, from),
    );
    if (stored === null) return;
    for (const block of blocks) this.mined.set(`${chainId} ${block.number}`, block);
  }

  /** A reorg removed the blocks after `ancestor`: most of their content comes again. */
  orphan(chainId: number, ancestor: bigint): void {
    const orphans = this.orphansOf(chainId);
    for (const [key, block] of this.mined) {
      if (!key.startsWith(`${chainId} `) || block.number <= ancestor) continue;
      orphans.events.push(...this.some(block.events));
      orphans.transfers.push(...this.some(block.transfers));
      this.mined.delete(key);
    }
  }

  /** The hashes of transactions that brought something to a wallet, also those that a reorg removed. */
  transferHashes(): Hex[] {
    const lost = [...this.orphans.values()].flatMap(({ transfers }) => transfers);
    return [...[...this.memory.transfers.all()].map(({ txHash }) => txHash), ...lost.map(({ txHash }) => txHash)];
  }

  transfer(chainId: number): ScannedTransfer {
    const isFormer = this.chance(5);
    const asset = chainId === ETHEREUM ? 'ETH' : this.chance(90) ? 'XCN' : 'USDC';
    return {
      txHash: (this.chance(10) ? this.pick(this.transferHashes()) : undefined) ?? this.hash(),
      asset,
      callIndex: this.chance(70) ? 0 : 1 + this.upTo(1_000),
      payer: this.sender(),
      wallet: anAddress(isFormer ? 'former relayer' : 'relayer'),
      isToFormerWallet: isFormer,
      amount: this.amount(),
      memo: this.chance(25) ? (this.pick(this.memory.intents.all())?.id ?? null) : null,
    };
  }

  private orphansOf(chainId: number) {
    let orphans = this.orphans.get(chainId);
    if (orphans === undefined) this.orphans.set(chainId, (orphans = { events: [], transfers: [] }));
    return orphans;
  }

  /** @param seen the payments of the blocks that are read in the same step. */
  private plan(chainId: number, number: bigint, seen: Set<string>): ScannedBlock {
    const orphans = this.orphansOf(chainId);
    const again = <T>(lost: T[]): T[] => lost.splice(0, this.chance(60) ? 1 + this.upTo(3) : 0);
    const events = again(orphans.events);
    const transfers = again(orphans.transfers);
    for (let count = this.upTo(6); count > 0; count--) {
      const dice = this.upTo(100);
      if (dice < 30) transfers.push(this.transfer(chainId));
      else if (dice < 50) events.push(this.opening(chainId));
      else events.push(...this.delivery(chainId));
    }
    // An operation is paid once, and a transaction is in one block. Sometimes the nodes invent a second one.
    const isNew = ({ name, operationId, txHash }: BridgeEvent): boolean => {
      const payment = `${name} ${operationId}`;
      const isMined =
        this.memory.events.filter((event) => event.chainId === chainId && event.txHash === txHash).length > 0;
      if (seen.has(payment) || (name !== 'Credited' && this.isDelivered(operationId))) return false;
      seen.add(payment);
      return !isMined || this.chance(1);
    };
    const dust = this.chance(20)
      ? [{ wallet: anAddress('relayer'), asset: 'XCN' as const, payer: this.sender(), amount: 5n, transfers: 2 }]
      : [];
    return {
      number,
      hash: this.hash(),
      timestamp: this.time(this.chance(5) ? -30_000 : Number(number)),
      events: events.filter(isNew).map((event, logIndex) => ({ ...event, logIndex })),
      transfers,
      dust,
    };
  }

  private opening(chainId: number): BridgeEvent {
    const known = this.chance(2) ? this.pick(this.memory.operations.all()) : undefined;
    const amount = this.amount();
    const over = { id: known?.id ?? this.hash(), amount, sender: this.sender(), recipient: this.recipient() };
    this.nonces += 1n;
    const terms =
      chainId === ETHEREUM
        ? aDeposit({
            ...over,
            outputAmount: amount,
            originNonce: this.nonces,
            asset: this.pick(['USDC', 'XCN']) ?? 'ETH',
          })
        : this.chance(70)
          ? aBurn({ ...over, outputAmount: amount - 10n, originNonce: this.nonces })
          : aNativeWithdrawal({ ...over, outputAmount: amount - 10n, originNonce: this.nonces });
    const args = { nonce: `${this.nonces}`, amount: `${amount}`, sender: terms.sender };
    const name = chainId === ETHEREUM ? 'Deposit' : 'Withdraw';
    return { txHash: this.hash(), logIndex: 0, name, operationId: terms.id, args, opens: terms };
  }

  /** The event of a payment: mostly of a call in flight, sometimes of nothing that is known. */
  private delivery(chainId: number): BridgeEvent[] {
    const refund = this.pick(this.memory.refunds.filter((row) => row.chainId === chainId && row.status === 'PENDING'));
    if (refund?.payment && this.chance(60)) {
      const args = { recipient: refund.payment.recipient, amount: `${refund.payment.paidAmount}` };
      const txHash = refund.txHash ?? this.hash();
      return [{ txHash, logIndex: 0, name: 'Refunded', operationId: refund.id, args }];
    }
    const call = this.chance(90) ? this.pick(this.memory.calls.filter((row) => row.chainId === chainId)) : undefined;
    const txHash = this.pick(call?.transactions ?? [])?.hash ?? this.hash();
    const ofCall = (call?.operations ?? []).flatMap(({ operationId }) => this.memory.operations.get(operationId) ?? []);
    const paid = ofCall.length > 0 ? this.some(ofCall, 90) : this.some([...this.memory.operations.all()], 3);
    const known = paid.filter(({ id, destinationChainId }) => destinationChainId === chainId && !this.isDelivered(id));
    return known.length > 0 || this.chance(70)
      ? known.flatMap((operation) => this.paymentOf(operation, txHash))
      : this.paymentOf({ ...aDeposit(), id: this.hash(), destinationChainId: chainId }, txHash);
  }

  /** A contract pays an operation once. */
  private isDelivered(id: Hex): boolean {
    return this.memory.events.of(id).some(({ name }) => name === 'Mint' || name === 'Release');
  }

  private paymentOf(
    { id, asset, outputAmount, fee, recipient, destinationChainId }: OperationTerms,
    txHash: Hex,
  ): BridgeEvent[] {
    const token = asset === 'XCN' ? zeroAddress : anAddress('token');
    const args = { token, amount: `${outputAmount}`, fee: `${this.chance(95) ? fee : 1n}`, recipient };
    const name = destinationChainId === PARTNER ? 'Mint' : 'Release';
    const event: BridgeEvent = { txHash, logIndex: 0, name, operationId: id, args };
    return this.chance(20) ? [event, { ...event, name: 'Credited' }] : [event];
  }
}
