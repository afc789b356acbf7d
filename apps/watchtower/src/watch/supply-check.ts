import { bridgedTokenAbi } from '@causeway/contracts/abi';
import {
  readContract,
  readLocked,
  type AssetSettings,
  type Finding,
  type Heads,
  type Ledger,
  type Verifier,
} from '@causeway/verifier';
import { OTHER, type ReadTime } from './pauses.js';

const COIN = '0x0000000000000000000000000000000000000000';
/** Pairs of final blocks in a row at which the supply must be short. */
const PAIRS = 2;

/** An asset whose supply exceeds its collateral. */
export interface Shortage {
  readonly finding: Finding;
  /** Unix seconds of the first pair's newer block. */
  readonly since: bigint;
}

/** A shortage as kept in a state. */
export interface KeptShortage {
  readonly asset: string;
  /** Unix seconds, as decimal text. */
  readonly since: string;
}

/** Compares collateral and supply at pairs of final blocks. */
export class SupplyCheck {
  private readonly short = new Map<string, Shortage & { readonly pairs: number }>();
  private pair = '';

  /** @param kept the shortages that were found before a restart. */
  constructor(
    private readonly verifier: Verifier,
    kept: readonly KeptShortage[] = [],
  ) {
    for (const { asset, since } of kept)
      this.short.set(asset, {
        finding: toFinding(asset, 'As before the restart.'),
        since: BigInt(since),
        pairs: PAIRS,
      });
  }

  /**
   * Checks the pair of blocks up to which the ledger was read, once. A pair with deliveries that are newer than the
   * other chain's block proves nothing: one chain was read further than the other.
   *
   * @throws NoQuorumError
   */
  async check(ledger: Ledger, finals: Heads, readTime: ReadTime): Promise<void> {
    const { ethereum, partner } = finals;
    const pair = `${ethereum.hash} ${partner.hash}`;
    const { cursors } = ledger;
    const isRead = cursors.ethereum?.hash === ethereum.hash && cursors.partner?.hash === partner.hash;
    if (pair === this.pair || !isRead) return;
    for (const { side, blockNumber } of ledger.unexplained)
      if ((await readTime(side, blockNumber ?? 0n)) > finals[OTHER[side]].timestamp) return;
    const read = await Promise.all(
      this.verifier.settings.assets.map(async (asset) => ({
        symbol: asset.symbol,
        // An announced succession moves collateral away, while the successor takes over the supply.
        locked: (await readLocked(this.verifier, asset, finals)) + ledger.sums(asset.symbol).handedOver.ethereum,
        owed: await this.readOwed(asset, ledger, finals),
      })),
    );
    this.pair = pair;
    const now = ethereum.timestamp > partner.timestamp ? ethereum.timestamp : partner.timestamp;
    for (const { symbol, locked, owed } of read) {
      const before = this.short.get(symbol);
      if (locked >= owed) this.short.delete(symbol);
      else {
        const finding = toFinding(symbol, `${locked} of ${symbol} are locked, and holders can withdraw ${owed}.`);
        this.short.set(symbol, { finding, since: before?.since ?? now, pairs: (before?.pairs ?? 0) + 1 });
      }
    }
  }

  /** Reads how much holders on the partner chain can withdraw: of native XCN, its mints less its withdrawals. */
  private async readOwed({ symbol, tokens }: AssetSettings, ledger: Ledger, { partner }: Heads): Promise<bigint> {
    const { supply, held } = ledger.sums(symbol);
    if (tokens.partner === COIN) return supply;
    const read = { address: tokens.partner, abi: bridgedTokenAbi, functionName: 'totalSupply', args: [] };
    return ((await readContract(this.verifier.readers.partner, { ...read, blockHash: partner.hash })) as bigint) - held;
  }

  /** The assets whose supply was short at two pairs in a row. */
  get shortages(): readonly Shortage[] {
    return [...this.short.values()].filter(({ pairs }) => pairs >= PAIRS);
  }

  toState(): readonly KeptShortage[] {
    return this.shortages.map(({ finding, since }) => ({ asset: finding.asset ?? '', since: `${since}` }));
  }
}

function toFinding(asset: string, why: string): Finding {
  return { code: 'SHORT', side: 'ethereum', id: null, asset, transactionHash: null, blockNumber: null, why };
}
