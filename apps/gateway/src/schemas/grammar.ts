/** How the values of the Ethereum JSON-RPC are written: sources of patterns, without their beginnings and ends. Schemas and quick checks are built from them. */
export const grammar = {
  address: '0x[0-9a-fA-F]{40}',
  /** A hash, or any other 32 bytes. */
  word: '0x[0-9a-fA-F]{64}',
  data: '0x(?:[0-9a-fA-F]{2})*',
  /** A number up to 2^64 - 1. */
  quantity64: '0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})',
  /** A number up to 2^256 - 1. */
  quantity: '0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})',
  blockTags: ['latest', 'earliest', 'pending', 'safe', 'finalized'],
  /** Those of them that a node takes as the gateway does. */
  plainBlockTags: ['latest', 'earliest', 'pending'],
} as const;
