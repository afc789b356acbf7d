import { lower } from '@causeway/chain';
import { intentDomain, parseAmount, xcnWithdrawIntentTypes, type AddressBook } from '@causeway/protocol';
import { anAddress, testKey } from '@causeway/test-kit';
import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** An amount of XCN valid for an intent. */
export const XCN = parseAmount('XCN', '6000');
export const INTENT = '/api/v1/bridge/xcn-withdraw-intent';
export const alice = privateKeyToAccount(testKey(4));
export const bob = privateKeyToAccount(testKey(5));

let counter = 0;
let amount = XCN;

/** Returns an amount unique within a test: one transfer must not match two recipients. */
export const nextAmount = () => (amount += 10n ** 10n);

/** The body of a valid intent of Alice, with changes, signed by an account under a domain. */
export async function signIntent(
  book: AddressBook,
  over: object = {},
  domain = intentDomain(book.partner),
  signer = alice,
) {
  counter += 1;
  const terms = {
    senderAddress: lower(alice.address),
    recipientAddress: anAddress(),
    amountAtomic: nextAmount().toString(),
    idempotencyKey: `key ${counter}`,
    deadline: Math.floor(Date.now() / 1_000) + 3_600,
    nonce: `nonce ${counter}`,
    ...over,
  };
  const message = formatMessage(terms);
  const signature = await signer.signTypedData({
    domain,
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message,
  });
  return { ...terms, signature };
}

/** The signed message of a body. */
export const formatMessage = (terms: {
  readonly senderAddress: Address;
  readonly recipientAddress: Address;
  readonly amountAtomic: string;
  readonly deadline: number;
  readonly nonce: string;
}) => ({
  sender: terms.senderAddress,
  recipient: terms.recipientAddress,
  amount: BigInt(terms.amountAtomic),
  deadline: BigInt(terms.deadline),
  nonce: terms.nonce,
});
