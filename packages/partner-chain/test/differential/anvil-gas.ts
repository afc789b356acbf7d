import type { Anvil } from '@causeway/test-kit';
import { hexToBytes, numberToHex, size, type Address, type Hex } from 'viem';
import { TRANSFER_TOPIC } from '../contracts.js';

/** The fields of a transaction for the comparison. */
export interface Sent {
  readonly hash: Hex;
  readonly to: Address | null;
  readonly value: bigint;
  readonly data: Hex;
  readonly gas: bigint;
  /** Gas of the access list and of authorizations. */
  readonly listGas: bigint;
  /** Accounts that signed an authorization, and gas that is refunded for those that existed. */
  readonly authorities: readonly Address[];
  readonly authorizationRefund: bigint;
}

/** Gas of a transaction in an anvil's trace. */
export interface TracedGas {
  readonly status: Hex;
  readonly gasUsed: bigint;
  /** Payments that create an account, in frames that ended with gas left. */
  readonly newAccounts: number;
  /** Returns the gas used if each of them costs `price`. */
  readonly gasWith: (price: bigint) => bigint;
}

interface Step {
  readonly op: string;
  readonly depth: number;
  readonly gas: number;
  readonly gasCost: number;
  readonly refund?: number;
  readonly stack: readonly Hex[];
}

interface Frame {
  readonly paidBefore: ReadonlySet<string>;
  readonly ownersBefore: ReadonlySet<string>;
  readonly countBefore: number;
  readonly isCreation: boolean;
  /** The last own balance that the code read. */
  balance: bigint;
}

const CREATIONS = new Set(['CREATE', 'CREATE2']);
const QUIET_ENDS = new Set(['STOP', 'RETURN', 'SELFDESTRUCT']);

/**
 * Finds the new accounts of transactions in an anvil's traces, where such an account costs nothing extra. Independent
 * of this chain's code.
 */
export class AnvilGas {
  /** Accounts that tokens of earlier transactions created; on an anvil tokens create no account. */
  private readonly owners = new Set<string>();

  constructor(private readonly anvil: Anvil) {}

  async trace(sent: Sent): Promise<TracedGas> {
    const receipt = (await this.anvil.request('eth_getTransactionReceipt', [sent.hash])) as {
      status: Hex;
      gasUsed: Hex;
      blockNumber: Hex;
      contractAddress: Address | null;
    };
    const options = { disableMemory: true, disableStorage: true };
    const traced = (await this.anvil.request('debug_traceTransaction', [sent.hash, options])) as { structLogs: Step[] };
    const steps = traced.structLogs;
    const deployed = receipt.contractAddress === null ? [] : [receipt.contractAddress];
    const block = numberToHex(BigInt(receipt.blockNumber) - 1n);
    const count = await this.countNewAccounts(sent, steps, receipt.status === '0x1', block, [
      ...sent.authorities,
      ...deployed,
    ]);
    const spent = await this.computeSpent(sent, steps, receipt.status === '0x1' ? deployed[0] : undefined);
    const refund = receipt.status === '0x1' ? BigInt(steps.at(-1)?.refund ?? 0) : 0n;
    const gasWith = (price: bigint): bigint => {
      const all = spent === sent.gas ? spent : spent + price * BigInt(count);
      const refunded = least(refund + sent.authorizationRefund, all / 5n);
      return most(all - refunded, computeFloor(sent.data));
    };
    const gasUsed = BigInt(receipt.gasUsed);
    if (gasWith(0n) !== gasUsed) throw new Error(`The trace of ${sent.hash} shows ${gasWith(0n)} gas, not ${gasUsed}`);
    return { status: receipt.status, gasUsed, newAccounts: count, gasWith };
  }

  /** @param deployed other accounts that exist when the code runs. */
  private async countNewAccounts(
    sent: Sent,
    steps: readonly Step[],
    isSuccess: boolean,
    block: Hex,
    deployed: readonly Address[],
  ): Promise<number> {
    const known = new Set(deployed.map(toKey));
    let paid = new Set<string>();
    /** Coin shows in the owner's balance; tokens do not. */
    let owners = new Set<string>();
    let count = 0;
    const pay = async (address: Address): Promise<void> => {
      const key = toKey(address);
      if (known.has(key) || paid.has(key) || this.owners.has(key) || (await this.exists(address, block))) return;
      paid.add(key);
      count += 1;
    };
    if (sent.to !== null && sent.value > 0n) await pay(sent.to);
    const frames: Frame[] = [
      { paidBefore: new Set(), ownersBefore: new Set(), countBefore: 0, isCreation: false, balance: 0n },
    ];
    for (const [index, step] of steps.entries()) {
      const frame = frames.at(-1);
      const next = steps[index + 1];
      if (frame === undefined) throw new Error('The trace has more ends than frames');
      if (step.op === 'SELFBALANCE') frame.balance = BigInt(next?.stack.at(-1) ?? 0);
      const payee = findPayee(step, frame);
      if (payee !== null) {
        await pay(payee);
        if (step.op === 'LOG3') owners.add(toKey(payee));
      }
      const depth = next?.depth ?? step.depth - 1;
      if (depth > step.depth) {
        const isCreation = CREATIONS.has(step.op);
        const before = { paidBefore: new Set(paid), ownersBefore: new Set(owners), countBefore: count };
        frames.push({ ...before, isCreation, balance: 0n });
      } else if (depth < step.depth) {
        frames.pop();
        if (QUIET_ENDS.has(step.op)) {
          if (frame.isCreation) known.add(toKey(toAddress(next?.stack.at(-1))));
        } else {
          paid = new Set(frame.paidBefore);
          owners = new Set(frame.ownersBefore);
          // The frame has used up its gas, whatever the cost of its payments.
          if (step.op !== 'REVERT') count = frame.countBefore;
        }
      }
    }
    if (isSuccess) for (const key of owners) this.owners.add(key);
    return count;
  }

  private async computeSpent(sent: Sent, steps: readonly Step[], contract: Address | undefined): Promise<bigint> {
    const last = steps.at(-1);
    if (last === undefined) return computeIntrinsicGas(sent);
    if (!QUIET_ENDS.has(last.op) && last.op !== 'REVERT') return sent.gas;
    const code =
      contract === undefined ? '0x' : ((await this.anvil.request('eth_getCode', [contract, 'latest'])) as Hex);
    return sent.gas - BigInt(last.gas - last.gasCost) + 200n * BigInt(size(code));
  }

  private async exists(address: Address, block: Hex): Promise<boolean> {
    const [balance, nonce, code] = (await Promise.all(
      ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method) =>
        this.anvil.request(method, [address, block]),
      ),
    )) as [Hex, Hex, Hex];
    return BigInt(balance) > 0n || BigInt(nonce) > 0n || code !== '0x';
  }
}

/** Finds the account that a step pays, also for a call that lacks the coin, as in Ethereum's price of a new account. */
function findPayee({ op, stack }: Step, { balance }: Frame): Address | null {
  const [first, second, third, , fifth] = stack.toReversed();
  if (op === 'CALL') return BigInt(third ?? 0) > 0n ? toAddress(second) : null;
  if (op === 'SELFDESTRUCT') return balance > 0n ? toAddress(first) : null;
  if (op !== 'LOG3' || BigInt(second ?? 0) !== 32n || BigInt(third ?? 0) !== BigInt(TRANSFER_TOPIC)) return null;
  return BigInt(fifth ?? 0) === 0n ? null : toAddress(fifth);
}

/** Gas before the first opcode (EIP-2028, EIP-2930, EIP-3860, EIP-7702). */
function computeIntrinsicGas({ to, data, listGas }: Sent): bigint {
  const zeros = hexToBytes(data).filter((byte) => byte === 0).length;
  const creation = to === null ? 32_000 + 2 * Math.ceil(size(data) / 32) : 0;
  return BigInt(21_000 + creation + 4 * zeros + 16 * (size(data) - zeros)) + listGas;
}

/** Computes the minimum gas for the data (EIP-7623). */
function computeFloor(data: Hex): bigint {
  const zeros = hexToBytes(data).filter((byte) => byte === 0).length;
  return BigInt(21_000 + 10 * (zeros + 4 * (size(data) - zeros)));
}

function toAddress(word: Hex | undefined): Address {
  return numberToHex(BigInt.asUintN(160, BigInt(word ?? 0)), { size: 20 });
}

function toKey(address: Address): string {
  return address.toLowerCase();
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
