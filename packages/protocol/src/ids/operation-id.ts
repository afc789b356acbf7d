import { encodeAbiParameters, keccak256, type Address, type Hex } from 'viem';

/**
 * The depositId or withdrawId of an operation: keccak256(abi.encode(origin chain id, origin contract, nonce)). It never
 * repeats across chains, deployments or environments, and the destination contract derives it by itself.
 *
 * @param nonce the number the origin contract gave the operation.
 */
export function operationId(originChainId: number, originContract: Address, nonce: bigint): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'address' }, { type: 'uint256' }],
      [BigInt(originChainId), originContract, nonce],
    ),
  );
}
