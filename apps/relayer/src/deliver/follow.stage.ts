import { broadcast, bumpFees, estimateFees, FeeCapError, signTransaction, type Signer } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Fence, JournalEntry, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { parseTransaction, TransactionReceiptNotFoundError, type TransactionReceipt } from 'viem';
import type { Configuration } from '../config/configuration.js';
import { isOriginCanonical } from '../finalize/is-origin-canonical.js';
import { atOnce } from '../schedule/at-once.js';
import { eachInTurn } from '../schedule/each-in-turn.js';
import type { Stage } from '../schedule/stage.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../world/tokens.js';
import { nextAttemptAt } from './next-attempt-at.js';

/**
 * Stage 6b. Looks after every journalled transaction until it is settled or has failed for good: sends it again while no
 * block has it (also after a crash between journal and broadcast), replaces it with higher fees under the same nonce when
 * it waits too long, and hands the operation back to the deliver stage when it reverted.
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
    const mined = await this.findMined(chain, entry);
    if (mined?.status === 'success') return; // The settle stage waits for its event to be final.
    const head = await client.getBlockNumber({ cacheTime: 0 });
    if (mined !== null) {
      if (confirmations(head, mined.blockNumber) >= chain.confirmations)
        await this.giveBack(fence, entry, 'DESTINATION_REVERTED');
      return;
    }
    const finalBlock = head - BigInt(chain.confirmations) + 1n;
    const usedFinally =
      finalBlock > 0n &&
      BigInt(await client.getTransactionCount({ address: entry.sender, blockNumber: finalBlock })) > entry.nonce;
    // A block that is final used the nonce for something that is not in the journal: ours can never be mined any more.
    if (usedFinally && (await this.findMined(chain, entry)) === null) return this.giveBack(fence, entry, 'NONCE_TAKEN');
    if (!(await this.isStillOwed(entry))) return;
    if (Date.now() - entry.createdAt.getTime() > this.configuration.replaceAfterMs)
      return this.replace(fence, chain, entry);
    const result = await broadcast(client, entry.raw);
    if (result.kind === 'accepted' || result.kind === 'known') await this.store.journal.onItsWay(fence, entry);
    if (result.kind !== 'known')
      this.logger.info({ operationId: entry.operationId, txHash: entry.hash, result: result.kind }, 'broadcast again');
  }

  /**
   * Whether the origin still stands. A transaction that was stored may never have left, or a node may have lost it, and it
   * is sent now, long after it was decided: the same question as before the first time.
   */
  private async isStillOwed({ operationId, hash }: JournalEntry): Promise<boolean> {
    const operation = await this.store.operations.findById(operationId);
    const origin = operation?.origin ?? null;
    const chain = eachChain(this.chains).find(({ chainId }) => chainId === operation?.originChainId);
    if (origin === null || chain === undefined) throw new Error(`Operation ${operationId} has no origin here`);
    if (await isOriginCanonical(chain.connection.client, origin)) return true;
    this.logger.fatal({ operationId, txHash: hash }, 'the node does not confirm the origin; the delivery is not sent');
    return false;
  }

  /** The receipt of whichever transaction of this nonce was mined: the newest one, or one it replaced. */
  private async findMined(chain: BridgeChain, entry: JournalEntry): Promise<TransactionReceipt | null> {
    const siblings = await this.store.journal.withNonce({ chainId: entry.chainId, address: entry.sender }, entry.nonce);
    for (const { hash } of siblings) {
      try {
        return await chain.connection.client.getTransactionReceipt({ hash });
      } catch (error) {
        if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
      }
    }
    return null;
  }

  private async replace(fence: Fence, chain: BridgeChain, entry: JournalEntry): Promise<void> {
    const { to, data = '0x', value = 0n } = parseTransaction(entry.raw);
    if (!to) throw new Error(`Journalled transaction ${entry.hash} calls nobody`);
    const cap = this.configuration.maxFeePerGas;
    try {
      const fees = bumpFees(entry, await estimateFees(chain.connection.client, cap), cap);
      const signed = await signTransaction(
        this.signer,
        chain.chainId,
        { to, data, value },
        { ...fees, nonce: entry.nonce, gas: entry.gas },
      );
      if (!(await this.store.journal.replace(fence, entry, signed))) return;
      const result = await broadcast(chain.connection.client, signed.raw);
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
      await broadcast(chain.connection.client, entry.raw);
    }
  }

  private async giveBack(fence: Fence, entry: JournalEntry, reason: string): Promise<void> {
    if (!(await this.store.journal.revert(fence, entry, reason, nextAttemptAt(Date.now(), 1)))) return;
    this.logger.error(
      { operationId: entry.operationId, txHash: entry.hash, reason },
      'the delivery failed for good; a new one follows',
    );
  }
}
