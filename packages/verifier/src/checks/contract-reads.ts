import { decodeFunctionResult, encodeFunctionData, type Abi, type Address, type Hex } from 'viem';
import { NoQuorumError, REVERTED, type QuorumReader } from '../nodes/quorum-reader.js';

export interface ContractRead {
  readonly blockHash: Hex;
  readonly address: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
}

/**
 * Reads a view function in the state after a block.
 *
 * @throws NoQuorumError also when the call reverts, which these functions never do on the configured contracts.
 */
export async function readContract(reader: QuorumReader, read: ContractRead): Promise<unknown> {
  const { blockHash, address, abi, functionName, args } = read;
  const returned = await reader.call(blockHash, address, encodeFunctionData({ abi, functionName, args }));
  if (returned === REVERTED)
    throw new NoQuorumError(reader.chain, `${functionName} of ${address}`, ['it reverts'], false);
  try {
    return decodeFunctionResult({ abi, functionName, data: returned });
  } catch {
    const answers = ['it returns an unexpected format: check the addresses in the settings'];
    throw new NoQuorumError(reader.chain, `${functionName} of ${address}`, answers, false);
  }
}
