import { QuorumError, readRelayer, type ChainConnection } from '@causeway/chain';
import type { BlockRecord, Fence, Store, TransferKey, UnboundTransfer } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Address, Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachSequential } from '../pipeline/for-each.js';
import { confirmedFinalBlock, type FinalChain } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';

/** The chain on which intents are paid. */
interface BindChains {
  readonly partner: FinalChain & { readonly connection: Pick<ChainConnection, 'agree'> };
}

interface BindStore {
  readonly intents: Pick<
    Store['intents'],
    'findUnbound' | 'bind' | 'findExchanges' | 'exchange' | 'findClosedWindows' | 'findOfOtherWallets' | 'expire'
  >;
  readonly scan: Pick<Store['scan'], 'blockBelow'>;
  readonly audits: Pick<Store['audits'], 'last'>;
}

/** A transfer and the intent that it pays. */
interface Binding {
  readonly key: TransferKey;
  readonly intentId: Hex;
}

/**
 * Stage 2, only for native XCN. Binds transfers to the relayer wallet to the intents they pay, whether or not the
 * client called bind-origin. Expires intents whose payment window has passed on the chain, or whose wallet was
 * replaced.
 */
@Injectable()
export class BindStage implements Stage {
  readonly name = 'bind';

  constructor(
    @Inject(CHAINS) private readonly chains: BindChains,
    @Inject(STORE) private readonly store: BindStore,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'addressBook'>,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info'>,
  ) {}

  async run(fence: Fence): Promise<boolean> {
    const bound = await this.bind(fence);
    const exchanged = await this.exchange(fence);
    const expired = await this.expire(fence);
    return bound || exchanged || expired;
  }

  private async bind(fence: Fence): Promise<boolean> {
    const bindings = planBindings(await this.store.intents.findUnbound(this.chains.partner.chainId));
    let hasWritten = false;
    await forEachSequential(bindings, async ({ key, intentId }) => {
      if (!(await this.store.intents.bind(fence, key, intentId))) return;
      hasWritten = true;
      this.logger.info({ operationId: intentId, txHash: key.txHash }, 'transfer bound to its intent');
    });
    return hasWritten;
  }

  /** A client can name a transfer that was already bound to an equal intent of the same sender. */
  private async exchange(fence: Fence): Promise<boolean> {
    const wanted = await this.store.intents.findExchanges(this.chains.partner.chainId);
    let hasWritten = false;
    await forEachSequential(wanted, async ({ key, id }) => {
      if (!(await this.store.intents.exchange(fence, key, id))) return;
      hasWritten = true;
      this.logger.info({ operationId: id, txHash: key.txHash }, 'transfer given to the equal intent that names it');
    });
    return hasWritten;
  }

  /** Waits for a final block after the window, so that no reorg can still bring a transfer in time. */
  private async expire(fence: Fence): Promise<boolean> {
    const { partner } = this.chains;
    const final = await this.newestAccounted();
    if (final === null) return false;
    const closed = await this.store.intents.findClosedWindows(partner.chainId, final.timestamp);
    const replaced = await this.store.intents.findOfOtherWallets(partner.chainId, this.wallet());
    const wallet = replaced.length === 0 ? null : await this.walletAt(final);
    let hasWritten = false;
    await forEachSequential([...new Set([...closed, ...(wallet === null ? [] : replaced)])], async (id) => {
      if (!(await this.store.intents.expire(fence, id, final, wallet))) return;
      hasWritten = true;
      this.logger.info({ operationId: id }, 'intent expired without a transfer');
    });
    return hasWritten;
  }

  /** The relayer wallet of BridgeMint after a final block; null without the nodes' agreement. */
  private async walletAt({ number: blockNumber }: BlockRecord): Promise<Address | null> {
    const { addressBook } = this.configuration;
    try {
      const wallet = await this.chains.partner.connection.agree((client) =>
        readRelayer(client, addressBook, 'partner', { blockNumber }),
      );
      return wallet.toLowerCase() as Address;
    } catch (error) {
      if (error instanceof QuorumError) return null;
      throw error;
    }
  }

  private wallet(): Address {
    return this.configuration.addressBook.relayer.toLowerCase() as Address;
  }

  /**
   * The newest final block up to which the wallet is accounted for. A smart account may have paid in any later block.
   */
  private async newestAccounted(): Promise<BlockRecord | null> {
    const { partner } = this.chains;
    const accounted = await this.store.audits.last({ chainId: partner.chainId, address: this.wallet() });
    return accounted === null ? null : confirmedFinalBlock(this.store, partner, accounted.blockNumber);
  }
}

/**
 * Chooses an intent for each transfer, among the pending ones with the same payer and amount, each intent once. The
 * intent that the transfer names in its data comes first, then the one for which a client named the transaction, then
 * the oldest. All of them have the same recipient, so the choice affects only their order. Pure.
 */
export function planBindings(transfers: readonly UnboundTransfer[]): Binding[] {
  const chosen = new Map<UnboundTransfer, Hex>();
  const taken = new Set<Hex>();
  const choose = (isWanted: (candidate: UnboundTransfer['candidates'][number]) => boolean) => {
    for (const transfer of transfers) {
      if (chosen.has(transfer)) continue;
      const candidate = transfer.candidates.find((each) => !taken.has(each.id) && isWanted(each));
      if (candidate === undefined) continue;
      chosen.set(transfer, candidate.id);
      taken.add(candidate.id);
    }
  };
  choose(({ isNamed }) => isNamed);
  choose(({ isProposed }) => isProposed);
  choose(() => true);
  return transfers.flatMap((transfer) => {
    const intentId = chosen.get(transfer);
    return intentId === undefined ? [] : [{ key: transfer.key, intentId }];
  });
}
