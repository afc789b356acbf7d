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

/** The message that a sender signs to withdraw native XCN. */
export interface XcnWithdrawIntent {
  readonly sender: Address;
  /** Receives XCN, an ERC-20, on Ethereum. */
  readonly recipient: Address;
  /** In 18-decimal units, a multiple of 10^10. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** Any string that the sender has never used. */
  readonly nonce: string;
}

/** Time to pay an intent after its acceptance (specification, Limits). */
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

/** Returns the EIP-712 domain of a deployment: the partner chain's id and its BridgeMint. */
export function intentDomain(deployment: { chainId: number; bridgeMint: Address }): IntentDomain {
  return { name: 'Causeway', version: '1', chainId: deployment.chainId, verifyingContract: deployment.bridgeMint };
}

/** Computes the EIP-712 digest of an intent: its intentId, and the withdrawId of its Release event. */
export function intentDigest(domain: IntentDomain, intent: XcnWithdrawIntent): Hex {
  return hashTypedData({
    domain,
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message: { ...intent },
  });
}

/** The terms of an intent in its release: the hash of the nonce replaces its text. */
export interface ReleasedIntent extends Omit<XcnWithdrawIntent, 'nonce'> {
  readonly nonceHash: Hex;
}

/** Hashes an intent's nonce as EIP-712 hashes a string. Text that looks like hex is hashed as text. */
export function intentNonceHash(nonce: string): Hex {
  return keccak256(stringToBytes(nonce));
}

const INTENT_TYPE_HASH = keccak256(
  stringToBytes(
    `XcnWithdrawIntent(${xcnWithdrawIntentTypes.XcnWithdrawIntent.map(({ type, name }) => `${type} ${name}`).join(',')})`,
  ),
);

/** Computes `intentDigest` from the hash of the nonce instead of its text. */
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

interface IntentSignatureInput {
  readonly intent: XcnWithdrawIntent;
  readonly signature: Hex;
  readonly domain: IntentDomain;
  /** Other bridge contracts, to recognize signatures made for them. */
  readonly otherContracts?: readonly Address[];
}

/**
 * Verifies the EIP-712 signature of an externally owned account by ECDSA recovery.
 *
 * Own code instead of a library, because common libraries also accept malleable signatures and those of undeployed
 * accounts (ERC-6492).
 *
 * @throws BridgeError SIGNATURE_INVALID when the signature has neither 65 nor 64 bytes (EIP-2098), is not canonical or
 *   recovers to no address; SIGNATURE_DOMAIN_REJECTED when the sender signed for another chain, contract or version;
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
    'senderAddress did not sign this message. If senderAddress is a smart account, deploy it first',
    { field: 'signature' },
  );
}

/**
 * Domains that a wallet may have signed by mistake: another chain with any known contract, or another version of the
 * right contract. The list is short because each entry costs a signature recovery on a public endpoint.
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
