import { Account, Address, hexToBytes, unprefixedHexToBytes } from '@ethereumjs/util';
import type { Log } from '../logs/log.js';
import type { CallFrame } from './call-tree.js';
import type { BlockEnvironment, PartnerEvm } from './partner-evm.js';

/** The message that a transaction or a call asks the EVM to run. */
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
  /** The least gas paid in all (EIP-7623). */
  readonly floorGas: bigint;
  /** Gas for each account that is created lazily. */
  readonly lazyAccountGas: bigint;
  /** Gas that is refunded in every case (EIP-7702). */
  readonly refund: bigint;
  /** Inside the EVM: units of 8 decimals, rounded down. */
  readonly gasPrice: bigint;
  readonly accessList: readonly { readonly address: string; readonly storageKeys: readonly string[] }[];
}

/** The outcome of a message. */
export interface ExecutionResult {
  readonly status: 0 | 1;
  /** Gas paid, after refunds, lazy accounts included. */
  readonly gasUsed: bigint;
  /** The most gas that had to be available at any moment, before refunds. */
  readonly gasNeeded: bigint;
  readonly logs: readonly Log[];
  readonly returnValue: Uint8Array;
  /** The EVM's error; null on success. */
  readonly error: string | null;
  readonly createdAddress: Address | null;
  readonly calls: CallFrame;
  /** Number of accounts that were created by sending them coin or tokens. */
  readonly lazyAccounts: number;
}

/** At most a fifth of the gas used is refunded (EIP-3529). */
const MAX_REFUND_QUOTIENT = 5n;
const FLOOR_GAS_PER_TOKEN = 10n;
const TOKENS_PER_NONZERO_BYTE = 4n;
const TRANSACTION_GAS = 21_000n;
/** keccak256("Transfer(address,address,uint256)") (ERC-20). */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** The least gas that a transaction with this data pays (EIP-7623). */
export function floorGas(data: Uint8Array): bigint {
  let tokens = 0n;
  for (const byte of data) tokens += byte === 0 ? 1n : TOKENS_PER_NONZERO_BYTE;
  return TRANSACTION_GAS + FLOOR_GAS_PER_TOKEN * tokens;
}

/**
 * Runs a message and computes its gas. The caller handles the sender's nonce and fee. A message whose gas does not pay
 * for the accounts it creates fails as if it ran out of gas: all its changes are undone.
 */
export async function runMessage(
  partnerEvm: PartnerEvm,
  message: ExecutionMessage,
  environment: BlockEnvironment,
): Promise<ExecutionResult> {
  const { evm, state, tracer } = partnerEvm;
  warmUp(partnerEvm, message, environment);
  await evm.journal.checkpoint();
  const { execResult, createdAddress } = await evm.runCall({
    block: partnerEvm.toEvmBlock(environment),
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
    // Only a contract created by this same transaction is deleted (EIP-6780).
    if (execResult.createdAddresses?.has(destroyed) === true) {
      await state.deleteAccount(new Address(hexToBytes(destroyed)));
    }
  }
  await removeTouchedAccounts(partnerEvm);

  const failed = execResult.exceptionError !== undefined;
  const logs = failed ? [] : (execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data }));
  const lazyAccounts = failed ? 0 : await createLazyAccounts(partnerEvm, logs);
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

/**
 * Removes accounts that this transaction only touched (EIP-161). An empty account that existed before stays: it was
 * created lazily.
 */
async function removeTouchedAccounts({ state }: PartnerEvm): Promise<void> {
  for (const key of state.writtenAndNew()) {
    const address = new Address(unprefixedHexToBytes(key));
    const account = await state.getAccount(address);
    if (account?.isEmpty() === true) await state.putAccount(address, undefined);
  }
}

/**
 * Creates the missing recipients of this transaction's token transfers. Counts all accounts that the transaction
 * created by sending them coin or tokens (specification "Gas rule (lazy account creation)"). Contracts do not count:
 * their deployment has its own price.
 */
async function createLazyAccounts({ state }: PartnerEvm, logs: readonly Log[]): Promise<number> {
  let created = 0;
  for (const key of state.writtenAndNew()) {
    const account = await state.getAccount(new Address(unprefixedHexToBytes(key)));
    if (account !== undefined && account.nonce === 0n && !account.isContract()) created += 1;
  }
  for (const log of logs) {
    const recipient = tokenRecipient(log);
    if (recipient === null || (await state.getAccount(recipient)) !== undefined) continue;
    await state.putAccount(recipient, new Account());
    created += 1;
  }
  return created;
}

/** The recipient of an ERC-20 transfer; null for other logs, and when tokens are burned. */
function tokenRecipient(log: Log): Address | null {
  const [topic, , to] = log.topics;
  if (log.topics.length !== 3 || log.data.length !== 32 || topic === undefined || to === undefined) return null;
  if (Buffer.from(topic).toString('hex') !== TRANSFER_TOPIC) return null;
  const address = new Address(to.subarray(12));
  return address.isZero() ? null : address;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
