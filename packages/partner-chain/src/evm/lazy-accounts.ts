import { Account, Address, unprefixedHexToBytes } from '@ethereumjs/util';
import type { Log } from '../logs/log.js';
import type { PartnerEvm } from './partner-evm.js';

/** keccak256("Transfer(address,address,uint256)") (ERC-20). */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * Removes accounts that this transaction only touched (EIP-161). An empty account that existed before stays: it was
 * created lazily.
 */
export async function removeTouchedAccounts({ state }: PartnerEvm): Promise<void> {
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
export async function createLazyAccounts({ state }: PartnerEvm, logs: readonly Log[]): Promise<number> {
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
