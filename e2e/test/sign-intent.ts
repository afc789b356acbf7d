import { intentDomain, xcnWithdrawIntentTypes, type IntentDomain } from '@causeway/protocol';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from './temporary-environment.js';

/** The fields of an intent. */
export interface IntentTerms {
  readonly senderAddress: string;
  readonly recipientAddress: string;
  readonly amountAtomic: string;
  readonly idempotencyKey: string;
  readonly deadline: number;
  readonly nonce: string;
}

/** Returns a body for the registration of these terms. Alice signs it under the bridge's domain unless given. */
export async function signIntent(
  environment: TestEnvironment,
  terms: IntentTerms,
  domain: IntentDomain = intentDomain(environment.book.partner),
  signer: TestEnvironment['accounts']['alice'] = environment.accounts.alice,
) {
  const signature = await privateKeyToAccount(signer.privateKey).signTypedData({
    domain,
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message: {
      sender: terms.senderAddress as `0x${string}`,
      recipient: terms.recipientAddress as `0x${string}`,
      amount: BigInt(terms.amountAtomic),
      deadline: BigInt(terms.deadline),
      nonce: terms.nonce,
    },
  });
  return { ...terms, signature };
}
