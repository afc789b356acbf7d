import { ChainError } from '@causeway/chain';
import type { Side } from '@causeway/protocol';
import type { Fence, Store, Wallet } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { BaseError, type Address } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, STORE, type Clock } from '../infrastructure.js';
import { readAgreedNonce, readHeadTime } from './reported-nonces.js';

/** How often a relayer that waits reads the nonces again. */
const LOOK_MS = 5_000;

/** A wallet whose nonces the database lacks. Both are next nonces. */
interface MissingNonces {
  readonly chain: BridgeChain;
  readonly wallet: Wallet;
  readonly highest: bigint;
  readonly known: bigint;
}

interface GateStore {
  readonly rebuild: Pick<Store['rebuild'], 'state'>;
  readonly reconciliations: Pick<Store['reconciliations'], 'open' | 'begin' | 'nonces' | 'see'>;
}

/**
 * Keeps a relayer from working while the chains have transactions of its wallet that the database lacks: after the
 * restore of an old copy, or beside another relayer with the same wallet. An operator reconciles the database and ends
 * the wait: see docs/decisions/rebuild.md.
 */
@Injectable()
export class ReconcileGate {
  /** Why this relayer waits, for health and metrics; null while it does not. */
  waitsFor: string | null = null;
  private nextLookAtMs = 0;
  /** The chains whose nonces are not read yet, because too few nodes agree. */
  private unread: ReadonlySet<Side> = new Set();

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: GateStore,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'addressBook'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
  ) {}

  /** Whether a reconciliation is open: this relayer must not take the lease, which `relayer reconcile` needs. */
  async isClosed(): Promise<boolean> {
    const open = await this.store.reconciliations.open();
    this.wait(open?.reason ?? null);
    if (open === null) return false;
    if (this.clock.now() < this.nextLookAtMs) return true;
    this.nextLookAtMs = this.clock.now() + LOOK_MS;
    for (const missing of (await this.findMissing()).missing)
      if (await this.see(missing))
        this.logger.error(
          { chain: missing.chain.side, nonce: `${missing.highest}` },
          'another relayer uses the wallet: its nonce moves',
        );
    return true;
  }

  /** Whether `mayWork` must be asked again, because a chain's nonces are not read yet. */
  get isBlind(): boolean {
    return this.unread.size > 0;
  }

  /** Whether the wallet may sign for a chain: nothing that this database lacks was found, and its nonces are read. */
  maySign(side: Side): boolean {
    return this.waitsFor === null && !this.unread.has(side);
  }

  /**
   * Whether the holder of a lease may work. If not, a reconciliation is open. While too few nodes of a chain agree, it
   * may work, but signs nothing for that chain.
   */
  async mayWork(fence: Fence): Promise<boolean> {
    // It may have been opened before this process had the lease.
    if (await this.isClosed()) return false;
    const { missing, unread } = await this.findMissing();
    for (const chain of unread)
      if (!this.unread.has(chain))
        this.logger.warn(
          { chain },
          'too few nodes report the same nonce of the wallet: nothing is signed for this chain',
        );
    this.unread = unread;
    if (missing.length > 0) {
      const isEmpty = (await this.store.rebuild.state()) === 'empty';
      const counts = missing.map(({ chain, known, highest }) => `${highest - known} on ${chain.side}, from ${known}`);
      const reason =
        `the wallet has nonces that the database lacks: ${counts.join('; ')}. ` +
        `Stop every other relayer of this wallet, then run relayer ${isEmpty ? 'rebuild' : 'reconcile'}`;
      await this.store.reconciliations.begin(fence, reason);
      for (const each of missing) await this.see(each);
      this.wait(reason);
      return false;
    }
    this.wait(null);
    return true;
  }

  /** The chains with nonces that the database lacks, and those where too few nodes agree. */
  private async findMissing(): Promise<{
    readonly missing: readonly MissingNonces[];
    readonly unread: ReadonlySet<Side>;
  }> {
    const unread = new Set<Side>();
    const all = await Promise.all(
      eachChain(this.chains).map(async (chain) =>
        this.compare(chain).catch((error: unknown) => {
          if (!(error instanceof ChainError || error instanceof BaseError)) throw error;
          unread.add(chain.side);
          return null;
        }),
      ),
    );
    return { missing: all.filter((each) => each !== null).filter(({ highest, known }) => highest > known), unread };
  }

  private async compare(chain: BridgeChain): Promise<MissingNonces> {
    const { chainId } = chain;
    const wallet = { chainId, address: this.configuration.addressBook.relayer.toLowerCase() as Address };
    const highest = await readAgreedNonce(chain, wallet.address);
    const { known } = await this.store.reconciliations.nonces(wallet);
    return { chain, wallet, highest, known };
  }

  /** Records a nonce. Returns whether it has moved. */
  private async see({ chain, wallet, highest }: MissingNonces): Promise<boolean> {
    return this.store.reconciliations.see({ wallet, nonce: highest }, await readHeadTime(chain));
  }

  private wait(reason: string | null): void {
    if (reason === this.waitsFor) return;
    this.waitsFor = reason;
    if (reason === null) this.logger.info('this relayer no longer waits for a reconciliation');
    else this.logger.error({ reason }, `${reason}. This relayer waits, and pays nothing`);
  }
}
