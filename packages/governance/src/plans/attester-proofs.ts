import { attesterProofTypedData, PROOF_SECONDS, type AttesterProof } from '@causeway/protocol/attest';
import type { AddressBook } from '@causeway/contracts/address-book';
import { isAddressEqual, recoverTypedDataAddress, type Address } from 'viem';
import { PlanRefusedError } from '../calls/calls.js';

/** The clocks of an attester and of a chain may differ by this. */
const AHEAD_SECONDS = 300n;

/**
 * Checks that each attester has proven its key, its settings and its nodes within the last day: a set of which some
 * are not there would deliver nothing.
 *
 * @param nowSeconds the time of a chain.
 * @returns a line about each.
 * @throws PlanRefusedError that names the first attester without a proof that counts.
 */
export async function expectProofs(
  book: AddressBook,
  { attesters, proofs }: { readonly attesters: readonly Address[]; readonly proofs: readonly AttesterProof[] },
  nowSeconds: bigint,
): Promise<readonly string[]> {
  const stranger = proofs.find((proof) => attesters.every((each) => !isAddressEqual(each, proof.attester)));
  if (stranger !== undefined) {
    throw new PlanRefusedError(`The proof of ${stranger.attester} is of an account that is not among the attesters`);
  }
  const lines: string[] = [];
  for (const attester of attesters) {
    const proof = proofs.find((each) => isAddressEqual(attester, each.attester));
    const problem = proof === undefined ? 'there is no proof of it' : await findProblem(book, proof, nowSeconds);
    if (proof === undefined || problem !== null) {
      throw new PlanRefusedError(
        `${attester}: ${problem}; let it run "attester prove", and name what that prints by --proofs`,
      );
    }
    const at = new Date(Number(1_000n * proof.time)).toISOString();
    lines.push(`  ${attester} proved its key at ${at}, for a hold of ${proof.holdSeconds} s`);
  }
  const holds = new Set(proofs.map(({ holdSeconds }) => holdSeconds));
  return holds.size > 1 ? [...lines, '  their holds differ: withdrawals wait for the longest that is needed'] : lines;
}

async function findProblem(book: AddressBook, proof: AttesterProof, nowSeconds: bigint): Promise<string | null> {
  const { attester, time, signature } = proof;
  if (nowSeconds - time > PROOF_SECONDS) return 'its proof is older than a day';
  if (time - nowSeconds > AHEAD_SECONDS) return 'its proof is of a time to come';
  const signer = await recoverTypedDataAddress({ ...attesterProofTypedData(book, proof), signature }).catch(() => null);
  return signer !== null && isAddressEqual(signer, attester)
    ? null
    : 'its proof is signed by another key, or for another deployment';
}
