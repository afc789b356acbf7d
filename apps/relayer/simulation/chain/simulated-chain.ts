import type { Address, Hex } from 'viem';
import { SimulatedBlock, type Mined } from './blocks.ts';
import { balanceKey, Execution, nonceKey, type BlockContext, type CallResult, type Contracts } from './execution.ts';
import { PoolError, TransactionPool } from './pool.ts';
import { Changes, ChainState, type ReadKey } from './state.ts';
import { readTransaction, type Transaction } from './transactions.ts';

/** How a chain begins. */
export interface ChainInput {
  readonly chainId: number;
  /** Of the first block, in seconds. */
  readonly timestamp: number;
  /** Seconds between blocks, for the time of a pending block. */
  readonly blockSeconds: number;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly baseFeePerGas: bigint;
  /** Wei of the RPC in one unit of the EVM's coin. Fees are rounded up to whole units. */
  readonly coinUnit: bigint;
  readonly contracts: Contracts;
  /** In wei of the RPC. */
  readonly balances: ReadonlyMap<Address, bigint>;
}

/** A call that changes nothing. `value` in wei of the RPC. */
export interface CallInput {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

/** The outcome of a call, and the gas limit that it needs. */
export interface CallOutcome extends CallResult {
  readonly gas: bigint;
}

/** The state on which a call runs. */
interface CallState {
  readonly block: BlockContext;
  readonly read: ReadKey;
  /** By the call. */
  readonly outcomes: Map<string, CallOutcome>;
}

/**
 * A chain: blocks, the state after each of them, and a pool. It knows nothing of nodes and processes, and all of it is
 * synchronous. Its driver decides when a block comes, which transactions it takes, and the base fee.
 */
export class SimulatedChain {
  readonly pool = new TransactionPool();
  /** Of the next block, in wei per gas. */
  baseFeePerGas: bigint;
  /** What nodes propose as a tip when recent blocks are empty, in wei per gas. */
  tip: bigint;
  private readonly state = new ChainState();
  private readonly blocks: SimulatedBlock[] = [];
  private readonly placed = new Map<Hex, { readonly block: SimulatedBlock; readonly index: number }>();
  private readonly read = new Map<Hex, Transaction>();
  private readonly callStates = new Map<SimulatedBlock, CallState>();
  private pending:
    (CallState & { readonly head: SimulatedBlock; readonly version: number; readonly fee: bigint }) | null = null;
  private branch = 0;

  readonly input: ChainInput;

  constructor(input: ChainInput) {
    this.input = input;
    this.baseFeePerGas = input.baseFeePerGas;
    this.tip = input.baseFeePerGas / 10n;
    const genesis = new Map([...input.balances].map(([account, balance]) => [balanceKey(account), balance] as const));
    this.state.commit(0, genesis);
    const { timestamp, baseFeePerGas, gasLimit } = input;
    this.blocks.push(new SimulatedBlock({ parent: null, timestamp, baseFeePerGas, gasLimit, branch: 0, mined: [] }));
  }

  get head(): SimulatedBlock {
    return this.blockAt(this.blocks.length - 1);
  }

  /** @throws RangeError when there is no such block. */
  blockAt(number: number): SimulatedBlock {
    const block = this.blocks[number];
    if (block === undefined) throw new RangeError(`The chain has no block ${number}`);
    return block;
  }

  /** Whether a block is on the present branch. */
  has(block: SimulatedBlock): boolean {
    return this.blocks[block.number] === block;
  }

  /** The place of a mined transaction on the present branch. */
  place(hash: Hex): { readonly block: SimulatedBlock; readonly index: number } | undefined {
    return this.placed.get(hash);
  }

  /**
   * Takes a signed transaction into the pool.
   *
   * @throws PoolError, InvalidTransactionError
   */
  submit(raw: Hex): Hex {
    const transaction = this.read.get(raw) ?? readTransaction(raw);
    this.read.set(raw, transaction);
    const { hash, from, chainId, value } = transaction;
    if (chainId !== this.input.chainId) throw new PoolError('invalid chain id for signer');
    if (value % this.input.coinUnit !== 0n)
      throw new PoolError(`value ${value} wei is not a multiple of ${this.input.coinUnit} wei`);
    if (this.placed.has(hash)) throw new PoolError('already known');
    const at = this.head.number;
    const sender = { nonce: this.nonceAt(from, at), balance: this.balanceAt(from, at) };
    this.pool.add(transaction, sender, this.input.gasLimit);
    return hash;
  }

  /** Makes a block of the transactions that pay most, up to the gas limit. `timestamp` in seconds. */
  mine(timestamp: number, isTaken: (transaction: Transaction) => boolean = () => true): SimulatedBlock {
    const parent = this.head;
    const { gasLimit } = this.input;
    const baseFeePerGas = this.baseFeePerGas;
    const changes = new Changes(this.state.at(parent.number));
    const mined = this.fillBlock(changes, timestamp, isTaken);
    const block = new SimulatedBlock({ parent, timestamp, baseFeePerGas, gasLimit, branch: this.branch, mined });
    this.state.commit(block.number, changes.written);
    this.blocks.push(block);
    for (const [index, { transaction }] of mined.entries()) this.placed.set(transaction.hash, { block, index });
    if (mined.length > 0) this.pool.prune((sender) => this.nonceAt(sender, block.number));
    return block;
  }

  /**
   * Removes the newest blocks. Blocks that come later belong to another branch.
   *
   * @param returns whether a transaction of a removed block goes back to the pool. Others vanish.
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
    return (this.state.at(block)(balanceKey(account)) as bigint | undefined) ?? 0n;
  }

  nonceAt(account: Address, block: number): number {
    return (this.state.at(block)(nonceKey(account)) as number | undefined) ?? 0;
  }

  /** The nonce after the pending transactions that have no gap before them. */
  pendingNonce(account: Address): number {
    let nonce = this.nonceAt(account, this.head.number);
    while (this.pool.of(account, nonce) !== undefined) nonce += 1;
    return nonce;
  }

  /** Runs a call on the state after a block, or after the pending transactions. */
  call(input: CallInput, at: SimulatedBlock | 'pending'): CallOutcome {
    const state = at === 'pending' ? this.pendingState() : this.stateAfter(at);
    const key = `${input.from} ${input.to} ${input.value} ${input.data}`;
    const known = state.outcomes.get(key);
    if (known !== undefined) return known;
    const execution = new Execution(state.block, new Changes(state.read), this.input.contracts);
    const { from, to, value, data } = input;
    const result = execution.call(from, to, value / this.input.coinUnit, data);
    const { gasUsed, gasNeeded } = execution;
    const outcome = { ...result, gas: gasUsed > gasNeeded ? gasUsed : gasNeeded };
    state.outcomes.set(key, outcome);
    return outcome;
  }

  private fillBlock(changes: Changes, timestamp: number, isTaken: (transaction: Transaction) => boolean): Mined[] {
    const mined: Mined[] = [];
    if (this.pool.senders().length === 0) return mined;
    let gasLeft = this.input.gasLimit;
    const blocked = new Set<Address>();
    for (;;) {
      const next = this.best(changes, gasLeft, blocked, isTaken);
      if (next === null) return mined;
      const result = this.execute(next, changes, timestamp);
      gasLeft -= result.gasUsed;
      mined.push(result);
    }
  }

  /** The executable transaction with the highest tip; of equal ones that of the sender who came first. */
  private best(
    changes: Changes,
    gasLeft: bigint,
    blocked: Set<Address>,
    isTaken: (transaction: Transaction) => boolean,
  ): Transaction | null {
    let best: Transaction | null = null;
    for (const sender of this.pool.senders()) {
      if (blocked.has(sender)) continue;
      const transaction = this.pool.of(sender, (changes.read(nonceKey(sender)) as number | undefined) ?? 0);
      if (transaction === undefined || !this.isExecutable(transaction, changes, gasLeft) || !isTaken(transaction)) {
        blocked.add(sender);
        continue;
      }
      if (best === null || this.tipOf(transaction) > this.tipOf(best)) best = transaction;
    }
    return best;
  }

  private isExecutable({ from, gas, maxFeePerGas, value }: Transaction, changes: Changes, gasLeft: bigint): boolean {
    const balance = (changes.read(balanceKey(from)) as bigint | undefined) ?? 0n;
    return gas <= gasLeft && maxFeePerGas >= this.baseFeePerGas && balance >= gas * maxFeePerGas + value;
  }

  private tipOf({ maxFeePerGas, maxPriorityFeePerGas }: Transaction): bigint {
    const left = maxFeePerGas - this.baseFeePerGas;
    return left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas;
  }

  private execute(transaction: Transaction, changes: Changes, timestamp: number): Mined {
    const { chainId, coinUnit, contracts } = this.input;
    const { from, to, nonce, gas, value, input } = transaction;
    const execution = new Execution({ chainId, number: this.head.number + 1, timestamp, coinUnit }, changes, contracts);
    const effectiveGasPrice = this.baseFeePerGas + this.tipOf(transaction);
    changes.write(nonceKey(from), nonce + 1);
    const { checkpoint } = changes;
    let { succeeded, data: output } = execution.call(from, to ?? from, value / coinUnit, input);
    if (gas < execution.gasNeeded || gas < execution.gasUsed) {
      changes.rollBack(checkpoint);
      [succeeded, output] = [false, '0x'];
      for (const message of execution.messages) message.succeeded = false;
      execution.gasUsed = gas;
    }
    const { gasUsed, messages } = execution;
    const fee = ((gasUsed * effectiveGasPrice + coinUnit - 1n) / coinUnit) * coinUnit;
    changes.write(balanceKey(from), execution.balanceOf(from) - fee);
    const logs = succeeded ? execution.logs : [];
    return { transaction, succeeded, output, gasUsed, effectiveGasPrice, logs, messages };
  }

  private stateAfter(at: SimulatedBlock): CallState {
    const known = this.callStates.get(at);
    if (known !== undefined) return known;
    const { chainId, coinUnit } = this.input;
    const block = { chainId, number: at.number, timestamp: at.timestamp, coinUnit };
    const state = { block, read: this.state.at(at.number), outcomes: new Map<string, CallOutcome>() };
    this.callStates.set(at, state);
    return state;
  }

  private pendingState(): CallState {
    const { head, pool, baseFeePerGas: fee } = this;
    const known = this.pending;
    if (known?.head === head && known.version === pool.version && known.fee === fee) return known;
    const timestamp = head.timestamp + this.input.blockSeconds;
    const changes = new Changes(this.state.at(head.number));
    this.fillBlock(changes, timestamp, () => true);
    const { chainId, coinUnit } = this.input;
    const block = { chainId, number: head.number + 1, timestamp, coinUnit };
    this.pending = { block, read: changes.read, outcomes: new Map(), head, version: pool.version, fee };
    return this.pending;
  }
}
