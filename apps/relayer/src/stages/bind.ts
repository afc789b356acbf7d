import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, LOGGER, STORE } from '../infrastructure.js';
import type { Stage } from '../pipeline/scheduler.js';

/**
 * Stage 2, for native XCN only. Binds transfers to the relayer wallet to the intents they pay, whether or not the
 * client called bind-origin. Expires intents whose payment window has passed on the chain.
 */
@Injectable()
export class BindStage implements Stage {
  readonly name = 'bind';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    const { chainId } = this.chains.partner;
    for (const { key, candidates } of await this.store.intents.findUnbound(chainId)) {
      const intentId = chooseIntent(candidates);
      if (intentId === null) continue;
      const bound = await this.store.intents.bind(fence, key, intentId);
      if (bound) this.logger.info({ operationId: intentId, txHash: key.txHash }, 'transfer bound to its intent');
    }
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return;
    for (const operationId of await this.store.intents.expire(fence, chainId, newest)) {
      this.logger.info({ operationId }, 'intent expired without a transfer');
    }
  }
}

/**
 * Chooses the pending intent that a transfer pays, among those with the same payer and amount: the one for which the
 * client proposed this transaction, else the only one.
 *
 * @returns null when several intents fit and no client proposed one.
 */
export function chooseIntent(candidates: readonly { id: Hex; proposed: boolean }[]): Hex | null {
  const proposed = candidates.find((candidate) => candidate.proposed);
  if (proposed !== undefined) return proposed.id;
  return candidates.length === 1 ? (candidates[0]?.id ?? null) : null;
}
