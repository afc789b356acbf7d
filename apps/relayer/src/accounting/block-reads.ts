import type { Wallet, WalletState } from '@causeway/store';
import { isAddressEqual, type Hex, type PublicClient } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { spentOn, type SentTransaction } from './wallet-flows.js';

/** Blocks that are prefetched. */
const AHEAD = 8n;

/** The state of a wallet after a block, with that block. */
export interface StateAt extends WalletState {
  readonly hash: Hex;
  readonly timestamp: Date;
}

/** The transactions that a wallet sent in a block: their number, and the sum of values and fees in wei. */
interface Spent {
  readonly transactions: bigint;
  readonly cost: bigint;
}

/** Reads a wallet at each block by a quorum of nodes. Caches every read, so an object serves one run. */
export class BlockReads {
  private readonly states = new Map<bigint, Promise<StateAt>>();
  private readonly sums = new Map<Hex, Promise<Spent>>();

  constructor(
    private readonly chain: Pick<BridgeChain, 'side' | 'bridge' | 'connection'>,
    private readonly wallet: Wallet,
  ) {}

  /** @throws QuorumError, or the nodes' error when no node has the state. */
  async state(blockNumber: bigint): Promise<StateAt> {
    const read = this.states.get(blockNumber) ?? this.readState(blockNumber);
    this.states.set(blockNumber, read);
    return read;
  }

  /** The amount that the wallet spent in a block. */
  async spent({ hash }: StateAt): Promise<Spent> {
    const sum = this.sums.get(hash) ?? this.readSpent(hash);
    this.sums.set(hash, sum);
    return sum;
  }

  /** Prefetches the blocks after one. A busy wallet must be accounted for block by block. */
  readAhead(after: bigint, last: bigint): void {
    for (let number = after + 1n; number <= last && number <= after + AHEAD; number++) {
      // The caller that needs the read gets its failure.
      Promise.all([this.state(number - 1n), this.state(number)])
        .then(async ([before, at]) => (before.nonce === at.nonce ? null : this.spent(at)))
        .catch(() => undefined);
    }
  }

  private async readState(blockNumber: bigint): Promise<StateAt> {
    const { address } = this.wallet;
    return this.chain.connection.agree(async (client) => {
      // Read the hash first: if the node changes its branch in between, the hash is that of the old branch.
      const { hash, timestamp } = await client.getBlock({ blockNumber });
      const [balance, nonce] = await Promise.all([
        client.getBalance({ address, blockNumber }),
        client.getTransactionCount({ address, blockNumber }),
      ]);
      return { blockNumber, hash, timestamp: new Date(Number(timestamp) * 1000), balance, nonce: BigInt(nonce) };
    });
  }

  private async readSpent(blockHash: Hex): Promise<Spent> {
    const { connection, bridge, side } = this.chain;
    return connection.agree(async (client) => {
      const sent = await sentIn(client, blockHash, this.wallet.address);
      return { transactions: BigInt(sent.length), cost: spentOn(sent, bridge, side) };
    });
  }
}

/** All transactions that a wallet sent in a block, including failed ones. */
async function sentIn(client: PublicClient, blockHash: Hex, wallet: Hex): Promise<SentTransaction[]> {
  const block = await client.getBlock({ blockHash, includeTransactions: true });
  const sent = block.transactions.filter(({ from }) => isAddressEqual(from, wallet));
  return Promise.all(
    sent.map(async ({ hash, to, value }) => ({ to, value, receipt: await client.getTransactionReceipt({ hash }) })),
  );
}
