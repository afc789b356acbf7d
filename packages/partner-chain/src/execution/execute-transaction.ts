import { Capability, isEOACode7702Tx, type TypedTransaction } from '@ethereumjs/tx';
import { Account, bytesToHex, type Address } from '@ethereumjs/util';
import { ChainError } from '../errors/chain-error.js';
import type { ChainTransaction } from '../transaction/chain-transaction.js';
import { feeInUnits } from '../units/fee-in-units.js';
import { WEI_PER_UNIT } from '../units/native-unit.js';
import { applyAuthorizations } from './apply-authorizations.js';
import type { BlockEnvironment } from './block-environment.js';
import { checkSender } from './check-sender.js';
import { effectiveGasPrice } from './effective-gas-price.js';
import type { ExecutionResult } from './execution-result.js';
import { floorGas } from './floor-gas.js';
import type { Machine } from './machine.js';
import { runMessage } from './run-message.js';
import { trimCallTree } from './trim-call-tree.js';

/**
 * Executes a transaction at the end of a block in the making: takes the most the gas may cost, raises the nonce, runs, gives back what was not used.
 * The fee is rounded up to a whole unit of 8 decimals and goes to the block's coinbase, so coin is neither made nor lost.
 *
 * @throws ChainError TRANSACTION_REJECTED when it cannot stand here; nothing has changed then.
 */
export async function executeTransaction(
  machine: Machine,
  transaction: ChainTransaction,
  environment: BlockEnvironment,
): Promise<ExecutionResult> {
  const { evm, state } = machine;
  const { tx, sender } = transaction;
  machine.beginTransaction();
  const account = await state.getAccount(sender);
  const nonce = account?.nonce ?? 0n;
  if (tx.nonce !== nonce) {
    throw new ChainError('TRANSACTION_REJECTED', `nonce ${tx.nonce} of ${sender.toString()} is not its next, ${nonce}`);
  }
  if (transaction.maxFeePerGas < environment.baseFeePerGas) {
    throw new ChainError('TRANSACTION_REJECTED', `max fee ${transaction.maxFeePerGas} is below the base fee`);
  }
  checkSender(transaction, account, await state.getCode(sender));
  const price = effectiveGasPrice(transaction, environment.baseFeePerGas);
  const prepaid = feeInUnits(tx.gasLimit * price);
  const payer = account ?? new Account();
  payer.balance -= prepaid;
  payer.nonce += 1n;
  await evm.journal.putAccount(sender, payer);
  const refund = await applyAuthorizations(
    machine,
    isEOACode7702Tx(tx) ? tx.authorizationList : [],
    evm.common.chainId(),
  );

  const result = await runMessage(
    machine,
    {
      from: sender,
      to: tx.to,
      value: transaction.valueUnits,
      data: tx.data,
      gasLimit: tx.gasLimit,
      intrinsicGas: tx.getIntrinsicGas(),
      floorGas: floorGas(tx.data),
      lazyAccountGas: machine.lazyAccountGas,
      refund,
      gasPrice: price / WEI_PER_UNIT,
      accessList: accessListOf(tx),
    },
    environment,
  );

  const fee = feeInUnits(result.gasUsed * price);
  await credit(machine, sender, prepaid - fee);
  await credit(machine, environment.coinbase, fee);
  result.calls.gas = tx.gasLimit;
  result.calls.gasUsed = result.gasUsed;
  trimCallTree(result.calls, result.gasUsed);
  return result;
}

async function credit({ evm, state }: Machine, address: Address, units: bigint): Promise<void> {
  if (units === 0n) return;
  const account = (await state.getAccount(address)) ?? new Account();
  account.balance += units;
  await evm.journal.putAccount(address, account);
}

function accessListOf(tx: TypedTransaction): { address: string; storageKeys: string[] }[] {
  if (!tx.supports(Capability.EIP2930AccessLists) || !('accessList' in tx)) return [];
  return tx.accessList.map(([address, keys]) => ({ address: bytesToHex(address), storageKeys: keys.map(bytesToHex) }));
}
