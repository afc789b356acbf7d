import { Account, Address, hexToBytes, unpadBytes, type EOACode7702AuthorizationListBytesItem } from '@ethereumjs/util';
import { createTx } from '@ethereumjs/tx';
import { ChainError } from '../errors/chain-error.js';
import { BASE_FEE_PER_GAS } from '../fees/fee-schedule.js';
import type { ChainReader, StoredBlock } from '../storage/chain-reader.js';
import { feeInUnits } from '../units/fee-in-units.js';
import { WEI_PER_UNIT } from '../units/native-unit.js';
import { toUnits } from '../units/to-units.js';
import { applyAuthorizations } from './apply-authorizations.js';
import type { BlockEnvironment } from './block-environment.js';
import type { CallAuthorization, CallRequest } from './call-request.js';
import type { ExecutionResult } from './execution-result.js';
import { floorGas } from './floor-gas.js';
import type { Machine } from './machine.js';
import { runMessage } from './run-message.js';

/** The most gas a call may use: what a transaction may (EIP-7825). */
export const CALL_GAS_CAP = 2n ** 24n;

/** What an authorization costs before anything runs (EIP-7702: PER_EMPTY_ACCOUNT_COST). */
const GAS_PER_AUTHORIZATION = 25_000n;

/**
 * Runs a call on the state after a block as if it were a transaction of the next, and keeps nothing of it.
 *
 * @param lazyAccountGas gas for each account that comes into being.
 * @throws ChainError DUST for a value with a fraction of a unit, TRANSACTION_REJECTED when the sender's balance does not cover what it sends and
 *   offers to pay, or the gas does not cover the intrinsic gas, INVALID_PARAMS for what no transaction could be.
 */
export async function simulate(
  machine: Machine,
  reader: ChainReader,
  block: StoredBlock,
  request: CallRequest,
  lazyAccountGas = machine.lazyAccountGas,
): Promise<ExecutionResult> {
  const gasLimit = request.gas === null || request.gas > CALL_GAS_CAP ? CALL_GAS_CAP : request.gas;
  const value = toUnits(request.value);
  const data = hexToBytes(request.data);
  const from = new Address(hexToBytes(request.from));
  machine.begin(reader.state(block.header.number));
  machine.beginTransaction();

  const account = (await machine.state.getAccount(from)) ?? new Account();
  const fee = feeInUnits(gasLimit * request.gasPrice);
  if (account.balance < value + fee) {
    throw new ChainError(
      'TRANSACTION_REJECTED',
      `insufficient funds: ${request.from} has ${account.balance * WEI_PER_UNIT} wei, wants ${(value + fee) * WEI_PER_UNIT} wei`,
    );
  }
  const intrinsicGas = intrinsicGasOf(machine, request, gasLimit);
  const floor = floorGas(data);
  const least = intrinsicGas > floor ? intrinsicGas : floor;
  if (gasLimit < least) {
    throw new ChainError('TRANSACTION_REJECTED', `intrinsic gas too low: gas ${gasLimit}, needed ${least}`);
  }
  account.balance -= fee;
  account.nonce += 1n;
  await machine.evm.journal.putAccount(from, account);
  const authorizations = (request.authorizationList ?? []).map(toBytes);
  const refund = await applyAuthorizations(machine, authorizations, machine.evm.common.chainId());
  return await runMessage(
    machine,
    {
      from,
      to: request.to === null ? undefined : new Address(hexToBytes(request.to)),
      value,
      data,
      gasLimit,
      intrinsicGas,
      floorGas: floor,
      lazyAccountGas,
      refund,
      gasPrice: request.gasPrice / WEI_PER_UNIT,
      accessList: request.accessList,
    },
    environmentAfter(block),
  );
}

function toBytes(authorization: CallAuthorization): EOACode7702AuthorizationListBytesItem {
  const quantity = (text: `0x${string}`): Uint8Array => unpadBytes(hexToBytes(text));
  const { chainId, address, nonce, yParity, r, s } = authorization;
  return [quantity(chainId), hexToBytes(address), quantity(nonce), quantity(yParity), quantity(r), quantity(s)];
}

function environmentAfter({ header }: StoredBlock): BlockEnvironment {
  return {
    number: header.number,
    timestamp: header.timestamp,
    coinbase: new Address(header.coinbase),
    prevRandao: header.prevRandao,
    gasLimit: header.gasLimit,
    baseFeePerGas: BASE_FEE_PER_GAS,
  };
}

function intrinsicGasOf({ evm }: Machine, request: CallRequest, gasLimit: bigint): bigint {
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
    // Initcode that is too long, an access list that is none: no transaction could be like that.
    throw new ChainError('INVALID_PARAMS', error instanceof Error ? error.message : String(error), { cause: error });
  }
}
