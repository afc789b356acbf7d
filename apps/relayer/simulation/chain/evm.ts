import { keccak256, WEI_PER_UNIT } from '@causeway/partner-chain';
import {
  Account,
  Address as EvmAddress,
  createCommon,
  estimateGas,
  floorGas,
  PartnerEvm,
  revertError,
  runMessage,
  simulate,
  type BlockEnvironment,
  type CallFrame,
  type StateReader,
} from '@causeway/partner-chain/evm';
import { bytesToHex, hexToBytes, type Address, type Hex } from 'viem';
import type { ReadKey } from './state.ts';

// Runs the contracts' bytecode with the EVM of the partner chain, on both chains.

/** A log without its place in a block. */
export interface EmittedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** A message of a transaction, as in call trees. `value` in units of the EVM. */
export interface Message {
  readonly depth: number;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly input: Hex;
  readonly succeeded: boolean;
}

/** A message to run. `value` in units of the EVM. */
export interface EvmMessage {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

/** The block as contracts see it. `timestamp` in seconds. */
export interface EvmBlock {
  readonly number: number;
  readonly timestamp: number;
}

/** The state after a block, with that block. */
export interface EvmState {
  readonly block: EvmBlock;
  readonly read: ReadKey;
}

/** The outcome of a message. */
export interface EvmOutcome {
  readonly succeeded: boolean;
  /** The data that it returned or reverted with. */
  readonly output: Hex;
  readonly gasUsed: bigint;
  readonly logs: readonly EmittedLog[];
  readonly messages: readonly Message[];
}

const FIRST_GAS = 21_000n;
const GAS_OF_BYTE = { zero: 4n, other: 16n } as const;
const COINBASE = new Uint8Array(20).fill(0xfe);
const REST = {
  prevRandao: new Uint8Array(32),
  gasLimit: 30_000_000n,
  // The caller charges the fees.
  baseFeePerGas: 0n,
} as const satisfies Partial<BlockEnvironment>;
const NOTHING = new Uint8Array(0);

/** One array per code, since the EVM caches its analysis of a code by the array. */
const codes = new Map<string, Uint8Array>();
/** One EVM per chain id and thread. It runs one message at a time. */
const evms = new Map<number, PartnerEvm>();

/** The EVM of a chain, with its writes since `begin`. */
export class SimulatedEvm {
  private readonly evm: PartnerEvm;

  constructor(chainId: number) {
    this.evm =
      evms.get(chainId) ??
      new PartnerEvm(
        createCommon(chainId),
        toReader(() => undefined),
        () => undefined,
        0n,
      );
    evms.set(chainId, this.evm);
  }

  /** Discards its writes, and continues from a state. */
  begin(read: ReadKey): void {
    this.evm.begin(toReader(read));
  }

  /** Reads an account in the current state. */
  async account(address: Address): Promise<Account> {
    return (await this.evm.state.getAccount(toEvmAddress(address))) ?? new Account();
  }

  /** Writes an account between two messages. */
  async write(address: Address, account: Account): Promise<void> {
    await this.evm.state.putAccount(toEvmAddress(address), account);
  }

  /** Runs a message as a transaction. The caller writes its nonce and fee. */
  async run({ from, to, value, data }: EvmMessage, gasLimit: bigint, block: EvmBlock): Promise<EvmOutcome> {
    const bytes = hexToBytes(data);
    this.evm.beginTransaction();
    const { status, returnValue, gasUsed, logs, calls } = await runMessage(
      this.evm,
      {
        from: toEvmAddress(from),
        to: toEvmAddress(to),
        value,
        data: bytes,
        gasLimit,
        intrinsicGas: intrinsicGas(bytes),
        floorGas: floorGas(bytes),
        refund: 0n,
        gasPrice: 0n,
        accessList: [],
      },
      { ...REST, ...block, coinbase: new EvmAddress(COINBASE) },
    );
    return {
      succeeded: status === 1,
      output: bytesToHex(returnValue),
      gasUsed,
      logs: logs.map((log) => ({
        address: bytesToHex(log.address),
        topics: log.topics.map((topic) => bytesToHex(topic)),
        data: bytesToHex(log.data),
      })),
      messages: flatten(calls, 0),
    };
  }

  /** Returns the writes since `begin`, by the keys of the state. */
  changes(): Map<string, unknown> {
    const { accounts, slots, codes: newCodes } = this.evm.state.changes();
    for (const [hash, code] of newCodes) if (!codes.has(hash)) codes.set(hash, code);
    const written = new Map<string, unknown>();
    for (const [address, account] of accounts) written.set(`a${address}`, account ?? undefined);
    for (const [address, values] of slots) for (const [slot, value] of values) written.set(`s${address}${slot}`, value);
    return written;
  }

  /**
   * Runs a call without changes.
   *
   * @throws PartnerChainError when it reverts, or its sender cannot pay its value.
   */
  async call(message: EvmMessage, state: EvmState): Promise<Hex> {
    const { context, request } = toCall(message, state);
    const result = await simulate(this.evm, context, request);
    if (result.status === 0) throw revertError(result);
    return bytesToHex(result.returnValue);
  }

  /**
   * Finds the gas limit that a call needs.
   *
   * @throws PartnerChainError like `call`.
   */
  async estimate(message: EvmMessage, state: EvmState): Promise<bigint> {
    const { context, request } = toCall(message, state);
    return estimateGas(this.evm, context, request);
  }
}

/** The entry of an account in a chain's state. `balance` in units of the EVM. */
export function accountEntry(address: Address, balance: bigint, code: Hex = '0x'): readonly [string, Account] {
  if (code === '0x') return [accountKey(address), new Account(0n, balance)];
  const bytes = hexToBytes(code);
  const codeHash = keccak256(bytes);
  if (!codes.has(plain(codeHash))) codes.set(plain(codeHash), bytes);
  return [accountKey(address), new Account(0n, balance, undefined, codeHash)];
}

/** An account in a state. Must not be modified. */
export function readAccount(read: ReadKey, address: Address): Account | undefined {
  return read(accountKey(address)) as Account | undefined;
}

/** The code of an account in a state. */
export function readCode(read: ReadKey, address: Address): Hex {
  const account = readAccount(read, address);
  return account === undefined ? '0x' : bytesToHex(codes.get(plain(account.codeHash)) ?? NOTHING);
}

/** Gas that a transaction with this data needs before its first opcode, and in total (EIP-7623). */
export function leastGas(data: Hex): bigint {
  const bytes = hexToBytes(data);
  const [intrinsic, floor] = [intrinsicGas(bytes), floorGas(bytes)];
  return intrinsic > floor ? intrinsic : floor;
}

function intrinsicGas(data: Uint8Array): bigint {
  return data.reduce((gas, byte) => gas + GAS_OF_BYTE[byte === 0 ? 'zero' : 'other'], FIRST_GAS);
}

/** Adapts the state to the EVM's interface. Its values never change. */
function toReader(read: ReadKey): StateReader {
  return {
    account: (address) => read(`a${plain(address)}`) as Account | undefined,
    slot: (address, key) => (read(`s${plain(address)}${plain(key)}`) as Uint8Array | undefined) ?? NOTHING,
    code: (hash) => codes.get(plain(hash)) ?? NOTHING,
  };
}

/** Converts a call to the terms of the partner chain's RPC. */
function toCall({ from, to, value, data }: EvmMessage, { block, read }: EvmState) {
  return {
    context: { state: toReader(read), block: { ...REST, ...block, coinbase: new EvmAddress(COINBASE) } },
    request: { from, to, value: value * WEI_PER_UNIT, data, gas: null, gasPrice: 0n, accessList: [] },
  };
}

/** The messages of a call tree in the order in which they began. A self-destruct is not a message. */
function flatten({ type, from, to, value, input, error, calls }: CallFrame, depth: number): Message[] {
  if (type === 'SELFDESTRUCT') return [];
  const isOwn = type === 'DELEGATECALL' || type === 'CALLCODE';
  const message = { depth, from, to: to ?? '0x', value: isOwn ? 0n : value, input, succeeded: error === null };
  return [message, ...calls.flatMap((call) => flatten(call, depth + 1))];
}

const accountKey = (address: Address) => `a${address.slice(2)}`;
const toEvmAddress = (address: Address) => new EvmAddress(hexToBytes(address));
const plain = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
