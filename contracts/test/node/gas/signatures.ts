import {
  concat,
  encodeAbiParameters,
  keccak256,
  numberToHex,
  parseAbiParameters,
  parseEther,
  parseSignature,
  signatureToCompactSignature,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { bridgeLockAbi, testXcnAbi } from '../../../generated/abi.js';

// Signatures for the measured calls.

/** Later than any block of a test. */
const FAR = 2n ** 40n;

/** The attestation while the threshold is 0. */
export const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };

/**
 * An attestation of a contract's payments.
 *
 * @param payments keccak256 of the encoded payments.
 */
export async function attest(
  client: PublicClient,
  contract: Address,
  signers: readonly PrivateKeyAccount[],
  payments: Hex,
) {
  if (signers.length === 0) return NO_ATTESTATION;
  const [[setNumber, attesters], { timestamp }, chainId] = await Promise.all([
    client.readContract({ address: contract, abi: bridgeLockAbi, functionName: 'attesters' }),
    client.getBlock(),
    client.getChainId(),
  ]);
  const validUntil = timestamp + 300n;
  const signatures = signers.map(async (signer) => {
    const signature = await signer.signTypedData({
      domain: { name: 'Causeway', version: '1', chainId, verifyingContract: contract },
      types: {
        Payments: [
          { name: 'payments', type: 'bytes32' },
          { name: 'attesterSet', type: 'uint256' },
          { name: 'validUntil', type: 'uint256' },
        ],
      },
      primaryType: 'Payments',
      message: { payments, attesterSet: setNumber, validUntil },
    });
    return signatureToCompactSignature(parseSignature(signature));
  });
  return { setNumber, validUntil, attesters, signatures: await Promise.all(signatures) };
}

/** An ERC-3009 authorization of a deposit of TestUSDC to `recipient`. */
export async function authorize(
  client: PublicClient,
  from: PrivateKeyAccount,
  { token, lock, recipient, amount }: { token: Address; lock: Address; recipient: Address; amount: bigint },
) {
  const salt = keccak256('0x01');
  const signature = await from.signTypedData({
    domain: { name: 'USD Coin', version: '1', chainId: await client.getChainId(), verifyingContract: token },
    types: {
      ReceiveWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'ReceiveWithAuthorization',
    message: {
      from: from.address,
      to: lock,
      value: amount,
      validAfter: 0n,
      validBefore: FAR,
      nonce: keccak256(encodeAbiParameters(parseAbiParameters('address, bytes32'), [recipient, salt])),
    },
  });
  const { r, s, yParity } = parseSignature(signature);
  return { from: from.address, validAfter: 0n, validBefore: FAR, salt, v: 27 + yParity, r, s };
}

/** The arguments of depositWithPermit with an ERC-2612 permit of TestXCN. */
export async function signPermit(
  client: PublicClient,
  owner: PrivateKeyAccount,
  { token, lock, recipient, amount }: { token: Address; lock: Address; recipient: Address; amount: bigint },
) {
  const nonce = await client.readContract({
    address: token,
    abi: testXcnAbi,
    functionName: 'nonces',
    args: [owner.address],
  });
  const signature = await owner.signTypedData({
    domain: { name: 'XCN', version: '1', chainId: await client.getChainId(), verifyingContract: token },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner: owner.address, spender: lock, value: amount, nonce, deadline: FAR },
  });
  const { r, s, yParity } = parseSignature(signature);
  return [token, amount, recipient, FAR, 27 + yParity, r, s];
}

/** An intent with a signature of 65 bytes, which no contract checks. */
export function makeIntent(sender: Address, recipient: Address, number: bigint) {
  const nonceHash = keccak256(numberToHex(number));
  const signature = concat([nonceHash, keccak256(nonceHash), '0x1b']);
  return { sender, recipient, amount: parseEther('10'), deadline: 1_900_000_000n, nonceHash, signature };
}
