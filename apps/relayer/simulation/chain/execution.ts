import type { Address, Hex } from 'viem';
import { encodeEvent, type EventForm } from './parameters.ts';
import type { Changes } from './state.ts';

/** What a contract sees of its block. */
export interface BlockContext {
  readonly chainId: number;
  readonly number: number;
  /** Seconds. */
  readonly timestamp: number;
  /** Wei of the RPC in one unit of the EVM's coin. */
  readonly coinUnit: bigint;
}

/** A log before it has a place. */
export interface EmittedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** A message of a transaction, as call trees show it. `value` in units of the EVM. */
export interface Message {
  readonly depth: number;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly input: Hex;
  succeeded: boolean;
}

/** The code of a contract. It throws `Revert` to revert. */
export interface Contract {
  /** What `eth_getCode` returns. */
  readonly code: Hex;
  readonly run: (frame: Frame, data: Hex) => Hex;
}

/** Contracts by their lower-case addresses. */
export type Contracts = ReadonlyMap<Address, Contract>;

/** A contract reverted with this data. */
export class Revert extends Error {
  override readonly name = 'Revert';
  readonly data: Hex;

  constructor(data: Hex = '0x') {
    super(`reverted with ${data}`);
    this.data = data;
  }
}

/** The outcome of a message: what it returned, or the data of its revert. */
export interface CallResult {
  readonly succeeded: boolean;
  readonly data: Hex;
}

/** Gas of a transaction that runs no code. */
const TRANSFER_GAS = 21_000n;

/** The key of the balance of an account, in wei of the RPC. */
export const balanceKey = (account: Address) => `balance ${account}`;
/** The key of the nonce of an account. */
export const nonceKey = (account: Address) => `nonce ${account}`;

/** One transaction or call while it runs. */
export class Execution {
  readonly logs: EmittedLog[] = [];
  readonly messages: Message[] = [];
  /** What it costs. */
  gasUsed = TRANSFER_GAS;
  /** The least limit with which it succeeds. */
  gasNeeded = TRANSFER_GAS;

  readonly block: BlockContext;
  readonly changes: Changes;
  readonly contracts: Contracts;

  constructor(block: BlockContext, changes: Changes, contracts: Contracts) {
    this.block = block;
    this.changes = changes;
    this.contracts = contracts;
  }

  /**
   * Sends a message. A failed one leaves no trace but its place in the call tree.
   *
   * @param value in units of the EVM.
   */
  call(from: Address, to: Address, value: bigint, data: Hex, depth = 0): CallResult {
    const message = { depth, from, to, value, input: data, succeeded: true };
    this.messages.push(message);
    const { checkpoint } = this.changes;
    const logCount = this.logs.length;
    try {
      this.move(from, to, value * this.block.coinUnit);
      const contract = this.contracts.get(to);
      const returned = contract?.run(new Frame(this, to, from, value, depth), data);
      return { succeeded: true, data: returned ?? '0x' };
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      this.changes.rollBack(checkpoint);
      this.logs.length = logCount;
      message.succeeded = false;
      return { succeeded: false, data: error.data };
    }
  }

  /** Moves coin without a message, as the end of a contract does. `wei` of the RPC. */
  move(from: Address, to: Address, wei: bigint): void {
    if (wei === 0n) return;
    const before = this.balanceOf(from);
    if (before < wei) throw new Revert();
    this.changes.write(balanceKey(from), before - wei);
    this.changes.write(balanceKey(to), this.balanceOf(to) + wei);
  }

  /** The code that runs now needs this much gas left. */
  requireGas(gas: bigint): void {
    if (this.gasUsed + gas > this.gasNeeded) this.gasNeeded = this.gasUsed + gas;
  }

  /** In wei of the RPC. */
  balanceOf(account: Address): bigint {
    return (this.changes.read(balanceKey(account)) as bigint | undefined) ?? 0n;
  }
}

/** A contract's view of one message to it. `value` in units of the EVM. */
export class Frame {
  readonly execution: Execution;
  readonly self: Address;
  readonly sender: Address;
  readonly value: bigint;
  private readonly depth: number;

  constructor(execution: Execution, self: Address, sender: Address, value: bigint, depth: number) {
    this.execution = execution;
    this.self = self;
    this.sender = sender;
    this.value = value;
    this.depth = depth;
  }

  get block(): BlockContext {
    return this.execution.block;
  }

  /** The coin of an account, in units of the EVM. */
  coinOf(account: Address): bigint {
    return this.execution.balanceOf(account) / this.block.coinUnit;
  }

  read<T>(slot: string, initial: T): T {
    const value = this.execution.changes.read(`${this.self} ${slot}`);
    return value === undefined ? initial : (value as T);
  }

  write(slot: string, value: unknown): void {
    this.execution.changes.write(`${this.self} ${slot}`, value);
  }

  emit(event: EventForm | undefined, ...values: readonly unknown[]): void {
    if (event === undefined) throw new Error('The ABI has no such event');
    this.execution.logs.push({ address: this.self, ...encodeEvent(event, values) });
  }

  /** A message of this contract to another one that this simulation calls by its own functions. */
  at(contract: Address): Frame {
    return new Frame(this.execution, contract, this.self, 0n, this.depth + 1);
  }

  /** Sends a message with coin. `value` in units of the EVM. */
  call(to: Address, value: bigint, data: Hex = '0x'): CallResult {
    return this.execution.call(this.self, to, value, data, this.depth + 1);
  }

  /** Ends this contract: all its coin moves without a message (SELFDESTRUCT). */
  endInto(heir: Address): void {
    this.execution.move(this.self, heir, this.execution.balanceOf(this.self));
  }

  /** Runs something that may revert, and takes it back when it does. */
  attempt(work: () => void): boolean {
    const { changes, logs } = this.execution;
    const [{ checkpoint }, logCount] = [changes, logs.length];
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      changes.rollBack(checkpoint);
      logs.length = logCount;
      return false;
    }
  }
}
