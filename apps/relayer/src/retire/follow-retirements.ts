import { broadcast, FeeCapError, simulate, type Signer } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Fence, NonceUse, RetirementEntry, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.js';
import { findMined, type Mined } from '../deliver/find-mined.js';
import { isNonceTaken } from '../deliver/is-nonce-taken.js';
import { callOf, signReplacement, type SignedCall } from '../deliver/sign-replacement.js';
import { eachInTurn } from '../schedule/each-in-turn.js';
import type { BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../world/tokens.js';
import { doLandmarksStand } from './do-landmarks-stand.js';

/**
 * Looks after the journalled transaction of a retirement until its nonce is used for good, as the follow stage does for
 * deliveries: its nonce must not stand in their way. One that lost a burn or a release it rests on, in a reorg that an
 * operator accepted, gives its nonce up by itself, since nobody is owed a retirement.
 */
@Injectable()
export class FollowRetirements {
  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Goes once through all that are on their way. */
  async run(fence: Fence): Promise<void> {
    const pending = await this.store.retirements.pending(this.chains.partner.chainId);
    await eachInTurn(pending, (entry) => this.follow(fence, entry));
  }

  private async follow(fence: Fence, entry: RetirementEntry): Promise<void> {
    if (await this.isAnyHalted()) return;
    const chain = this.chains.partner;
    const mined = await findMined(this.store, chain.connection.client, entry);
    if (mined !== null) return this.conclude(fence, entry, mined);
    if (await isNonceTaken(this.store, chain, entry)) return this.end(fence, entry, { kind: 'taken' });
    if (entry.purpose === 'RETIREMENT') {
      const landmarks = await this.store.retirements.evidence(entry.retirementId);
      if (landmarks === null) return this.cancel(fence, entry);
      if (!(await doLandmarksStand(this.store, this.chains, landmarks))) {
        this.logger.warn(wordsOf(entry), 'the nodes do not confirm the burns or releases; the retirement is not sent');
        return;
      }
      // An operator may have halted a chain while the nodes were asked.
      if (await this.isAnyHalted()) return;
    }
    if (Date.now() - entry.createdAt.getTime() > this.configuration.replaceAfterMs)
      return this.replace(
        fence,
        entry,
        callOf(entry),
        entry.purpose === 'CANCELLATION' ? 'CANCELLATION' : 'RETIREMENT',
      );
    const result = await broadcast(chain.connection.client, entry.raw);
    if (result.kind !== 'known') this.logger.info({ ...wordsOf(entry), result: result.kind }, 'broadcast again');
  }

  private async isAnyHalted(): Promise<boolean> {
    return (await this.store.halts.list()).length > 0;
  }

  /** One of the transactions of the nonce is mined; what is concluded from that waits until the scan has it as final. */
  private async conclude(fence: Fence, entry: RetirementEntry, { purpose, hash, receipt }: Mined): Promise<void> {
    const { chainId, confirmations: required } = this.chains.partner;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null || confirmations(newest.number, receipt.blockNumber) < required) return;
    const succeeded = purpose === 'RETIREMENT' ? 'retired' : 'cancelled';
    const kind = receipt.status === 'success' ? succeeded : 'reverted';
    const block = { number: receipt.blockNumber, hash: receipt.blockHash };
    return this.end(fence, entry, { kind, txHash: hash, block });
  }

  private async end(fence: Fence, entry: RetirementEntry, use: NonceUse): Promise<void> {
    if (!(await this.store.retirements.conclude(fence, entry, use))) return;
    const words = { ...wordsOf(entry), ...(use.kind === 'taken' ? {} : { txHash: use.txHash }) };
    if (use.kind === 'retired') this.logger.info(words, 'retired');
    else this.logger.error({ ...words, reason: use.kind }, 'the retirement failed for good; a new one follows');
  }

  /** Uses up the nonce without retiring. Which of the two a block takes is for the chain to say. */
  private async cancel(fence: Fence, entry: RetirementEntry): Promise<void> {
    const nothing = { to: this.signer.address, data: '0x', value: 0n } as const;
    const { client } = this.chains.partner.connection;
    const simulation = await simulate(client, { from: this.signer.address, ...nothing }, []);
    this.logger.error(wordsOf(entry), 'a burn or release of the retirement is gone; its nonce is given up');
    if (simulation.kind !== 'ok') return;
    await this.replace(fence, entry, { ...nothing, gas: simulation.gas }, 'CANCELLATION');
  }

  private async replace(
    fence: Fence,
    entry: RetirementEntry,
    call: SignedCall,
    purpose: 'RETIREMENT' | 'CANCELLATION',
  ): Promise<void> {
    const { partner } = this.chains;
    const { client } = partner.connection;
    try {
      const signed = await signReplacement(this.signer, partner, entry, call, this.configuration.maxFeePerGas);
      if (!(await this.store.retirements.replace(fence, entry, signed, purpose))) return;
      const result = await broadcast(client, signed.raw);
      const words = { ...wordsOf(entry), replaced: entry.hash, txHash: signed.hash, result: result.kind };
      this.logger.warn(words, 'replaced with higher fees');
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      this.logger.warn({ ...wordsOf(entry), err: error }, 'no higher fees are allowed');
      // What is to be cancelled is not sent again.
      if (purpose === entry.purpose) await broadcast(client, entry.raw);
    }
  }
}

function wordsOf({ retirementId, hash }: RetirementEntry) {
  return { retirementId: retirementId.toString(), txHash: hash };
}
