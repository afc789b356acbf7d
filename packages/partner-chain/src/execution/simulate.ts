import { Account, Address, hexToBytes } from '@ethereumjs/util';
import { createTx } from '@ethereumjs/tx';
import { ChainError } from '../errors/chain-error.js';
import { BASE_FEE_PER_GAS } from '../fees/fee-schedule.js';
import type { ChainReader, StoredBlock } from '../storage/chain-reader.js';
import { feeInUnits } from '../units/fee-in-units.js';
import { WEI_PER_UNIT } from '../units/native-unit.js';
import { toUnits } from '../units/to-units.js';
import type { BlockEnvironment } from './block-environment.js';
import type { CallRequest } from './call-request.js';
import type { ExecutionResult } from './execution-result.js';
import { floorGas } from './floor-gas.js';
import type { Machine } from './machine.js';
import { runMessage } from './run-message.js';

/** The most gas a call may use: what a transaction may (EIP-7825). */
export const CALL_GAS_CAP = 2n ** 24n;

/**
 * Runs a call on the state after a block as if it were a transaction of the next, and keeps nothing of it.
 *
 * @throws ChainError DUST for a value with a fraction of a unit, TRANSACTION_REJECTED when the sender's balance does not cover what it sends and
 *   offers to pay, or the gas does not cover the intrinsic gas.
 */
export async function simulate(
  machine: Machine,
  reader: ChainReader,
  block: StoredBlock,
  request: CallRequest,
): Promise<ExecutionResult> {
  const gasLimit = request.gas === null || request.gas > CALL_GAS_CAP ? CALL_GAS_CAP : request.gas;
  const value = toUnits(request.value);
  const data = hexToBytes(request.data);
  const from = new Address(hexToBytes(request.from));
  machine.state.reset(reader.state(block.header.number));
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
      refund: 0n,
      gasPrice: request.gasPrice / WEI_PER_UNIT,
      accessList: request.accessList,
    },
    environmentAfter(block),
  );
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
  return createTx(shape, { common: evm.common, freeze: false }).getIntrinsicGas();
}
