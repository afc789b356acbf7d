import { Address, hexToBytes } from '@ethereumjs/util';
import type { Log } from '../logs/log.js';
import type { CallFrame } from './call-tree.js';
import type { BlockEnvironment, PartnerEvm } from './partner-evm.js';

/** The message of a transaction or call for the EVM. */
interface ExecutionMessage {
  readonly from: Address;
  /** Undefined for a creation. */
  readonly to: Address | undefined;
  /** Units of 8 decimals. */
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  /** Gas paid before the first opcode. */
  readonly intrinsicGas: bigint;
  /** Minimum total gas (EIP-7623). */
  readonly floorGas: bigint;
  /** Gas refunded in any case (EIP-7702). */
  readonly refund: bigint;
  /** Inside the EVM: units of 8 decimals, rounded down. */
  readonly gasPrice: bigint;
  readonly accessList: readonly { readonly address: string; readonly storageKeys: readonly string[] }[];
}

/** The result of a message. */
export interface ExecutionResult {
  readonly status: 0 | 1;
  /** Gas paid, after refunds. */
  readonly gasUsed: bigint;
  /** Maximum gas that had to be available, before refunds. */
  readonly gasNeeded: bigint;
  readonly logs: readonly Log[];
  readonly returnValue: Uint8Array;
  /** The EVM's error; null on success. */
  readonly error: string | null;
  readonly createdAddress: Address | null;
  readonly calls: CallFrame;
}

/** At most a fifth of the gas used is refunded (EIP-3529). */
const MAX_REFUND_QUOTIENT = 5n;
const FLOOR_GAS_PER_TOKEN = 10n;
const TOKENS_PER_NONZERO_BYTE = 4n;
const TRANSACTION_GAS = 21_000n;
const OUT_OF_GAS = 'out of gas';

/** Computes the minimum gas of a transaction with this data (EIP-7623). */
export function floorGas(data: Uint8Array): bigint {
  let tokens = 0n;
  for (const byte of data) tokens += byte === 0 ? 1n : TOKENS_PER_NONZERO_BYTE;
  return TRANSACTION_GAS + FLOOR_GAS_PER_TOKEN * tokens;
}

/**
 * Runs a message and computes its gas. The caller handles the sender's nonce and fee. A failed message changes no state
 * and only costs gas.
 */
export async function runMessage(
  partnerEvm: PartnerEvm,
  message: ExecutionMessage,
  environment: BlockEnvironment,
): Promise<ExecutionResult> {
  const { evm, state, tracer, lazyAccountGas } = partnerEvm;
  warmUp(partnerEvm, message, environment);
  await evm.journal.checkpoint();
  const isFirstPayment = message.to !== undefined && message.value > 0n && state.createForPayment(message.to, false);
  const gas = message.gasLimit - message.intrinsicGas - (isFirstPayment ? lazyAccountGas : 0n);
  const { execResult, createdAddress } = await evm.runCall({
    block: partnerEvm.toEvmBlock(environment),
    gasPrice: message.gasPrice,
    origin: message.from,
    caller: message.from,
    gasLimit: max(gas, 0n),
    value: message.value,
    data: message.data,
    skipNonceIncrement: true,
    ...(message.to === undefined ? {} : { to: message.to }),
  });
  const calls = tracer.take();
  if (calls === null) throw new Error('The EVM ran nothing');
  const isUnpaid = gas < 0n;
  if (isUnpaid) Object.assign(calls, { error: OUT_OF_GAS, output: '0x' });
  const error = isUnpaid ? OUT_OF_GAS : (execResult.exceptionError?.error ?? null);
  if (error === null) {
    for (const destroyed of execResult.selfdestruct?.keys() ?? []) {
      // Only a contract created by this same transaction is deleted (EIP-6780).
      if (execResult.createdAddresses?.has(destroyed) === true) {
        await state.deleteAccount(new Address(hexToBytes(destroyed)));
      }
    }
    state.removeTouched();
    await evm.journal.commit();
  } else {
    await evm.journal.revert();
  }
  const spent = message.gasLimit - (isUnpaid ? 0n : gas - execResult.executionGasUsed);
  const refund = message.refund + (error === null ? (execResult.gasRefund ?? 0n) : 0n);
  return {
    status: error === null ? 1 : 0,
    gasUsed: max(spent - min(refund, spent / MAX_REFUND_QUOTIENT), message.floorGas),
    gasNeeded: max(spent, message.floorGas),
    logs: error === null ? (execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data })) : [],
    returnValue: isUnpaid ? new Uint8Array(0) : execResult.returnValue,
    error,
    createdAddress: createdAddress ?? null,
    calls,
  };
}

/** Marks the addresses and slots that are warm from the start (EIP-2929, EIP-2930, EIP-3651). */
function warmUp({ evm }: PartnerEvm, message: ExecutionMessage, environment: BlockEnvironment): void {
  for (const precompile of evm.precompiles.keys()) evm.journal.addAlwaysWarmAddress(precompile);
  evm.journal.addAlwaysWarmAddress(message.from.toString());
  evm.journal.addAlwaysWarmAddress(environment.coinbase.toString());
  if (message.to !== undefined) evm.journal.addAlwaysWarmAddress(message.to.toString());
  for (const { address, storageKeys } of message.accessList) {
    evm.journal.addAlwaysWarmAddress(address);
    for (const key of storageKeys) evm.journal.addAlwaysWarmSlot(address, key);
  }
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
