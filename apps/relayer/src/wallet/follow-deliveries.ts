import { broadcast, FeeCapError, type Signer } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Fence, JournalEntry, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../infrastructure.js';
import { forEachParallel, forEachSequential } from '../pipeline/for-each.js';
import { haltedChains } from '../pipeline/halted-chains.js';
import { isOriginFinal } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { delayAfterRevert, nextAttemptAt, type Delay } from './delivery-delay.js';
import { findMined, isNonceTaken, type Mined } from './nonce-use.js';
import { callOf, signReplacement } from './replace-transaction.js';

/**
 * Follows every pending transaction of an operation until it is settled or has failed.
 *
 * - No block has it: broadcasts it again, also after a crash between journal and broadcast.
 * - It waits too long: replaces it with higher fees under the same nonce.
 * - It reverted, or an operator's cancellation is final: hands the operation back to the deliver stage.
 */
@Injectable()
export class FollowDeliveries implements Stage {
  readonly name = 'follow';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const pending = await this.store.journal.pending(chain.chainId);
      await forEachSequential(pending, (entry) => this.follow(fence, chain, entry));
    });
  }

  private async follow(fence: Fence, chain: BridgeChain, entry: JournalEntry): Promise<void> {
    const { client } = chain.connection;
    const operation = await this.store.operations.findById(entry.operationId);
    if (operation === null) throw new Error(`Operation ${entry.operationId} has a transaction, but no row`);
    if ((await haltedChains(this.store))(operation)) return;
    const mined = await findMined(this.store, client, entry);
    if (mined !== null) return this.conclude(fence, chain, entry, mined);
    if (await isNonceTaken(this.store, chain, entry))
      return this.retryLater(fence, entry, { reason: 'NONCE_TAKEN', nextAttemptAt: nextAttemptAt(Date.now(), 1) });
    if (entry.purpose === 'DELIVERY' && !(await this.isStillOwed(operation, entry))) return;
    if (Date.now() - entry.createdAt.getTime() > this.configuration.replaceAfterMs)
      return this.replace(fence, chain, entry);
    const result = await broadcast(client, entry.raw);
    const isPending = result.kind === 'accepted' || result.kind === 'known';
    if (isPending && entry.purpose === 'DELIVERY') await this.store.journal.markBroadcast(fence, entry);
    if (result.kind !== 'known')
      this.logger.info({ operationId: entry.operationId, txHash: entry.hash, result: result.kind }, 'broadcast again');
  }

  /**
   * Checks the origin and the halts again, as before the first broadcast. A journalled transaction may never have left
   * this machine, or a node may have dropped it, and it would be sent long after the decision.
   */
  private async isStillOwed(operation: Operation, { hash }: JournalEntry): Promise<boolean> {
    const { id, originChainId } = operation;
    const chain = eachChain(this.chains).find(({ chainId }) => chainId === originChainId);
    if (chain === undefined) throw new Error(`Operation ${id} has an unknown origin chain ${originChainId}`);
    if (await isOriginFinal(this.store, chain, operation)) return !(await haltedChains(this.store))(operation);
    this.logger.fatal(
      { operationId: id, txHash: hash },
      'the node does not confirm the origin; the delivery is withheld',
    );
    return false;
  }

  /** Handles a mined nonce. A successful delivery is left to the settle stage, which waits for its event. */
  private async conclude(fence: Fence, chain: BridgeChain, entry: JournalEntry, mined: Mined): Promise<void> {
    const { purpose, hash, receipt } = mined;
    if (purpose === 'DELIVERY' && receipt.status === 'success') return;
    const head = await chain.connection.client.getBlockNumber({ cacheTime: 0 });
    if (confirmations(head, receipt.blockNumber) < chain.confirmations) return;
    if (purpose === 'DELIVERY') {
      const reverts = (await this.store.journal.countReverted(entry.operationId)) + 1;
      return this.retryLater(fence, entry, delayAfterRevert(Date.now(), reverts));
    }
    if (await this.store.journal.concludeCancellation(fence, entry, hash, nextAttemptAt(Date.now(), 1)))
      this.logger.warn({ operationId: entry.operationId, txHash: hash }, 'the delivery is cancelled permanently');
  }

  private async replace(fence: Fence, chain: BridgeChain, entry: JournalEntry): Promise<void> {
    const { client } = chain.connection;
    try {
      const signed = await signReplacement(this.signer, chain, entry, callOf(entry), this.configuration.maxFeePerGas);
      if (!(await this.store.journal.replace(fence, entry, signed))) return;
      const result = await broadcast(client, signed.raw);
      this.logger.warn(
        { operationId: entry.operationId, replaced: entry.hash, txHash: signed.hash, result: result.kind },
        'replaced with higher fees after waiting too long',
      );
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      this.logger.warn(
        { operationId: entry.operationId, err: error },
        'the fee cap allows no higher fees; broadcasting the same transaction again',
      );
      await broadcast(client, entry.raw);
    }
  }

  private async retryLater(fence: Fence, entry: JournalEntry, { reason, nextAttemptAt: at }: Delay): Promise<void> {
    if (!(await this.store.journal.revert(fence, entry, reason, at))) return;
    const { operationId, hash: txHash } = entry;
    if (at === null)
      this.logger.fatal({ operationId, txHash, reason }, 'the delivery keeps reverting; an operator must act');
    else this.logger.error({ operationId, txHash, reason }, 'the delivery failed; the relayer will send a new one');
  }
}
