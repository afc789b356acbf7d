import type { Address, Hex } from 'viem';
import { SimulatedBlock, type Mined } from './blocks.ts';
import { readAccount, readCode, SimulatedEvm, type EvmState } from './evm.ts';
import { PoolError, TransactionPool } from './pool.ts';
import { ChainState, overlay } from './state.ts';
import { readTransaction, type Transaction } from './transactions.ts';

/** The parameters and the genesis of a chain. */
export interface ChainInput {
  readonly chainId: number;
  /** Time of the first block, in seconds. */
  readonly timestamp: number;
  /** Seconds between blocks, for the time of a pending block. */
  readonly blockSeconds: number;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly baseFeePerGas: bigint;
  /** Wei of the RPC in one unit of the EVM's coin. Fees are rounded up to whole units. */
  readonly coinUnit: bigint;
  /** The state of the first block, by the keys of the EVM's state. */
  readonly genesis: ReadonlyMap<string, unknown>;
}

/** A call without changes. `value` in wei of the RPC. */
export interface CallInput {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

/** The state on which calls run, with their cached results. */
interface CallState extends EvmState {
  /** By call. */
  readonly outcomes: Map<string, Promise<unknown>>;
}

/**
 * A chain: blocks, the state after each of them, and a pool. It knows nothing of nodes and processes. Its driver
 * decides when a block is mined, with which transactions, and the base fee. Calls must not overlap.
 */
export class SimulatedChain {
  readonly pool = new TransactionPool();
  /** Of the next block, in wei per gas. */
  baseFeePerGas: bigint;
  /** The tip that nodes suggest when recent blocks are empty, in wei per gas. */
  tip: bigint;
  private readonly state: ChainState;
  private readonly blocks: SimulatedBlock[];
  private readonly placed: Map<Hex, { readonly block: SimulatedBlock; readonly index: number }>;
  private readonly read = new Map<Hex, Transaction>();
  private readonly callStates = new Map<SimulatedBlock, CallState>();
  private pending:
    (CallState & { readonly head: SimulatedBlock; readonly version: number; readonly fee: bigint }) | null = null;
  private branch = 0;
  private readonly evm: SimulatedEvm;

  readonly input: ChainInput;

  /** @param beginning a chain with the same input, whose blocks the new one starts with. */
  constructor(input: ChainInput, beginning?: SimulatedChain) {
    this.input = input;
    this.baseFeePerGas = input.baseFeePerGas;
    this.tip = input.baseFeePerGas / 10n;
    this.evm = new SimulatedEvm(input.chainId);
    this.state = beginning?.state.copy() ?? new ChainState();
    this.blocks = [...(beginning?.blocks ?? [])];
    this.placed = new Map(beginning?.placed);
    if (beginning !== undefined) return;
    this.state.commit(0, input.genesis);
    const { timestamp, baseFeePerGas, gasLimit } = input;
    this.blocks.push(new SimulatedBlock({ parent: null, timestamp, baseFeePerGas, gasLimit, branch: 0, mined: [] }));
  }

  get head(): SimulatedBlock {
    return this.blockAt(this.blocks.length - 1);
  }

  /** @throws RangeError when the block does not exist. */
  blockAt(number: number): SimulatedBlock {
    const block = this.blocks[number];
    if (block === undefined) throw new RangeError(`The chain has no block ${number}`);
    return block;
  }

  /** Whether a block is on the current branch. */
  has(block: SimulatedBlock): boolean {
    return this.blocks[block.number] === block;
  }

  /** The place of a mined transaction on the current branch. */
  place(hash: Hex): { readonly block: SimulatedBlock; readonly index: number } | undefined {
    return this.placed.get(hash);
  }

  /**
   * Adds a signed transaction to the pool.
   *
   * @throws PoolError, InvalidTransactionError
   */
  submit(raw: Hex): Hex {
    const transaction = this.read.get(raw) ?? readTransaction(raw);
    this.read.set(raw, transaction);
    const { hash, from, to, chainId, value } = transaction;
    if (to === null) throw new PoolError('contract creation is not simulated');
    if (chainId !== this.input.chainId) throw new PoolError('invalid chain id for signer');
    if (value % this.input.coinUnit !== 0n)
      throw new PoolError(`value ${value} wei is not a multiple of ${this.input.coinUnit} wei`);
    if (this.placed.has(hash)) throw new PoolError('already known');
    const at = this.head.number;
    const sender = { nonce: this.nonceAt(from, at), balance: this.balanceAt(from, at) };
    this.pool.add(transaction, sender, this.input.gasLimit);
    return hash;
  }

  /** Mines the transactions with the highest tips, up to the gas limit. `timestamp` in seconds. */
  async mine(timestamp: number, isTaken: (transaction: Transaction) => boolean = () => true): Promise<SimulatedBlock> {
    const { head: parent, baseFeePerGas, branch } = this;
    const { gasLimit } = this.input;
    const { mined, changes } = await this.fillBlock(timestamp, isTaken);
    const block = new SimulatedBlock({ parent, timestamp, baseFeePerGas, gasLimit, branch, mined });
    this.state.commit(block.number, changes);
    this.blocks.push(block);
    for (const [index, { transaction }] of mined.entries()) this.placed.set(transaction.hash, { block, index });
    if (mined.length > 0) this.pool.prune((sender) => this.nonceAt(sender, block.number));
    return block;
  }

  /**
   * Removes the newest blocks. Later blocks belong to another branch.
   *
   * @param returns whether a transaction of a removed block returns to the pool. Others vanish.
   */
  reorg(depth: number, returns: (transaction: Transaction) => boolean = () => true): void {
    const removed = this.blocks.splice(Math.max(1, this.blocks.length - depth));
    this.branch += 1;
    this.state.rollBackTo(this.head.number);
    const transactions = removed.flatMap(({ mined }) => mined.map(({ transaction }) => transaction));
    for (const { hash } of transactions) this.placed.delete(hash);
    for (const block of removed) this.callStates.delete(block);
    for (const transaction of transactions) if (returns(transaction)) this.pool.putBack(transaction);
    this.pool.version += 1;
  }

  /** In wei of the RPC. */
  balanceAt(account: Address, block: number): bigint {
    return (readAccount(this.state.at(block), account)?.balance ?? 0n) * this.input.coinUnit;
  }

  nonceAt(account: Address, block: number): number {
    return Number(readAccount(this.state.at(block), account)?.nonce ?? 0n);
  }

  codeAt(account: Address): Hex {
    return readCode(this.state.at(this.head.number), account);
  }

  /** The nonce after the pending transactions without a gap. */
  pendingNonce(account: Address): number {
    let nonce = this.nonceAt(account, this.head.number);
    while (this.pool.of(account, nonce) !== undefined) nonce += 1;
    return nonce;
  }

  /**
   * Runs a call on the state after a block, or after the pending transactions.
   *
   * @throws PartnerChainError when it reverts, or its sender cannot pay its value.
   */
  async call(input: CallInput, at: SimulatedBlock | 'pending'): Promise<Hex> {
    return this.once('call', input, at, async (message, state) => this.evm.call(message, state));
  }

  /**
   * Finds the gas limit that a call needs.
   *
   * @throws PartnerChainError like `call`.
   */
  async estimate(input: CallInput, at: SimulatedBlock | 'pending'): Promise<bigint> {
    return this.once('estimate', input, at, async (message, state) => this.evm.estimate(message, state));
  }

  /** Caches results, since three nodes are asked the same, often repeatedly. */
  private async once<T>(
    kind: string,
    { from, to, value, data }: CallInput,
    at: SimulatedBlock | 'pending',
    run: (message: CallInput, state: EvmState) => Promise<T>,
  ): Promise<T> {
    const state = at === 'pending' ? await this.pendingState() : this.stateAfter(at);
    const key = `${kind} ${from} ${to} ${value} ${data}`;
    const known = state.outcomes.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const outcome = run({ from, to, value: value / this.input.coinUnit, data }, state);
    state.outcomes.set(key, outcome);
    return outcome;
  }

  /** The transactions of the next block, and their changes. */
  private async fillBlock(timestamp: number, isTaken: (transaction: Transaction) => boolean) {
    const mined: Mined[] = [];
    if (this.pool.senders().length === 0) return { mined, changes: new Map<string, unknown>() };
    this.evm.begin(this.state.at(this.head.number));
    let gasLeft = this.input.gasLimit;
    const blocked = new Set<Address>();
    for (;;) {
      const next = await this.best(gasLeft, blocked, isTaken);
      if (next === null) return { mined, changes: this.evm.changes() };
      const result = await this.execute(next, timestamp);
      gasLeft -= result.gasUsed;
      mined.push(result);
    }
  }

  /** The executable transaction with the highest tip; among equal tips, the sender that arrived first. */
  private async best(
    gasLeft: bigint,
    blocked: Set<Address>,
    isTaken: (transaction: Transaction) => boolean,
  ): Promise<Transaction | null> {
    let best: Transaction | null = null;
    for (const sender of this.pool.senders()) {
      if (blocked.has(sender)) continue;
      const { nonce, balance } = await this.evm.account(sender);
      const transaction = this.pool.of(sender, Number(nonce));
      if (transaction === undefined || !this.isExecutable(transaction, balance, gasLeft) || !isTaken(transaction)) {
        blocked.add(sender);
        continue;
      }
      if (best === null || this.computeTip(transaction) > this.computeTip(best)) best = transaction;
    }
    return best;
  }

  private isExecutable({ gas, maxFeePerGas, value }: Transaction, balance: bigint, gasLeft: bigint): boolean {
    const cost = gas * maxFeePerGas + value;
    return gas <= gasLeft && maxFeePerGas >= this.baseFeePerGas && balance * this.input.coinUnit >= cost;
  }

  private computeTip({ maxFeePerGas, maxPriorityFeePerGas }: Transaction): bigint {
    const left = maxFeePerGas - this.baseFeePerGas;
    return left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas;
  }

  private async execute(transaction: Transaction, timestamp: number): Promise<Mined> {
    const { coinUnit } = this.input;
    const { from, to, nonce, gas, value, input: data } = transaction;
    const effectiveGasPrice = this.baseFeePerGas + this.computeTip(transaction);
    const sender = await this.evm.account(from);
    sender.nonce = BigInt(nonce) + 1n;
    await this.evm.write(from, sender);
    const message = { from, to: to ?? from, value: value / coinUnit, data };
    const outcome = await this.evm.run(message, gas, { number: this.head.number + 1, timestamp });
    const payer = await this.evm.account(from);
    // A fraction of a unit costs a whole unit.
    payer.balance -= (outcome.gasUsed * effectiveGasPrice + coinUnit - 1n) / coinUnit;
    await this.evm.write(from, payer);
    return { transaction, effectiveGasPrice, ...outcome };
  }

  private stateAfter(at: SimulatedBlock): CallState {
    const known = this.callStates.get(at);
    if (known !== undefined) return known;
    const { number, timestamp } = at;
    const state = { block: { number, timestamp }, read: this.state.at(number), outcomes: new Map() };
    this.callStates.set(at, state);
    return state;
  }

  private async pendingState(): Promise<CallState> {
    const { head, pool, baseFeePerGas: fee } = this;
    const known = this.pending;
    if (known?.head === head && known.version === pool.version && known.fee === fee) return known;
    const timestamp = head.timestamp + this.input.blockSeconds;
    const { changes } = await this.fillBlock(timestamp, () => true);
    const read = overlay(this.state.at(head.number), changes);
    const block = { number: head.number + 1, timestamp };
    this.pending = { block, read, outcomes: new Map(), head, version: pool.version, fee };
    return this.pending;
  }
}
