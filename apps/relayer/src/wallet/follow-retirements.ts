import { broadcast, FeeCapError, simulate, type Signer } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { Fence, NonceUse, RetirementEntry, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../infrastructure.js';
import { forEachSequential } from '../pipeline/for-each.js';
import { isAnyChainHalted } from '../pipeline/halted-chains.js';
import { isEvidenceFinal } from '../pipeline/origin.js';
import { findMined, isNonceTaken, type Mined } from './nonce-use.js';
import { callOf, cancellationCall, signReplacement, type SignedCall } from './replace-transaction.js';

/**
 * Follows the pending transaction of a retirement until its nonce is used permanently, as `FollowDeliveries` does for
 * deliveries: a stuck nonce would block them. A retirement that lost a burn or release in an accepted reorg is
 * cancelled automatically, since no user waits for it.
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

  /** Follows all pending retirements once. */
  async run(fence: Fence): Promise<void> {
    const pending = await this.store.retirements.pending(this.chains.partner.chainId);
    await forEachSequential(pending, (entry) => this.follow(fence, entry));
  }

  private async follow(fence: Fence, entry: RetirementEntry): Promise<void> {
    if (await isAnyChainHalted(this.store)) return;
    const chain = this.chains.partner;
    const mined = await findMined(this.store, chain.connection.client, entry);
    if (mined !== null) return this.conclude(fence, entry, mined);
    if (await isNonceTaken(this.store, chain, entry)) return this.end(fence, entry, { kind: 'taken' });
    if (entry.purpose === 'RETIREMENT') {
      const evidence = await this.store.retirements.evidence(entry.retirementId);
      if (evidence === null) return this.cancel(fence, entry);
      if (!(await isEvidenceFinal(this.store, this.chains, evidence))) {
        this.logger.warn(
          logFields(entry),
          'the nodes do not confirm the burns or releases; the retirement is withheld',
        );
        return;
      }
      // An operator may have halted a chain during the requests above.
      if (await isAnyChainHalted(this.store)) return;
    }
    if (Date.now() - entry.createdAt.getTime() > this.configuration.replaceAfterMs)
      return this.replace(
        fence,
        entry,
        callOf(entry),
        entry.purpose === 'CANCELLATION' ? 'CANCELLATION' : 'RETIREMENT',
      );
    const result = await broadcast(chain.connection.client, entry.raw);
    if (result.kind !== 'known') this.logger.info({ ...logFields(entry), result: result.kind }, 'broadcast again');
  }

  /** Handles a mined nonce, once the scan has its block as final. */
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
    const fields = { ...logFields(entry), ...(use.kind === 'taken' ? {} : { txHash: use.txHash }) };
    if (use.kind === 'retired') this.logger.info(fields, 'retired');
    else this.logger.error({ ...fields, reason: use.kind }, 'the retirement failed; a new one follows');
  }

  /** Uses up the nonce without retiring. The chain decides which of the two transactions is mined. */
  private async cancel(fence: Fence, entry: RetirementEntry): Promise<void> {
    const call = cancellationCall(this.signer);
    const { client } = this.chains.partner.connection;
    const simulation = await simulate(client, { from: this.signer.address, ...call }, []);
    this.logger.error(logFields(entry), 'a burn or release of the retirement is gone; its nonce is cancelled');
    if (simulation.kind !== 'ok') return;
    await this.replace(fence, entry, { ...call, gas: simulation.gas }, 'CANCELLATION');
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
      const fields = { ...logFields(entry), replaced: entry.hash, txHash: signed.hash, result: result.kind };
      this.logger.warn(fields, 'replaced with higher fees');
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      this.logger.warn({ ...logFields(entry), err: error }, 'the fee cap allows no higher fees');
      // A retirement that is being cancelled is not broadcast again.
      if (purpose === entry.purpose) await broadcast(client, entry.raw);
    }
  }
}

function logFields({ retirementId, hash }: RetirementEntry) {
  return { retirementId: retirementId.toString(), txHash: hash };
}
