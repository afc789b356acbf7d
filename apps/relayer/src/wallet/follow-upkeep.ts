import { broadcast, FeeCapError, simulate, type Signer } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { JournalledTransaction, NonceUse, SignedTransaction, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../infrastructure.js';
import { forEachSequential } from '../pipeline/for-each.js';
import { isAnyChainHalted } from '../pipeline/halted-chains.js';
import { findMined, isNonceTaken, type Mined } from './nonce-use.js';
import { callOf, cancellationCall, signReplacement, type SignedCall } from './replace-transaction.js';

/**
 * One kind of upkeep: transactions of the wallet on the partner chain that pay no operation. No user waits for them,
 * but a stuck nonce would block deliveries.
 */
export interface Upkeep<E extends JournalledTransaction> {
  /** Name in the log. */
  readonly name: string;
  readonly purpose: 'RETIREMENT' | 'SWEEP';
  /** The pending transactions on a chain, in the order of their nonces. */
  readonly pending: (chainId: number) => Promise<E[]>;
  /** Decides before each broadcast, since a journalled transaction may be sent long after it was signed. */
  readonly judge: (entry: E) => Promise<'send' | 'withhold' | 'cancel'>;
  /** Stores a replacement. False when it must not be sent. */
  readonly replace: (previous: E, signed: SignedTransaction, isCancellation: boolean) => Promise<boolean>;
  /** Stores that the use of the nonce is final. False when there is nothing to store. */
  readonly conclude: (entry: E, use: NonceUse) => Promise<boolean>;
  /** Names the entry in the log. */
  readonly logFields: (entry: E) => Readonly<Record<string, string>>;
}

/** Follows the pending transactions of an upkeep until their nonces are used permanently. */
@Injectable()
export class FollowUpkeep {
  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Follows all pending transactions once. */
  async run<E extends JournalledTransaction>(upkeep: Upkeep<E>): Promise<void> {
    const pending = await upkeep.pending(this.chains.partner.chainId);
    await forEachSequential(pending, (entry) => this.follow(upkeep, entry));
  }

  private async follow<E extends JournalledTransaction>(upkeep: Upkeep<E>, entry: E): Promise<void> {
    if (await isAnyChainHalted(this.store)) return;
    const chain = this.chains.partner;
    const mined = await findMined(this.store, chain.connection.client, entry);
    if (mined !== null) return this.conclude(upkeep, entry, mined);
    if (await isNonceTaken(this.store, chain, entry)) return this.end(upkeep, entry, { kind: 'taken' });
    if (entry.purpose !== 'CANCELLATION') {
      const verdict = await upkeep.judge(entry);
      if (verdict === 'cancel') return this.cancel(upkeep, entry);
      if (verdict === 'withhold') return;
      // An operator may have halted a chain during the requests above.
      if (await isAnyChainHalted(this.store)) return;
    }
    if (Date.now() - entry.createdAt.getTime() > this.configuration.replaceAfterMs)
      return this.replace(upkeep, entry, callOf(entry), entry.purpose === 'CANCELLATION');
    const result = await broadcast(chain.connection.client, entry.raw);
    if (result.kind !== 'known')
      this.logger.info({ ...fieldsOf(upkeep, entry), result: result.kind }, 'broadcast again');
  }

  /** Handles a mined nonce, once the scan has its block as final. */
  private async conclude<E extends JournalledTransaction>(
    upkeep: Upkeep<E>,
    entry: E,
    { purpose, hash, receipt }: Mined,
  ): Promise<void> {
    const { chainId, confirmations: required } = this.chains.partner;
    const newest = await this.store.scan.latestBlock(chainId);
    if (newest === null || confirmations(newest.number, receipt.blockNumber) < required) return;
    const succeeded = purpose === upkeep.purpose ? 'done' : 'cancelled';
    const kind = receipt.status === 'success' ? succeeded : 'reverted';
    const block = { number: receipt.blockNumber, hash: receipt.blockHash };
    return this.end(upkeep, entry, { kind, txHash: hash, block });
  }

  private async end<E extends JournalledTransaction>(upkeep: Upkeep<E>, entry: E, use: NonceUse): Promise<void> {
    if (!(await upkeep.conclude(entry, use))) return;
    const fields = { ...fieldsOf(upkeep, entry), ...(use.kind === 'taken' ? {} : { txHash: use.txHash }) };
    if (use.kind === 'done') this.logger.info(fields, `the ${upkeep.name} is done`);
    else this.logger.error({ ...fields, reason: use.kind }, `the ${upkeep.name} failed; a new one follows`);
  }

  /** Uses up the nonce for nothing else. The chain decides which of the two transactions is mined. */
  private async cancel<E extends JournalledTransaction>(upkeep: Upkeep<E>, entry: E): Promise<void> {
    const call = cancellationCall(this.signer);
    const { client } = this.chains.partner.connection;
    const simulation = await simulate(client, { from: this.signer.address, ...call }, []);
    this.logger.error(fieldsOf(upkeep, entry), `the ${upkeep.name} lost its reason; its nonce is cancelled`);
    if (simulation.kind !== 'ok') return;
    await this.replace(upkeep, entry, { ...call, gas: simulation.gas }, true);
  }

  private async replace<E extends JournalledTransaction>(
    upkeep: Upkeep<E>,
    entry: E,
    call: SignedCall,
    isCancellation: boolean,
  ): Promise<void> {
    const { partner } = this.chains;
    const { client } = partner.connection;
    try {
      const signed = await signReplacement(this.signer, partner, entry, call, this.configuration.maxFeePerGas);
      if (!(await upkeep.replace(entry, signed, isCancellation))) return;
      const result = await broadcast(client, signed.raw);
      const fields = { ...fieldsOf(upkeep, entry), replaced: entry.hash, txHash: signed.hash, result: result.kind };
      this.logger.warn(fields, 'replaced with higher fees');
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      this.logger.warn({ ...fieldsOf(upkeep, entry), err: error }, 'the fee cap allows no higher fees');
      // One that is being cancelled is not broadcast again.
      if (isCancellation === (entry.purpose === 'CANCELLATION')) await broadcast(client, entry.raw);
    }
  }
}

function fieldsOf<E extends JournalledTransaction>(upkeep: Upkeep<E>, entry: E) {
  return { ...upkeep.logFields(entry), txHash: entry.hash };
}
