import { encodeAbiParameters, keccak256, type Address, type Hex } from 'viem';

/**
 * The depositId or withdrawId of an operation: keccak256(abi.encode(origin chain id, origin contract, nonce)). It never
 * repeats across chains, deployments or environments. The destination contract derives the same id from the nonce.
 *
 * @param originContract BridgeLock for a deposit, BridgeMint for a burn; any letter case.
 * @param nonce the number that the origin contract gave the operation.
 * @example
 * ```ts
 * operationId(1, '0x5FbDB2315678afecb367f032d93F642f64180aa3', 7n); // '0x9fda0f6842c4...'
 * ```
 */
export function operationId(originChainId: number, originContract: Address, nonce: bigint): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'address' }, { type: 'uint256' }],
      [BigInt(originChainId), originContract, nonce],
    ),
  );
}
