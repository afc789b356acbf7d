import {
  concatHex,
  domainSeparator,
  encodeAbiParameters,
  hashTypedData,
  isAddressEqual,
  keccak256,
  stringToBytes,
  type Address,
  type Hex,
} from 'viem';
import { KNOWN_CHAIN_IDS } from './chains.js';
import { BridgeError } from './errors.js';
import { assertCanonical, expandSignature, recoverSigner } from './signatures.js';

/** A signed order to withdraw native XCN. */
export interface XcnWithdrawIntent {
  readonly sender: Address;
  /** Receives XCN as an ERC-20 on Ethereum. */
  readonly recipient: Address;
  /** In 18-decimal units, a multiple of 10^10. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** Any string that the sender has not used before. */
  readonly nonce: string;
}

/** How long an intent waits for its transfer (specification, Limits). */
export const INTENT_WINDOW_SECONDS = 30 * 60;

/** The EIP-712 type of the message. */
export const xcnWithdrawIntentTypes = {
  XcnWithdrawIntent: [
    { name: 'sender', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'nonce', type: 'string' },
  ],
} as const;

/** The EIP-712 domain of an intent. */
export interface IntentDomain {
  readonly name: 'Causeway';
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

/** The domain of a deployment: the partner chain's id and its BridgeMint. */
export function intentDomain(deployment: { chainId: number; bridgeMint: Address }): IntentDomain {
  return { name: 'Causeway', version: '1', chainId: deployment.chainId, verifyingContract: deployment.bridgeMint };
}

/** The EIP-712 digest of an intent. It is the intentId, and the withdrawId of its Release. */
export function intentDigest(domain: IntentDomain, intent: XcnWithdrawIntent): Hex {
  return hashTypedData({
    domain,
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message: { ...intent },
  });
}

/** The terms of an intent as its release shows them: with the hash of the nonce instead of its text. */
export interface ReleasedIntent extends Omit<XcnWithdrawIntent, 'nonce'> {
  readonly nonceHash: Hex;
}

/** The hash of an intent's nonce, as EIP-712 hashes a string. Text that looks like hex is text all the same. */
export function intentNonceHash(nonce: string): Hex {
  return keccak256(stringToBytes(nonce));
}

const INTENT_TYPE_HASH = keccak256(
  stringToBytes(
    `XcnWithdrawIntent(${xcnWithdrawIntentTypes.XcnWithdrawIntent.map(({ type, name }) => `${type} ${name}`).join(',')})`,
  ),
);

/** The EIP-712 digest of an intent without the text of its nonce: the same as `intentDigest`. */
export function releasedIntentDigest(domain: IntentDomain, intent: ReleasedIntent): Hex {
  const { sender, recipient, amount, deadline, nonceHash } = intent;
  const struct = encodeAbiParameters(
    [
      { type: 'bytes32' },
      { type: 'address' },
      { type: 'address' },
      { type: 'uint256' },
      { type: 'uint256' },
      { type: 'bytes32' },
    ],
    [INTENT_TYPE_HASH, sender, recipient, amount, deadline, nonceHash],
  );
  return keccak256(concatHex(['0x1901', domainSeparator({ domain: { ...domain } }), keccak256(struct)]));
}

const OTHER_VERSIONS = ['', '0', '2'];

/** An intent, its signature, and the domain that it must be signed under. */
interface IntentSignatureInput {
  readonly intent: XcnWithdrawIntent;
  readonly signature: Hex;
  readonly domain: IntentDomain;
  /** Contracts of other deployments, or of this one on Ethereum, to recognize signatures that were made for them. */
  readonly otherContracts?: readonly Address[];
}

/**
 * Verifies the EIP-712 signature of an externally owned account by ECDSA recovery.
 *
 * This is not left to a library: the common ones also accept signatures of accounts that do not exist yet (ERC-6492),
 * and the mirrored form of a signature.
 *
 * @throws BridgeError SIGNATURE_INVALID when it is neither 65 bytes nor 64 (EIP-2098), not canonical, or recovers to
 *   no address; SIGNATURE_DOMAIN_REJECTED when the sender signed for another chain, contract or version;
 *   SIGNATURE_MISMATCH when another account signed.
 */
export async function verifyIntentSignature(input: IntentSignatureInput): Promise<void> {
  const { intent, domain } = input;
  const signature = expandSignature(input.signature);
  assertCanonical(signature);
  const signedBySender = async (candidate: IntentDomain) =>
    isAddressEqual(await recoverSigner(intentDigest(candidate, intent), signature), intent.sender);
  if (await signedBySender(domain)) return;
  for (const sibling of siblingDomains(domain, input.otherContracts ?? [])) {
    if (await signedBySender(sibling)) {
      throw new BridgeError(
        'SIGNATURE_DOMAIN_REJECTED',
        `The signature is for chain ${sibling.chainId}, contract ${sibling.verifyingContract}, version '${sibling.version}'; ` +
          `sign for chain ${domain.chainId}, contract ${domain.verifyingContract}, version '${domain.version}'`,
        { field: 'signature' },
      );
    }
  }
  throw new BridgeError(
    'SIGNATURE_MISMATCH',
    'The signature is not of senderAddress over this message. If senderAddress is a smart account, deploy it first',
    { field: 'signature' },
  );
}

/**
 * The domains that a wallet may have signed for by mistake: another chain with any known contract, or another version
 * of the right contract. There are no more combinations, since each costs a recovery on a public endpoint.
 */
function siblingDomains(domain: IntentDomain, otherContracts: readonly Address[]): IntentDomain[] {
  const contracts = [domain.verifyingContract, ...otherContracts];
  return [
    ...KNOWN_CHAIN_IDS.flatMap((chainId) =>
      contracts.map((verifyingContract) => ({ ...domain, chainId, verifyingContract })),
    ),
    ...OTHER_VERSIONS.map((version) => ({ ...domain, version })),
  ];
}
