/** A block's header, with the fields of Ethereum's since Prague (EIP-7685). */
export interface Header {
  readonly parentHash: Uint8Array;
  readonly coinbase: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  readonly logsBloom: Uint8Array;
  readonly number: number;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly prevRandao: Uint8Array;
  /** In wei, as in JSON-RPC. */
  readonly baseFeePerGas: bigint;
}
