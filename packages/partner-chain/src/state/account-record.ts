import { RLP } from '@ethereumjs/rlp';
import { Account, bigIntToUnpaddedBytes, bytesToBigInt } from '@ethereumjs/util';

/** An account as the state trie holds it: RLP of nonce, balance, storage root and code hash (Yellow Paper, section 4.1). */
export function encodeAccount(account: Account): Uint8Array {
  return RLP.encode([
    bigIntToUnpaddedBytes(account.nonce),
    bigIntToUnpaddedBytes(account.balance),
    account.storageRoot,
    account.codeHash,
  ]);
}

/** The account of such bytes; none for the empty bytes of a deleted one. */
export function decodeAccount(bytes: Uint8Array): Account | undefined {
  if (bytes.length === 0) return undefined;
  const [nonce, balance, storageRoot, codeHash] = RLP.decode(bytes) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  return new Account(bytesToBigInt(nonce), bytesToBigInt(balance), storageRoot, codeHash);
}
