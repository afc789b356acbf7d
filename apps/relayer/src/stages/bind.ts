import type { BlockRecord, Fence, Store, TransferKey, UnboundTransfer } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Address, Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachSequential } from '../pipeline/for-each.js';
import { confirmedLatestBlock, type ConfirmedChain } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';

/** The chain on which intents are paid. */
interface BindChains {
  readonly partner: ConfirmedChain;
}

/** What the stage reads and writes. */
interface BindStore {
  readonly intents: Pick<Store['intents'], 'findUnbound' | 'bind' | 'findClosedWindows' | 'expire'>;
  readonly scan: Pick<Store['scan'], 'latestBlock' | 'blockUntil'>;
  readonly audits: Pick<Store['audits'], 'last'>;
}

/** A transfer and the intent that it pays. */
interface Binding {
  readonly key: TransferKey;
  readonly intentId: Hex;
}

/**
 * Stage 2, for native XCN only. Binds transfers to the relayer wallet to the intents they pay, whether or not the
 * client called bind-origin. Expires intents whose payment window has passed on the chain.
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
    const expired = await this.expire(fence);
    return bound || expired;
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

  private async expire(fence: Fence): Promise<boolean> {
    const { partner } = this.chains;
    const newest = await this.newestAccounted();
    if (newest === null) return false;
    const closed = await this.store.intents.findClosedWindows(partner.chainId, newest.timestamp);
    let hasWritten = false;
    await forEachSequential(closed, async (id) => {
      if (!(await this.store.intents.expire(fence, id, newest))) return;
      hasWritten = true;
      this.logger.info({ operationId: id }, 'intent expired without a transfer');
    });
    return hasWritten;
  }

  /** A smart account may have paid in any block that is not accounted for, so no window closes there. */
  private async newestAccounted(): Promise<BlockRecord | null> {
    const { partner } = this.chains;
    const address = this.configuration.addressBook.relayer.toLowerCase() as Address;
    const accounted = await this.store.audits.last({ chainId: partner.chainId, address });
    const newest = accounted === null ? null : await confirmedLatestBlock(this.store, partner);
    if (accounted === null || newest === null || newest.number <= accounted.blockNumber) return newest;
    return this.store.scan.blockUntil(partner.chainId, accounted.blockNumber, newest.timestamp);
  }
}

/** Chooses an intent for each transfer, and leaves out transfers that may pay several. */
export function planBindings(transfers: readonly UnboundTransfer[]): Binding[] {
  return transfers.flatMap(({ key, candidates }) => {
    const intentId = chooseIntent(candidates);
    return intentId === null ? [] : [{ key, intentId }];
  });
}

/**
 * Chooses the pending intent that a transfer pays, among those with the same payer and amount: the one for which the
 * client proposed this transaction, else the only one.
 *
 * @returns null when several intents fit and no client proposed one.
 */
function chooseIntent(candidates: UnboundTransfer['candidates']): Hex | null {
  const proposed = candidates.find((candidate) => candidate.proposed);
  if (proposed !== undefined) return proposed.id;
  return candidates.length === 1 ? (candidates[0]?.id ?? null) : null;
}
