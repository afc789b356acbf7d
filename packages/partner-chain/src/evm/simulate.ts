import { Account, Address, hexToBytes, unpadBytes, type EOACode7702AuthorizationListBytesItem } from '@ethereumjs/util';
import { createTx } from '@ethereumjs/tx';
import { bytesToHex, decodeErrorResult, parseAbi } from 'viem';
import { PartnerChainError, rejected } from '../errors.js';
import type { StateReader } from '../state/state-reader.js';
import { feeInUnits, toUnits, WEI_PER_UNIT } from '../units.js';
import { applyAuthorizations } from './authorizations.js';
import { BASE_FEE_PER_GAS } from './fees.js';
import type { BlockEnvironment, PartnerEvm } from './partner-evm.js';
import { floorGas, runMessage, type ExecutionResult } from './run-message.js';

/** One of a call's authorizations (EIP-7702). */
interface CallAuthorization {
  readonly chainId: `0x${string}`;
  readonly address: `0x${string}`;
  readonly nonce: `0x${string}`;
  readonly yParity: `0x${string}`;
  readonly r: `0x${string}`;
  readonly s: `0x${string}`;
}

/** The request of eth_call and eth_estimateGas, in the RPC's terms: values in wei. */
export interface CallRequest {
  readonly from: `0x${string}`;
  /** Null for a creation. */
  readonly to: `0x${string}` | null;
  /** Wei; a multiple of 10^10. */
  readonly value: bigint;
  readonly data: `0x${string}`;
  /** Null for as much as is allowed. */
  readonly gas: bigint | null;
  /** Wei for a unit of gas; 0 charges nothing. */
  readonly gasPrice: bigint;
  /** Signed permissions to run other code for accounts (EIP-7702). Quantities as 0x-hex. */
  readonly authorizationList?: readonly CallAuthorization[];
  readonly accessList: readonly { readonly address: `0x${string}`; readonly storageKeys: readonly `0x${string}`[] }[];
}

/** The states of the chain by block: the chain reader. */
interface StateSource {
  state(blockNumber: number): StateReader;
}

/** The block on whose state a call runs. */
interface CallBlock {
  readonly header: Omit<BlockEnvironment, 'coinbase'> & { readonly coinbase: Uint8Array };
}

/** The most gas of a call, as of a transaction (EIP-7825). */
export const CALL_GAS_CAP = 2n ** 24n;

/** Intrinsic gas of an authorization (EIP-7702: PER_EMPTY_ACCOUNT_COST). */
const GAS_PER_AUTHORIZATION = 25_000n;

/** An estimate may exceed the least sufficient gas by this share: 1/64, as geth's. */
const TOLERANCE = 64n;

const STANDARD_ERRORS = parseAbi(['error Error(string)', 'error Panic(uint256)']);

/**
 * Runs a call on the state after a block as if it were a transaction of the next block, and keeps nothing of it.
 *
 * @throws PartnerChainError DUST for a value with a fraction of a unit; TRANSACTION_REJECTED when the balance does not
 *   cover value and fee, or the gas does not cover the intrinsic gas; INVALID_PARAMS for an impossible transaction.
 */
export async function simulate(
  evm: PartnerEvm,
  source: StateSource,
  block: CallBlock,
  request: CallRequest,
): Promise<ExecutionResult> {
  const gasLimit = cappedGas(request);
  const value = toUnits(request.value);
  const data = hexToBytes(request.data);
  const from = new Address(hexToBytes(request.from));
  evm.begin(source.state(block.header.number));
  evm.beginTransaction();

  const account = (await evm.state.getAccount(from)) ?? new Account();
  const fee = feeInUnits(gasLimit * request.gasPrice);
  if (account.balance < value + fee) {
    throw rejected(
      `insufficient funds: ${request.from} has ${account.balance * WEI_PER_UNIT} wei, wants ${(value + fee) * WEI_PER_UNIT} wei`,
    );
  }
  const intrinsicGas = computeIntrinsicGas(evm, request, gasLimit);
  const floor = floorGas(data);
  const least = intrinsicGas > floor ? intrinsicGas : floor;
  if (gasLimit < least) throw rejected(`intrinsic gas too low: gas ${gasLimit}, needed ${least}`);
  account.balance -= fee;
  account.nonce += 1n;
  await evm.evm.journal.putAccount(from, account);
  const authorizations = (request.authorizationList ?? []).map(toBytes);
  const refund = await applyAuthorizations(evm, authorizations, evm.evm.common.chainId());
  return await runMessage(
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
      gasPrice: request.gasPrice / WEI_PER_UNIT,
      accessList: request.accessList,
    },
    toBlockEnvironment(block),
  );
}

/**
 * Estimates the gas with which a call succeeds as a transaction, lazy accounts included.
 *
 * @throws PartnerChainError EXECUTION_REVERTED when it fails with all the gas it may have, and the errors of
 *   `simulate`.
 */
export async function estimateGas(
  evm: PartnerEvm,
  source: StateSource,
  block: CallBlock,
  request: CallRequest,
): Promise<bigint> {
  // The price is ignored: the balance limits the payment, not the gas that is needed.
  const run = (gas: bigint): Promise<ExecutionResult> =>
    simulate(evm, source, block, { ...request, gas, gasPrice: 0n });
  const cap = cappedGas(request);
  const widest = await run(cap);
  if (widest.status === 0) throw revertError(widest);
  let failing = widest.gasUsed - 1n;
  let enough = cap;
  // Mostly the gas used is the gas needed. Only calls that pass on all but a part of their gas want more (EIP-150).
  let guess = widest.gasNeeded;
  while (enough - failing > 1n && enough - failing > enough / TOLERANCE) {
    if ((await run(guess)).status === 1) enough = guess;
    else failing = guess;
    if (enough === widest.gasNeeded) return enough;
    guess = (failing + enough) / 2n;
  }
  return enough;
}

/** The error of a failed execution, with the contract's reason if it gave one. */
export function revertError(result: ExecutionResult): PartnerChainError {
  const data = bytesToHex(result.returnValue);
  const message = result.error === 'revert' ? decodeReason(data) : (result.error ?? 'failed');
  return new PartnerChainError('EXECUTION_REVERTED', message, { data });
}

function decodeReason(data: `0x${string}`): string {
  if (data === '0x') return 'without a reason';
  try {
    const { errorName, args } = decodeErrorResult({ abi: STANDARD_ERRORS, data });
    return errorName === 'Error' ? args[0] : `panic 0x${args[0].toString(16)}`;
  } catch {
    return `with the contract's own error ${data.slice(0, 10)}`;
  }
}

function cappedGas({ gas }: CallRequest): bigint {
  return gas === null || gas > CALL_GAS_CAP ? CALL_GAS_CAP : gas;
}

function toBytes(authorization: CallAuthorization): EOACode7702AuthorizationListBytesItem {
  const quantity = (text: `0x${string}`): Uint8Array => unpadBytes(hexToBytes(text));
  const { chainId, address, nonce, yParity, r, s } = authorization;
  return [quantity(chainId), hexToBytes(address), quantity(nonce), quantity(yParity), quantity(r), quantity(s)];
}

function toBlockEnvironment({ header }: CallBlock): BlockEnvironment {
  return {
    number: header.number,
    timestamp: header.timestamp,
    coinbase: new Address(header.coinbase),
    prevRandao: header.prevRandao,
    gasLimit: header.gasLimit,
    baseFeePerGas: BASE_FEE_PER_GAS,
  };
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
    // Initcode that is too long, or an invalid access list: no transaction could have it.
    throw new PartnerChainError('INVALID_PARAMS', error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}
