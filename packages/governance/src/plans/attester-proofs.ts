import { attesterProofTypedData, PROOF_SECONDS, type AttesterProof } from '@causeway/protocol/attest';
import type { AddressBook } from '@causeway/contracts/address-book';
import { isAddressEqual, recoverTypedDataAddress, type Address } from 'viem';
import { PlanRefusedError } from '../calls/calls.js';

/** Tolerated difference between the clocks of an attester and a chain, in seconds. */
const AHEAD_SECONDS = 300n;

/**
 * Checks that each attester has proven its key, settings and nodes within the last day: with missing attesters a set
 * would deliver nothing.
 *
 * @param nowSeconds the time of a chain.
 * @returns a line for each attester.
 * @throws PlanRefusedError that names the first attester without a valid proof.
 */
export async function expectProofs(
  book: AddressBook,
  { attesters, proofs }: { readonly attesters: readonly Address[]; readonly proofs: readonly AttesterProof[] },
  nowSeconds: bigint,
): Promise<readonly string[]> {
  const stranger = proofs.find((proof) => attesters.every((each) => !isAddressEqual(each, proof.attester)));
  if (stranger !== undefined) {
    throw new PlanRefusedError(`The proof of ${stranger.attester} is for an account that is not one of the attesters`);
  }
  const lines: string[] = [];
  for (const attester of attesters) {
    const proof = proofs.find((each) => isAddressEqual(attester, each.attester));
    const problem = proof === undefined ? 'its proof is missing' : await findProblem(book, proof, nowSeconds);
    if (proof === undefined || problem !== null) {
      throw new PlanRefusedError(
        `${attester}: ${problem}; run "attester prove" on its machine, and pass the output with --proofs`,
      );
    }
    const at = new Date(Number(1_000n * proof.time)).toISOString();
    lines.push(`  ${attester} proved its key at ${at}, for a hold of ${proof.holdSeconds} s`);
  }
  const holds = new Set(proofs.map(({ holdSeconds }) => holdSeconds));
  return holds.size > 1
    ? [...lines, '  their holds differ: withdrawals wait for the longest one that the threshold needs']
    : lines;
}

async function findProblem(book: AddressBook, proof: AttesterProof, nowSeconds: bigint): Promise<string | null> {
  const { attester, time, signature } = proof;
  if (nowSeconds - time > PROOF_SECONDS) return 'its proof is older than a day';
  if (time - nowSeconds > AHEAD_SECONDS) return 'the time of its proof is in the future';
  const signer = await recoverTypedDataAddress({ ...attesterProofTypedData(book, proof), signature }).catch(() => null);
  return signer !== null && isAddressEqual(signer, attester)
    ? null
    : 'its proof is signed by another key or for another deployment';
}
