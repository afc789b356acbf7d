import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Stage } from '../schedule/stage.js';
import type { BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, LOGGER, STORE } from '../world/tokens.js';
import { chooseIntent } from './choose-intent.js';

/**
 * Stage 2, for native XCN only. Pairs transfers to the relayer wallet with the intents they pay, whether or not the
 * client lived to call bind-origin, and expires intents whose window has passed on the chain.
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
      const paired = await this.store.intents.bind(fence, key, intentId);
      if (paired) this.logger.info({ operationId: intentId, txHash: key.txHash }, 'transfer paired with its intent');
    }
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null) return;
    for (const operationId of await this.store.intents.expire(fence, chainId, newest)) {
      this.logger.info({ operationId }, 'intent expired without a transfer');
    }
  }
}
