import { Capability, isEOACode7702Tx, type TypedTransaction } from '@ethereumjs/tx';
import { Account, bytesToHex, type Address } from '@ethereumjs/util';
import { rejected } from '../errors.js';
import { feeInUnits, WEI_PER_UNIT } from '../units.js';
import { applyAuthorizations, isDelegation } from './authorizations.js';
import { trimCallTree } from './call-tree.js';
import { effectiveGasPrice } from './fees.js';
import type { BlockEnvironment, PartnerEvm } from './partner-evm.js';
import { floorGas, runMessage, type ExecutionResult } from './run-message.js';
import { costInUnits, type ChainTransaction } from './transaction.js';

/**
 * Executes a transaction at the end of a new block: prepays all its gas, raises the nonce, runs, refunds unused gas.
 * The fee is rounded up to a whole unit of 8 decimals and goes to the block's coinbase, so coin is neither created nor
 * lost.
 *
 * @throws PartnerChainError TRANSACTION_REJECTED if it cannot be in this block; the state is then unchanged.
 */
export async function executeTransaction(
  partnerEvm: PartnerEvm,
  transaction: ChainTransaction,
  environment: BlockEnvironment,
): Promise<ExecutionResult> {
  const { evm, state } = partnerEvm;
  const { tx, sender } = transaction;
  partnerEvm.beginTransaction();
  const account = await state.getAccount(sender);
  const nonce = account?.nonce ?? 0n;
  if (tx.nonce !== nonce) {
    throw rejected(`nonce ${tx.nonce} of ${sender.toString()} is not its next nonce, ${nonce}`);
  }
  if (transaction.maxFeePerGas < environment.baseFeePerGas) {
    throw rejected(`max fee ${transaction.maxFeePerGas} is below the base fee`);
  }
  checkSender(transaction, account, await state.getCode(sender));
  const price = effectiveGasPrice(transaction, environment.baseFeePerGas);
  const prepaid = feeInUnits(tx.gasLimit * price);
  const payer = account ?? new Account();
  payer.balance -= prepaid;
  payer.nonce += 1n;
  await evm.journal.putAccount(sender, payer);
  const refund = await applyAuthorizations(
    partnerEvm,
    isEOACode7702Tx(tx) ? tx.authorizationList : [],
    evm.common.chainId(),
  );

  const result = await runMessage(
    partnerEvm,
    {
      from: sender,
      to: tx.to,
      value: transaction.valueUnits,
      data: tx.data,
      gasLimit: tx.gasLimit,
      intrinsicGas: tx.getIntrinsicGas(),
      floorGas: floorGas(tx.data),
      refund,
      gasPrice: price / WEI_PER_UNIT,
      accessList: getAccessList(tx),
    },
    environment,
  );

  const fee = feeInUnits(result.gasUsed * price);
  await credit(partnerEvm, sender, prepaid - fee);
  await credit(partnerEvm, environment.coinbase, fee);
  result.calls.gas = tx.gasLimit;
  result.calls.gasUsed = result.gasUsed;
  trimCallTree(result.calls, result.gasUsed);
  return result;
}

/**
 * Checks a transaction against its sender's account. A contract cannot send (EIP-3607), and the balance must cover the
 * value and the highest possible gas cost. The pool checks the nonce.
 *
 * @param account the sender's account.
 * @param code the account's code; empty if it has none.
 * @throws PartnerChainError TRANSACTION_REJECTED.
 */
export function checkSender(transaction: ChainTransaction, account: Account | undefined, code: Uint8Array): void {
  if (code.length > 0 && !isDelegation(code)) {
    throw rejected(`sender ${transaction.sender.toString()} is a contract (EIP-3607)`);
  }
  const cost = costInUnits(transaction);
  const balance = account?.balance ?? 0n;
  if (balance < cost) {
    throw rejected(
      `insufficient funds for gas * price + value: address ${transaction.sender.toString()} has ` +
        `${balance * WEI_PER_UNIT} wei, wants ${cost * WEI_PER_UNIT} wei`,
    );
  }
}

/** Adds units to an account. */
export async function credit({ evm, state }: PartnerEvm, address: Address, units: bigint): Promise<void> {
  if (units === 0n) return;
  const account = (await state.getAccount(address)) ?? new Account();
  account.balance += units;
  await evm.journal.putAccount(address, account);
}

function getAccessList(tx: TypedTransaction): { address: string; storageKeys: string[] }[] {
  if (!tx.supports(Capability.EIP2930AccessLists) || !('accessList' in tx)) return [];
  return tx.accessList.map(([address, keys]) => ({ address: bytesToHex(address), storageKeys: keys.map(bytesToHex) }));
}
