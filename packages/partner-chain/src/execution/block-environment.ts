import type { Address } from '@ethereumjs/util';

/** What an execution sees of the block it runs in. */
export interface BlockEnvironment {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly coinbase: Address;
  readonly prevRandao: Uint8Array;
  readonly gasLimit: bigint;
  /** In wei. */
  readonly baseFeePerGas: bigint;
}
