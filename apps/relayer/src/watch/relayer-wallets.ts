import { bridgeMintAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

/** A failed search of at most this many blocks is not split further. */
const SMALLEST_RANGE = 500n;

/**
 * All relayer wallets that BridgeMint ever had, since tokens handed in to a former one are still part of the supply. It
 * reads the contract's events once per process, and continues from where the last search ended.
 */
export class RelayerWallets {
  private readonly found = new Set<Address>();
  /** The first block to search; null before the first search. */
  private next: bigint | null = null;

  constructor(private readonly partner: Pick<BridgeChain, 'connection' | 'bridge' | 'deployedAtBlock'>) {}

  /**
   * The wallets up to a final block. The result can include later ones.
   *
   * @throws QuorumError
   */
  async until(block: bigint): Promise<readonly Address[]> {
    const next = this.next ?? this.partner.deployedAtBlock;
    if (block >= next) {
      for (const wallet of await this.search(next, block)) this.found.add(wallet);
      this.next = block + 1n;
    }
    return [...this.found];
  }

  /** The wallets found so far. */
  known(): readonly Address[] {
    return [...this.found];
  }

  /** Nodes limit the range of a search differently, so a failed one is split in half. */
  private async search(fromBlock: bigint, toBlock: bigint): Promise<Address[]> {
    const { connection, bridge } = this.partner;
    try {
      return await connection.agree(async (client) => {
        const events = await client.getContractEvents({
          address: bridge,
          abi: bridgeMintAbi,
          eventName: 'RelayerChanged',
          fromBlock,
          toBlock,
        });
        const wallets = events.flatMap(({ args }) => [args.previous ?? zeroAddress, args.current ?? zeroAddress]);
        return wallets.filter((wallet) => wallet !== zeroAddress).map((wallet) => wallet.toLowerCase() as Address);
      });
    } catch (error) {
      if (toBlock - fromBlock < SMALLEST_RANGE) throw error;
      const middle = (fromBlock + toBlock) / 2n;
      return [...(await this.search(fromBlock, middle)), ...(await this.search(middle + 1n, toBlock))];
    }
  }
}
