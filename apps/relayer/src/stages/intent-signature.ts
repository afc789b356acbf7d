import { checkAccountSignature, QuorumError, type ChainConnection } from '@causeway/chain';
import { isSignedByKey } from '@causeway/protocol';
import type { IntentRecord, Operation } from '@causeway/store';

/** Whether an intent's signature is still valid. `unknown`: too few nodes agree. */
export type SignatureState = 'valid' | 'revoked' | 'unknown';

/**
 * Rechecks an intent's signature right before its release is signed, since a smart account's owners may have changed. A
 * key cannot revoke a signature, so only accounts with code are asked, by a quorum of nodes.
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
