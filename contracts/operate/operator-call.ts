import type { Abi, Address } from 'viem';
import type { ChainName } from './chain-name.js';

/** Who may make a call: the holder of a role, the relayer, or anyone. */
export type Office = 'admin' | 'guardian' | 'policyManager' | 'relayer' | 'anyone';

/** One call to one end of the bridge that an operator wants made. */
export interface OperatorCall {
  readonly chain: ChainName;
  /** What the node of that chain must say. */
  readonly chainId: number;
  readonly contract: 'BridgeLock' | 'BridgeMint';
  readonly to: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly office: Office;
}
