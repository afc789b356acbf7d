import { createTx } from '@ethereumjs/tx';
import { Account, Address, hexToBytes } from '@ethereumjs/util';
import { bytesToHex, decodeErrorResult, parseAbi } from 'viem';
import type { StoredBlock } from '../blocks/chain-reader.js';
import { PartnerChainError, rejected } from '../errors.js';
import { applyAuthorizations } from '../evm/authorizations.js';
import type { CallFrame } from '../evm/call-tree.js';
import { credit } from '../evm/execute-transaction.js';
import { BASE_FEE_PER_GAS, effectiveGasPrice } from '../evm/fees.js';
import type { BlockEnvironment, PartnerEvm } from '../evm/partner-evm.js';
import { floorGas, runMessage, type ExecutionResult } from '../evm/run-message.js';
import { LayeredState } from '../state/layered-state.js';
import type { StateReader } from '../state/state-reader.js';
import { feeInUnits, toUnits, WEI_PER_UNIT } from '../units.js';
import { toAuthorizationBytes, type CallRequest } from './call-request.js';
import { overrideBlock, toLayer } from './overrides.js';

/** Source of the chain's states by block: the chain reader. */
interface StateSource {
  state(blockNumber: number): StateReader;
}

/** The state and the block of a call. */
export interface CallContext {
  readonly state: StateReader;
  readonly block: BlockEnvironment;
}

/** Maximum gas of a call, as of a transaction (EIP-7825). */
export const CALL_GAS_CAP = 2n ** 24n;

/** Intrinsic gas of an authorization (EIP-7702: PER_EMPTY_ACCOUNT_COST). */
const GAS_PER_AUTHORIZATION = 25_000n;

/** An estimate can exceed the minimum sufficient gas by 1/64, as in geth. */
const TOLERANCE = 64n;

const STANDARD_ERRORS = parseAbi(['error Error(string)', 'error Panic(uint256)']);

/**
 * Creates the context of a call on the state after a block, with the request's overrides.
 *
 * @throws the errors of `toLayer`.
 */
export function contextAfter(
  evm: PartnerEvm,
  source: StateSource,
  { header }: Pick<StoredBlock, 'header'>,
  { stateOverrides, blockOverrides }: Pick<CallRequest, 'stateOverrides' | 'blockOverrides'> = {},
): CallContext {
  const state = source.state(header.number);
  const block = { ...header, coinbase: new Address(header.coinbase), baseFeePerGas: BASE_FEE_PER_GAS };
  return {
    state: stateOverrides === undefined ? state : new LayeredState(state, toLayer(evm, state, stateOverrides)),
    block: overrideBlock(block, blockOverrides ?? {}),
  };
}

/**
 * Runs a call like a transaction of the next block, without keeping its changes.
 *
 * @throws PartnerChainError DUST for a value with a fraction of a unit; TRANSACTION_REJECTED if the balance does not
 *   cover value and fee, the gas does not cover the intrinsic gas, or no block accepts the price; INVALID_PARAMS for an
 *   impossible transaction.
 */
export async function simulate(evm: PartnerEvm, context: CallContext, request: CallRequest): Promise<ExecutionResult> {
  evm.begin(context.state);
  return await runCall(evm, context.block, request);
}

/** Runs a call like `simulate` on the EVM's current state, which keeps the changes. */
export async function runCall(
  evm: PartnerEvm,
  block: BlockEnvironment,
  request: CallRequest,
): Promise<ExecutionResult> {
  const gasLimit = cappedGas(request);
  const value = toUnits(request.value);
  const data = hexToBytes(request.data);
  const from = new Address(hexToBytes(request.from));
  const price = computePrice(request, block);
  evm.beginTransaction();

  const account = (await evm.state.getAccount(from)) ?? new Account();
  const mostFee = feeInUnits(gasLimit * request.gasPrice);
  if (account.balance < value + mostFee) {
    throw rejected(
      `insufficient funds for gas * price + value: ${request.from} has ${account.balance * WEI_PER_UNIT} wei, ` +
        `wants ${(value + mostFee) * WEI_PER_UNIT} wei`,
    );
  }
  const intrinsicGas = computeIntrinsicGas(evm, request, gasLimit);
  const floor = floorGas(data);
  const least = intrinsicGas > floor ? intrinsicGas : floor;
  if (gasLimit < least) throw rejected(`intrinsic gas too low: gas ${gasLimit}, needed ${least}`);
  const prepaid = feeInUnits(gasLimit * price);
  account.balance -= prepaid;
  account.nonce += 1n;
  await evm.evm.journal.putAccount(from, account);
  const authorizations = (request.authorizationList ?? []).map(toAuthorizationBytes);
  const refund = await applyAuthorizations(evm, authorizations, evm.evm.common.chainId());
  const result = await runMessage(
    evm,
    {
      from,
      to: request.to === null ? undefined : new Address(hexToBytes(request.to)),
      value,
      data,
      gasLimit,
      intrinsicGas,
      floorGas: floor,
      refund,
      gasPrice: price / WEI_PER_UNIT,
      accessList: request.accessList,
    },
    block,
  );
  const fee = feeInUnits(result.gasUsed * price);
  await credit(evm, from, prepaid - fee);
  await credit(evm, block.coinbase, fee);
  return result;
}

/** Traces the call tree of a call, with its total gas in the outermost frame. */
export async function traceCall(evm: PartnerEvm, context: CallContext, request: CallRequest): Promise<CallFrame> {
  const { calls, gasUsed } = await simulate(evm, context, request);
  return Object.assign(calls, { gas: cappedGas(request), gasUsed });
}

/**
 * Estimates the gas with which a call succeeds as a transaction, lazy accounts included.
 *
 * @throws PartnerChainError EXECUTION_REVERTED if it fails with the maximum gas; the errors of `simulate`.
 */
export async function estimateGas(evm: PartnerEvm, context: CallContext, request: CallRequest): Promise<bigint> {
  computePrice(request, context.block);
  // The balance limits the payment, not the needed gas.
  const run = (gas: bigint): Promise<ExecutionResult> =>
    simulate(evm, context, { ...request, gas, gasPrice: 0n, maxPriorityFeePerGas: null });
  const cap = cappedGas(request);
  const widest = await run(cap);
  if (widest.status === 0) throw revertError(widest);
  let failing = widest.gasUsed - 1n;
  let enough = cap;
  // Usually the gas used is the gas needed. Only calls that pass on a part of their gas need more (EIP-150).
  let guess = widest.gasNeeded;
  while (enough - failing > 1n && enough - failing > enough / TOLERANCE) {
    if ((await run(guess)).status === 1) enough = guess;
    else failing = guess;
    if (enough === widest.gasNeeded) return enough;
    guess = (failing + enough) / 2n;
  }
  return enough;
}

/** Creates the error of a failed execution, with the contract's reason if there is one. Only a revert has data. */
export function revertError({ error, returnValue }: ExecutionResult): PartnerChainError {
  if (error !== 'revert') return new PartnerChainError('EXECUTION_REVERTED', error ?? 'failed');
  const data = bytesToHex(returnValue);
  return new PartnerChainError('EXECUTION_REVERTED', decodeReason(data), { data });
}

function decodeReason(data: `0x${string}`): string {
  if (data === '0x') return 'without a reason';
  try {
    const { errorName, args } = decodeErrorResult({ abi: STANDARD_ERRORS, data });
    return errorName === 'Error' ? args[0] : `panic 0x${args[0].toString(16)}`;
  } catch {
    return `with the custom error ${data.slice(0, 10)}`;
  }
}

function cappedGas({ gas }: CallRequest): bigint {
  return gas === null || gas > CALL_GAS_CAP ? CALL_GAS_CAP : gas;
}

/**
 * Computes the price of a unit of gas in wei. A call without a price pays nothing.
 *
 * @throws PartnerChainError TRANSACTION_REJECTED for a price that no block accepts, in wording that libraries
 * recognise.
 */
function computePrice({ gasPrice, maxPriorityFeePerGas }: CallRequest, { baseFeePerGas }: BlockEnvironment): bigint {
  const tip = maxPriorityFeePerGas ?? 0n;
  if (gasPrice === 0n && tip === 0n) return 0n;
  if (tip > gasPrice) {
    throw rejected(`max priority fee per gas higher than max fee per gas: ${tip} and ${gasPrice} wei`);
  }
  if (gasPrice < baseFeePerGas) {
    throw rejected(`max fee per gas less than block base fee: ${gasPrice} wei offered, ${baseFeePerGas} needed`);
  }
  const price = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: maxPriorityFeePerGas ?? gasPrice };
  return effectiveGasPrice(price, baseFeePerGas);
}

function computeIntrinsicGas({ evm }: PartnerEvm, request: CallRequest, gasLimit: bigint): bigint {
  const shape = {
    type: 1,
    gasLimit,
    data: request.data,
    accessList: request.accessList.map(({ address, storageKeys }) => ({ address, storageKeys: [...storageKeys] })),
    ...(request.to === null ? {} : { to: request.to }),
  };
  const authorizationGas = BigInt(request.authorizationList?.length ?? 0) * GAS_PER_AUTHORIZATION;
  try {
    return createTx(shape, { common: evm.common, freeze: false }).getIntrinsicGas() + authorizationGas;
  } catch (error) {
    // Too long initcode or an invalid access list, which no transaction could have.
    throw new PartnerChainError('INVALID_PARAMS', error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}
