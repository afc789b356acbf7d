import type { Mirror } from '@causeway/chain';
import type { Fence, Store } from '@causeway/store';
import type { Logger } from 'pino';
import type { Address } from 'viem';
import { eachChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import type { Clock } from '../infrastructure.js';
import type { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { forEachParallel } from '../pipeline/for-each.js';
import type { Stage } from '../pipeline/scheduler.js';
import { WalletAccount } from './wallet-account.js';

interface AccountStageSetting {
  readonly chains: BridgeChains;
  readonly store: Store;
  readonly configuration: Pick<Configuration, 'addressBook' | 'wallets'>;
  /** Null when none is configured. */
  readonly mirror: Mirror | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<RelayerMetrics, 'accountWaitsFor'> | null;
  /** Default: the wallets of the configuration. */
  readonly wallets?: readonly Address[];
}

/**
 * Stage 1b: accounts for the wallet's native balance on both chains. It finds payments made inside contract calls on
 * the partner chain, such as those of smart accounts, and ETH sent by mistake. It runs before transfers are bound; an
 * intent's window closes only after its blocks are accounted for.
 */
export class AccountStage implements Stage {
  readonly name = 'account';
  private accounts: readonly WalletAccount[] | null = null;

  constructor(private readonly setting: AccountStageSetting) {}

  async run(fence: Fence): Promise<boolean> {
    const accounts = (this.accounts ??= this.open());
    let hasWritten = false;
    try {
      await forEachParallel(accounts, async (account) => {
        if (await account.run(fence)) hasWritten = true;
      });
    } finally {
      this.setting.metrics?.accountWaitsFor(this.waitingMs);
    }
    return hasWritten;
  }

  /** The longest wait of an account for mirrors, in milliseconds; 0 when none waits. */
  get waitingMs(): number {
    return Math.max(0, ...(this.accounts ?? []).map(({ waitingMs }) => waitingMs));
  }

  private open(): WalletAccount[] {
    const { configuration, chains, wallets = configuration.wallets } = this.setting;
    return eachChain(chains).flatMap((chain) =>
      wallets.map((address) => {
        const wallet = { chainId: chain.chainId, address: address.toLowerCase() as Address };
        return new WalletAccount({ ...this.setting, book: configuration.addressBook, chain, wallet });
      }),
    );
  }
}
