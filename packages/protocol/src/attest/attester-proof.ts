import type { Address, Hex } from 'viem';
import type { AddressBook } from '@causeway/contracts/address-book';

/** A proof that an attester has its key and runs for a deployment, as `attester prove` prints it. */
export interface AttesterProof {
  /** Lower-case. */
  readonly attester: Address;
  /** Unix seconds. */
  readonly time: bigint;
  /** The withdrawal hold that the attester is configured with. */
  readonly holdSeconds: bigint;
  /** 65 bytes. */
  readonly signature: Hex;
}

/** Validity of a proof. Attesters make a new proof before each change of the set. */
export const PROOF_SECONDS = 86_400n;

const FORM = /^(0x[0-9a-f]{40}):(\d{1,12}):(\d{1,9}):(0x[0-9a-f]{130})$/;

/** Formats a proof as one word, which the admin pastes. */
export function formatAttesterProof({ attester, time, holdSeconds, signature }: AttesterProof): string {
  return [attester, time, holdSeconds, signature].join(':').toLowerCase();
}

/** Parses a proof; null for malformed text. It does not check the signature. */
export function parseAttesterProof(text: string): AttesterProof | null {
  const [, attester, time = '', holdSeconds = '', signature] = FORM.exec(text.trim().toLowerCase()) ?? [];
  if (attester === undefined || signature === undefined) return null;
  return {
    attester: attester as Address,
    time: BigInt(time),
    holdSeconds: BigInt(holdSeconds),
    signature: signature as Hex,
  };
}

/**
 * The typed data that an attester signs as its proof. No contract accepts the signature, since none has this domain.
 */
export function attesterProofTypedData(book: AddressBook, proof: Omit<AttesterProof, 'signature'>) {
  const { ethereum, partner } = book;
  return {
    domain: { name: 'Causeway attester proof', version: '1' },
    types: {
      Proof: [
        { name: 'attester', type: 'address' },
        { name: 'ethereumChainId', type: 'uint256' },
        { name: 'bridgeLock', type: 'address' },
        { name: 'partnerChainId', type: 'uint256' },
        { name: 'bridgeMint', type: 'address' },
        { name: 'time', type: 'uint64' },
        { name: 'holdSeconds', type: 'uint64' },
      ],
    },
    primaryType: 'Proof',
    message: {
      attester: proof.attester,
      ethereumChainId: BigInt(ethereum.chainId),
      bridgeLock: ethereum.bridgeLock,
      partnerChainId: BigInt(partner.chainId),
      bridgeMint: partner.bridgeMint,
      time: proof.time,
      holdSeconds: proof.holdSeconds,
    },
  } as const;
}
