import { keccak256, stringToHex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

/** An account of its own for a name, the same in every run. */
export function accountOf(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(stringToHex(`causeway test account ${name}`)));
}

/** Senders that the test chains fund in their genesis. */
export const SENDERS = ['a', 'b', 'c', 'd'].map(accountOf);

/** The first of them, for tests that need one. */
export const [ALICE, BOB, CAROL, DAVE] = SENDERS as [
  PrivateKeyAccount,
  PrivateKeyAccount,
  PrivateKeyAccount,
  PrivateKeyAccount,
];
