import { isAddress, type Address } from 'viem';

/** One entry of partner_getValidators. */
export interface Validator {
  readonly address: Address;
  readonly active: boolean;
}

/**
 * The validators as recent blocks show them: Ethereum's own methods do not name any, but every block names who made it.
 *
 * @param blocks the latest blocks of the chain, as eth_getBlockByNumber answers them.
 * @returns each maker once, by address.
 */
export function readValidators(blocks: readonly unknown[]): Validator[] {
  const makers = new Set<Address>();
  for (const block of blocks) {
    if (typeof block !== 'object' || block === null || !('miner' in block)) continue;
    const { miner } = block;
    if (typeof miner === 'string' && isAddress(miner, { strict: false })) makers.add(miner.toLowerCase() as Address);
  }
  return [...makers].toSorted().map((address) => ({ address, active: true }));
}
