import { checkAccountSignature, QuorumError, type ChainConnection } from '@causeway/chain';
import { isSignedByKey } from '@causeway/protocol';
import type { IntentRecord, Operation } from '@causeway/store';

/** Whether the sender of an intent still stands by its signature. `unknown`: too few nodes say the same. */
export type SignatureState = 'valid' | 'revoked' | 'unknown';

/**
 * Checks the signature of an intent again, right before its release is signed: a smart account may have other owners by
 * now. A key cannot revoke a signature, so only accounts with code are asked, and never by one node.
 *
 * @param partner the chain of the account.
 */
export async function readSignatureState(
  partner: Pick<ChainConnection, 'agree' | 'agreedHead'>,
  { id, sender }: Pick<Operation, 'id' | 'sender'>,
  { signature }: Pick<IntentRecord, 'signature'>,
): Promise<SignatureState> {
  if (await isSignedByKey(id, signature, sender)) return 'valid';
  try {
    const { kind } = await checkAccountSignature(partner, { account: sender, digest: id, signature });
    return kind === 'valid' ? 'valid' : 'revoked';
  } catch (error) {
    if (error instanceof QuorumError) return 'unknown';
    throw error;
  }
}
