import { Address, hexToBytes } from '@ethereumjs/util';
import type { BlockEnvironment } from './block-environment.js';
import type { ExecutionResult } from './execution-result.js';
import { createLazyAccounts, removeTouchedAccounts } from './lazy-accounts.js';
import type { Machine } from './machine.js';

/** What a transaction or a call asks the EVM to run. */
export interface ExecutionMessage {
  readonly from: Address;
  /** None for a creation. */
  readonly to: Address | undefined;
  /** Units of 8 decimals. */
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  /** Gas paid before the first opcode, and the least that is paid in all (EIP-7623). */
  readonly intrinsicGas: bigint;
  readonly floorGas: bigint;
  /** Gas for each account that comes into being. */
  readonly lazyAccountGas: bigint;
  /** Gas that is given back whatever happens (EIP-7702). */
  readonly refund: bigint;
  /** Inside the EVM: units of 8 decimals, rounded down. */
  readonly gasPrice: bigint;
  readonly accessList: readonly { readonly address: string; readonly storageKeys: readonly string[] }[];
}

/** A fifth of the gas used may be given back at most (EIP-3529). */
const MAX_REFUND_QUOTIENT = 5n;

/**
 * Runs a message and works out its gas. The sender's nonce and fee are the caller's business. A message whose gas does not pay for the accounts it
 * brings into being fails like one that ran out of gas: everything it did is undone.
 */
export async function runMessage(
  machine: Machine,
  message: ExecutionMessage,
  environment: BlockEnvironment,
): Promise<ExecutionResult> {
  const { evm, state, tracer } = machine;
  warmUp(machine, message, environment);
  await evm.journal.checkpoint();
  const { execResult, createdAddress } = await evm.runCall({
    block: machine.blockOf(environment),
    gasPrice: message.gasPrice,
    origin: message.from,
    caller: message.from,
    gasLimit: message.gasLimit - message.intrinsicGas,
    value: message.value,
    data: message.data,
    skipNonceIncrement: true,
    ...(message.to === undefined ? {} : { to: message.to }),
  });
  for (const destroyed of execResult.selfdestruct?.keys() ?? []) {
    // Only a contract of this very transaction goes (EIP-6780).
    if (execResult.createdAddresses?.has(destroyed) === true) {
      await state.deleteAccount(new Address(hexToBytes(destroyed)));
    }
  }
  await removeTouchedAccounts(machine);

  const failed = execResult.exceptionError !== undefined;
  const logs = failed ? [] : (execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data }));
  const lazyAccounts = failed ? 0 : await createLazyAccounts(machine, logs);
  const lazyGas = BigInt(lazyAccounts) * message.lazyAccountGas;
  const spent = message.intrinsicGas + execResult.executionGasUsed;
  const refund = min(message.refund + (failed ? 0n : (execResult.gasRefund ?? 0n)), spent / MAX_REFUND_QUOTIENT);
  const gasUsed = max(spent - refund, message.floorGas) + lazyGas;
  const gasNeeded = max(spent, message.floorGas) + lazyGas;
  const calls = tracer.take();
  if (calls === null) throw new Error('The EVM ran nothing');

  if (gasNeeded > message.gasLimit) {
    await evm.journal.revert();
    calls.error = 'out of gas';
    calls.output = '0x';
    if (message.to === undefined) calls.to = null;
    const kept = min(message.refund, message.gasLimit / MAX_REFUND_QUOTIENT);
    return {
      status: 0,
      gasUsed: max(message.gasLimit - kept, message.floorGas),
      gasNeeded,
      logs: [],
      returnValue: new Uint8Array(0),
      error: 'out of gas',
      createdAddress: createdAddress ?? null,
      calls,
      lazyAccounts: 0,
    };
  }
  await evm.journal.commit();
  return {
    status: failed ? 0 : 1,
    gasUsed,
    gasNeeded,
    logs,
    returnValue: execResult.returnValue,
    error: execResult.exceptionError?.error ?? null,
    createdAddress: createdAddress ?? null,
    calls,
    lazyAccounts,
  };
}

/** Addresses and slots that are warm from the beginning (EIP-2929, EIP-2930, EIP-3651). */
function warmUp({ evm }: Machine, message: ExecutionMessage, environment: BlockEnvironment): void {
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
