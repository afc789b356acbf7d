import {
  ChainError,
  checkAccountSignature,
  describeNodes,
  type ChainConnection,
  type SignatureVerdict,
} from '@causeway/chain';
import {
  BridgeError,
  expandSignature,
  intentDigest,
  isSignedByKey,
  unwrapSignature,
  verifyIntentSignature,
  type IntentDomain,
  type XcnWithdrawIntent,
} from '@causeway/protocol';
import { size, type Address, type Hex } from 'viem';

/** An intent as sent, with the domain under which it must be signed. */
interface SignedIntent {
  readonly intent: XcnWithdrawIntent;
  /** Any text. */
  readonly signature: string;
  readonly domain: IntentDomain;
  /** The block at which the account verifies the signature. */
  readonly judgedAtBlock: bigint;
  /** Contracts that a wallet may have signed for by mistake. */
  readonly otherContracts: readonly Address[];
}

/** Length of a signature by a key. */
const KEY_SIGNATURE_BYTES = 65;

/**
 * Verifies that the sender signed an intent: an externally owned account by its key, a smart account by ERC-1271, a
 * delegating account (EIP-7702) by either.
 *
 * @returns the signature in the form that the account verifies: without an ERC-6492 wrapper, and always 65 bytes if
 *   made by a key, as the relayer and a rebuild verify it.
 * @throws BridgeError SIGNATURE_VERIFICATION_UNAVAILABLE when a later answer may differ: the smart account is not
 *   deployed, it has changed since the judged block, or the nodes do not agree. Every other code is permanent for this
 *   signature: SIGNATURE_INVALID, SIGNATURE_MISMATCH, SIGNATURE_DOMAIN_REJECTED, and VALIDATION_ERROR when it is too
 *   long for a release.
 */
export async function verifySenderSignature(
  partner: Pick<ChainConnection, 'agree' | 'agreedHead'>,
  { intent, signature: text, domain, judgedAtBlock, otherContracts }: SignedIntent,
): Promise<Hex> {
  const { signature, wasWrapped } = unwrapSignature(text);
  const digest = intentDigest(domain, intent);
  const claim = { account: intent.sender, digest, signature };
  const ask = async (at?: bigint) =>
    checkAccountSignature(partner, claim, at).catch((cause: unknown) => {
      if (!(cause instanceof ChainError)) throw cause;
      throw unavailable(
        `the account at senderAddress cannot be read now because the nodes ${describeNodes(cause)}; try again`,
        cause,
      );
    });
  const verdict = await ask(judgedAtBlock);
  // A contract can use its own 64-byte format.
  if (verdict.kind === 'valid')
    return (await isSignedByKey(digest, signature, intent.sender)) ? expandSignature(signature) : signature;
  if ((await ask()).kind !== verdict.kind)
    throw unavailable(
      `the account at senderAddress has changed since block ${judgedAtBlock}; send the same request again`,
    );
  const refusal = getContractRefusal(verdict, size(expandSignature(signature)), wasWrapped);
  if (refusal !== null) throw refusal;
  // Only a signature by the key is valid here. This call throws the specific error.
  await verifyIntentSignature({ intent, signature, domain, otherContracts });
  return expandSignature(signature);
}

/**
 * Returns the error for an account that verifies by contract; null if only a key can sign. For an account
 * without code, 65 bytes can come from a stranger's key or from the owner of an undeployed contract. The specification
 * requires SIGNATURE_MISMATCH for the first. Wallets send the second as ERC-6492.
 */
function getContractRefusal(
  verdict: Exclude<SignatureVerdict, { kind: 'valid' }>,
  bytes: number,
  wasWrapped: boolean,
): BridgeError | null {
  if (verdict.kind === 'refused') {
    if (verdict.isDelegated && bytes === KEY_SIGNATURE_BYTES) return null;
    const message = `signature is refused by the contract at senderAddress: its isValidSignature ${verdict.reason}`;
    return new BridgeError('SIGNATURE_INVALID', message, { field: 'signature' });
  }
  const isOfContract = wasWrapped || bytes > KEY_SIGNATURE_BYTES;
  if (!verdict.isDeployable || !isOfContract) return null;
  return unavailable('senderAddress has no code; deploy the smart account, then send the same request again');
}

function unavailable(message: string, cause?: unknown): BridgeError {
  return new BridgeError('SIGNATURE_VERIFICATION_UNAVAILABLE', message, { field: 'senderAddress', cause });
}
