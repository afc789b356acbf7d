import { bridgeMintAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

/** A range of this many blocks or fewer is not halved when its search fails. */
const SMALLEST_RANGE = 500n;

/**
 * All relayer wallets that BridgeMint ever had: tokens handed in to a former one are still part of the supply. Found by
 * the events of the contract, once per process, and then from where the last search ended.
 */
export class RelayerWallets {
  private readonly found = new Set<Address>();
  /** The first block that was not searched; null before the first search. */
  private next: bigint | null = null;

  constructor(private readonly partner: Pick<BridgeChain, 'connection' | 'bridge' | 'deployedAtBlock'>) {}

  /**
   * The wallets up to a final block. A wallet that came later may be among them.
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

  /** The wallets that earlier searches found. */
  known(): readonly Address[] {
    return [...this.found];
  }

  /** Nodes bound the range of a search differently, so a failed one is halved. */
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
