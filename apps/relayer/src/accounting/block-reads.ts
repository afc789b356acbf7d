import type { Wallet, WalletState } from '@causeway/store';
import { isAddressEqual, type Hex, type PublicClient } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { spentOn, type SentTransaction } from './wallet-flows.js';

/** Blocks that are read before the account comes to them. */
const AHEAD = 8n;

/** The state of a wallet after a block, and the block. */
export interface StateAt extends WalletState {
  readonly hash: Hex;
  readonly timestamp: Date;
}

/** The transactions of a wallet in a block: how many, and their values and fees in wei. */
interface Spent {
  readonly transactions: bigint;
  readonly cost: bigint;
}

/** The reads of a wallet at each block by a quorum of nodes. Every read is kept, so an object serves one run. */
export class BlockReads {
  private readonly states = new Map<bigint, Promise<StateAt>>();
  private readonly sums = new Map<Hex, Promise<Spent>>();

  constructor(
    private readonly chain: Pick<BridgeChain, 'side' | 'bridge' | 'connection'>,
    private readonly wallet: Wallet,
  ) {}

  /** @throws QuorumError; what the nodes throw when none has the state any more. */
  async state(blockNumber: bigint): Promise<StateAt> {
    const read = this.states.get(blockNumber) ?? this.readState(blockNumber);
    this.states.set(blockNumber, read);
    return read;
  }

  /** The sum that the wallet spent in a block. */
  async spent({ hash }: StateAt): Promise<Spent> {
    const sum = this.sums.get(hash) ?? this.readSpent(hash);
    this.sums.set(hash, sum);
    return sum;
  }

  /** Begins to read the blocks after one. A wallet that is busy must be accounted for block by block. */
  readAhead(after: bigint, last: bigint): void {
    for (let number = after + 1n; number <= last && number <= after + AHEAD; number++) {
      // A failure is thrown where the read is needed.
      Promise.all([this.state(number - 1n), this.state(number)])
        .then(async ([before, at]) => (before.nonce === at.nonce ? null : this.spent(at)))
        .catch(() => undefined);
    }
  }

  private async readState(blockNumber: bigint): Promise<StateAt> {
    const { address } = this.wallet;
    return this.chain.connection.agree(async (client) => {
      // The hash first: a node that changes its branch in between then shows the old one.
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

/** All transactions of a wallet in a block, those that failed as well. */
async function sentIn(client: PublicClient, blockHash: Hex, wallet: Hex): Promise<SentTransaction[]> {
  const block = await client.getBlock({ blockHash, includeTransactions: true });
  const sent = block.transactions.filter(({ from }) => isAddressEqual(from, wallet));
  return Promise.all(
    sent.map(async ({ hash, to, value }) => ({ to, value, receipt: await client.getTransactionReceipt({ hash }) })),
  );
}
