import type { Account } from '@ethereumjs/util';
import { ChainError } from '../errors/chain-error.js';
import type { ChainTransaction } from '../transaction/chain-transaction.js';
import { costInUnits } from '../transaction/cost-in-units.js';
import { WEI_PER_UNIT } from '../units/native-unit.js';
import { isDelegation } from './apply-authorizations.js';

/**
 * Checks a transaction against its sender's account: no contract sends (EIP-3607), and the balance covers the value and the most the gas may
 * cost. The nonce is the pool's business.
 *
 * @param account the sender's account, and the code it has, if any.
 * @throws ChainError TRANSACTION_REJECTED.
 */
export function checkSender(transaction: ChainTransaction, account: Account | undefined, code: Uint8Array): void {
  if (code.length > 0 && !isDelegation(code)) {
    throw new ChainError('TRANSACTION_REJECTED', `sender ${transaction.sender.toString()} is a contract (EIP-3607)`);
  }
  const cost = costInUnits(transaction);
  const balance = account?.balance ?? 0n;
  if (balance < cost) {
    throw new ChainError(
      'TRANSACTION_REJECTED',
      `insufficient funds for gas * price + value: address ${transaction.sender.toString()} has ${balance * WEI_PER_UNIT} wei, wants ${cost * WEI_PER_UNIT} wei`,
    );
  }
}
