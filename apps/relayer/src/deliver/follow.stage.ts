import { broadcast, FeeCapError, type Signer } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Fence, JournalEntry, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.js';
import { doesOriginStand } from '../finalize/does-origin-stand.js';
import { atOnce } from '../schedule/at-once.js';
import { eachInTurn } from '../schedule/each-in-turn.js';
import { haltedChains } from '../schedule/halted-chains.js';
import type { Stage } from '../schedule/stage.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../world/tokens.js';
import { afterRevert } from './after-revert.js';
import type { DelayReason } from './delay-reason.js';
import { findMined, type Mined } from './find-mined.js';
import { isNonceTaken } from './is-nonce-taken.js';
import { nextAttemptAt } from './next-attempt-at.js';
import { callOf, signReplacement } from './sign-replacement.js';

/**
 * Stage 6b. Looks after every journalled transaction of an operation until it is settled or has failed for good: sends it
 * again while no block has it (also after a crash between journal and broadcast), replaces it with higher fees under the
 * same nonce when it waits too long, and hands the operation back to the deliver stage when it reverted, or when an
 * operator's cancellation took its place for good.
 */
@Injectable()
export class FollowStage implements Stage {
  readonly name = 'follow';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    await atOnce(eachChain(this.chains), async (chain) => {
      const pending = await this.store.journal.pending(chain.chainId);
      await eachInTurn(pending, (entry) => this.follow(fence, chain, entry));
    });
  }

  private async follow(fence: Fence, chain: BridgeChain, entry: JournalEntry): Promise<void> {
    const { client } = chain.connection;
    const operation = await this.store.operations.findById(entry.operationId);
    if (operation === null) throw new Error(`Operation ${entry.operationId} has a transaction, but no record`);
    if ((await haltedChains(this.store))(operation)) return;
    const mined = await findMined(this.store, client, entry);
    if (mined !== null) return this.conclude(fence, chain, entry, mined);
    if (await isNonceTaken(this.store, chain, entry))
      return this.giveBack(fence, entry, { reason: 'NONCE_TAKEN', nextAttemptAt: nextAttemptAt(Date.now(), 1) });
    if (entry.purpose === 'DELIVERY' && !(await this.isStillOwed(operation, entry))) return;
    if (Date.now() - entry.createdAt.getTime() > this.configuration.replaceAfterMs)
      return this.replace(fence, chain, entry);
    const result = await broadcast(client, entry.raw);
    const isOnItsWay = result.kind === 'accepted' || result.kind === 'known';
    if (isOnItsWay && entry.purpose === 'DELIVERY') await this.store.journal.markBroadcast(fence, entry);
    if (result.kind !== 'known')
      this.logger.info({ operationId: entry.operationId, txHash: entry.hash, result: result.kind }, 'broadcast again');
  }

  /**
   * Whether the origin still stands, and no chain was halted while that was asked. A transaction that was stored may never
   * have left, or a node may have lost it, and it is sent now, long after it was decided: the same question as before the
   * first time.
   */
  private async isStillOwed(operation: Operation, { hash }: JournalEntry): Promise<boolean> {
    const { id, originChainId } = operation;
    const chain = eachChain(this.chains).find(({ chainId }) => chainId === originChainId);
    if (chain === undefined) throw new Error(`Operation ${id} has no origin here`);
    if (await doesOriginStand(this.store, chain, operation)) return !(await haltedChains(this.store))(operation);
    this.logger.fatal(
      { operationId: id, txHash: hash },
      'the node does not confirm the origin; the delivery is not sent',
    );
    return false;
  }

  /** One of the transactions of a nonce is mined. What pays is left to the settle stage, which waits for its event. */
  private async conclude(fence: Fence, chain: BridgeChain, entry: JournalEntry, mined: Mined): Promise<void> {
    const { purpose, hash, receipt } = mined;
    if (purpose === 'DELIVERY' && receipt.status === 'success') return;
    const head = await chain.connection.client.getBlockNumber({ cacheTime: 0 });
    if (confirmations(head, receipt.blockNumber) < chain.confirmations) return;
    if (purpose === 'DELIVERY') {
      const reverts = (await this.store.journal.countReverted(entry.operationId)) + 1;
      return this.giveBack(fence, entry, afterRevert(Date.now(), reverts));
    }
    if (await this.store.journal.concludeCancellation(fence, entry, hash, nextAttemptAt(Date.now(), 1)))
      this.logger.warn({ operationId: entry.operationId, txHash: hash }, 'the delivery is cancelled for good');
  }

  private async replace(fence: Fence, chain: BridgeChain, entry: JournalEntry): Promise<void> {
    const { client } = chain.connection;
    try {
      const signed = await signReplacement(this.signer, chain, entry, callOf(entry), this.configuration.maxFeePerGas);
      if (!(await this.store.journal.replace(fence, entry, signed))) return;
      const result = await broadcast(client, signed.raw);
      this.logger.warn(
        { operationId: entry.operationId, replaced: entry.hash, txHash: signed.hash, result: result.kind },
        'waited too long; replaced with higher fees',
      );
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      this.logger.warn(
        { operationId: entry.operationId, err: error },
        'no higher fees are allowed; sending the same again',
      );
      await broadcast(client, entry.raw);
    }
  }

  private async giveBack(
    fence: Fence,
    entry: JournalEntry,
    next: { readonly reason: DelayReason; readonly nextAttemptAt: Date | null },
  ): Promise<void> {
    if (!(await this.store.journal.revert(fence, entry, next.reason, next.nextAttemptAt))) return;
    const { operationId, hash: txHash } = entry;
    const { reason } = next;
    if (next.nextAttemptAt === null)
      this.logger.fatal({ operationId, txHash, reason }, 'the delivery keeps reverting; an operator must look');
    else this.logger.error({ operationId, txHash, reason }, 'the delivery failed for good; a new one follows');
  }
}
