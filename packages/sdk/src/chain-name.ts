/** Names of the chains of the bridge, in all environments. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  327: 'the partner chain',
  8_901: 'the partner chain',
  31_337: 'the local Ethereum',
  11_155_111: 'Sepolia',
};

/** Names a chain in a sentence, with its id. */
export function describeChain(chainId: number): string {
  const name = NAMES[chainId];
  return name === undefined ? `chain ${chainId}` : `${name} (chain ${chainId})`;
}
