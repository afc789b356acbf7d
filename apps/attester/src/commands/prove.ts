import { checkNamedNodes } from '@causeway/chain/named-nodes';
import { openSigner } from '@causeway/chain/signers';
import { attesterProofTypedData, formatAttesterProof } from '@causeway/protocol/attest';
import { MemoryRecord } from '@causeway/verifier';
import type { Configuration } from '../configuration/configuration.js';
import { openVerifier } from '../nodes.js';

/**
 * `attester prove`: signs a proof that this machine has an attester's key and usable nodes, for the deployment and the
 * hold of its configuration. The admin requires it before adding the address to a set.
 *
 * @param now epoch milliseconds.
 * @returns the proof as one word, valid for a day.
 * @throws Error when the key does not sign or nodes are unusable.
 */
export async function proveAttester(configuration: Configuration, now: () => number): Promise<string> {
  const { addressBook, address, signer: settings, verifier } = configuration;
  const findings = await checkNamedNodes(openVerifier(configuration, new MemoryRecord()), configuration, now);
  const problems = findings.filter(({ severity }) => severity === 'error').map(({ finding }) => finding);
  if (problems.length > 0) throw new Error(`Nothing is proven: ${problems.join('; ')}`);
  const signer = await openSigner(settings, address, (sentence) => process.stderr.write(`${sentence}\n`));
  const terms = {
    attester: address,
    time: BigInt(Math.floor(now() / 1_000)),
    holdSeconds: BigInt(verifier.holdSeconds),
  };
  return formatAttesterProof({
    ...terms,
    signature: await signer.signTypedData(attesterProofTypedData(addressBook, terms)),
  });
}
