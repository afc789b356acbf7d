import type { Abi, Address } from 'viem';

/** Who may make a call: the holder of a role, or anyone. */
export type Office = 'admin' | 'guardian' | 'policyManager' | 'anyone';

/** One call to one end of the bridge that an operator wants made. */
export interface OperatorCall {
  readonly chain: 'ethereum' | 'partner';
  readonly contract: 'BridgeLock' | 'BridgeMint';
  readonly to: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly office: Office;
}
