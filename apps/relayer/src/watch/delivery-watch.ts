import type { Fence, SeenDelivery, SeenOpening, Store } from '@causeway/store';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { decodeEventLog, TransactionReceiptNotFoundError, type PublicClient } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, STORE, type Clock } from '../infrastructure.js';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { forEachParallel } from '../pipeline/for-each.js';
import { findPaidBefore, judgeOwed, mayJudge, type ReadState } from './judge-delivery.js';

/** Maximum deliveries, and maximum openings, of one chain per run. */
const MAX_DELIVERIES = 500;

/** An event that halts the deliveries. `what`: its kind, as operators read it. */
interface Suspect {
  readonly event: SeenDelivery | SeenOpening;
  readonly what: 'unknown delivery' | 'reopening of a paid number';
  readonly why: string;
}

/** A chain whose deliveries are judged, and how far both chains are read. */
interface Reading {
  readonly chain: BridgeChain;
  readonly destination: ReadState | null;
  readonly origin: ReadState | null;
}

/**
 * Judges every delivery that was read. A delivery without an operation, or with wrong terms, was made by a thief with
 * the relayer's key: it halts deliveries as soon as the nodes confirm it. So does the reopening of a number or id that
 * was paid with its own terms, since the contract would pay it again.
 */
@Injectable()
export class DeliveryWatch {
  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: RelayerMetrics,
  ) {}

  /**
   * Judges the deliveries and openings that can be judged now.
   *
   * @returns whether verdicts were stored.
   */
  async run(fence: Fence): Promise<boolean> {
    const states = new Map<number, ReadState | null>();
    for (const { chainId } of eachChain(this.chains)) states.set(chainId, await findReadState(this.store, chainId));
    let hasJudged = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      if ((await this.judge(fence, chain, states)) > 0) hasJudged = true;
    });
    const unknown = await this.store.verdicts.unknown();
    this.metrics.unknownDeliveries.set(unknown.length);
    return hasJudged;
  }

  /** @returns how many verdicts were stored. */
  private async judge(
    fence: Fence,
    chain: BridgeChain,
    states: ReadonlyMap<number, ReadState | null>,
  ): Promise<number> {
    const { ethereum, partner } = this.chains;
    const [destination, origin] = chain.side === 'ethereum' ? [ethereum, partner] : [partner, ethereum];
    const state = ({ chainId }: BridgeChain) => states.get(chainId) ?? null;
    const reading = { chain, destination: state(destination), origin: state(origin) };
    return (await this.judgeDeliveries(fence, reading)) + (await this.judgeOpenings(fence, reading));
  }

  private async judgeDeliveries(fence: Fence, { chain, destination, origin }: Reading): Promise<number> {
    const { chainId, side } = chain;
    const waiting = await this.store.verdicts.unjudged(chainId, MAX_DELIVERIES);
    const [oldest] = waiting;
    this.metrics.unjudgedFor(side, oldest === undefined ? null : this.clock.now() - oldest.delivery.minedAt.getTime());
    const matched: SeenDelivery[] = [];
    const suspects: Suspect[] = [];
    for (const entry of waiting.filter(({ delivery }) => mayJudge(delivery, destination, origin))) {
      const judgement = judgeOwed(entry, this.configuration.addressBook, side);
      if (judgement.kind === 'matched') matched.push(entry.delivery);
      else suspects.push({ event: entry.delivery, what: 'unknown delivery', why: judgement.why });
    }
    const accused = await this.accuseConfirmed(fence, chain, suspects);
    const stored = await this.store.verdicts.record(fence, chainId, 'MATCHED', matched);
    this.metrics.deliveries.inc({ chain: side }, stored);
    return stored + accused;
  }

  private async judgeOpenings(fence: Fence, { chain, destination, origin }: Reading): Promise<number> {
    const { chainId, side } = chain;
    const waiting = await this.store.verdicts.unjudgedOpenings(chainId, MAX_DELIVERIES);
    const right: SeenOpening[] = [];
    const suspects: Suspect[] = [];
    for (const event of waiting.filter((opening) => mayJudge(opening, destination, origin))) {
      const deliveries = await this.store.verdicts.deliveriesFor(chainId, event.ids);
      const paid = findPaidBefore(event, deliveries, this.configuration.addressBook, side);
      if (paid === null) right.push(event);
      else
        suspects.push({
          event,
          what: 'reopening of a paid number',
          why: `it opens ${paid}, which was paid or refunded`,
        });
    }
    const accused = await this.accuseConfirmed(fence, chain, suspects);
    return accused + (await this.store.verdicts.record(fence, chainId, 'MATCHED', right));
  }

  private async accuseConfirmed(fence: Fence, chain: BridgeChain, suspects: readonly Suspect[]): Promise<number> {
    let accused = 0;
    for (const suspect of suspects)
      if (await this.isConfirmed(chain, suspect)) accused += await this.accuse(fence, suspect);
    return accused;
  }

  /** Whether a quorum of nodes has this event. Otherwise a single node could stop the bridge. */
  private async isConfirmed({ connection }: BridgeChain, { event, what, why }: Suspect): Promise<boolean> {
    const { txHash, operationId } = event;
    try {
      if (await connection.agree((client) => hasEvent(client, event))) return true;
      this.logger.error({ operationId, txHash, why }, `a quorum does not confirm the ${what} that one node showed`);
    } catch (error) {
      this.logger.error({ operationId, txHash, why, err: error }, `the nodes do not agree on the ${what}`);
    }
    return false;
  }

  /** Halts first, so that a crash before the verdict is stored repeats the judgement. */
  private async accuse(fence: Fence, { event, what, why }: Suspect): Promise<number> {
    const { operationId, chainId, txHash, name, args } = event;
    const isDelivery = what === 'unknown delivery';
    this.logger.fatal(
      { operationId, chainId, txHash, args, why },
      isDelivery ? 'unknown delivery: the relayer key may be stolen' : what,
    );
    const named = `${isDelivery ? 'Unknown' : 'Wrong'} ${name} ${operationId}`;
    await this.store.halts.haltDeliveries(`${named} in ${txHash} on chain ${chainId}: ${why}`);
    return this.store.verdicts.record(fence, chainId, 'UNKNOWN', [event]);
  }
}

/** How far a chain was read; null before the first read. */
export async function findReadState(store: Store, chainId: number): Promise<ReadState | null> {
  const progress = await store.scan.progress(chainId);
  const newest = await store.scan.latestBlock(chainId);
  if (progress === null || newest === null) return null;
  return { blocksBehind: progress.blocksBehind, readUntilMs: newest.timestamp.getTime() };
}

/** Whether a node has the event as it was read: in the same block, with the same arguments. */
async function hasEvent(client: PublicClient, read: SeenDelivery | SeenOpening): Promise<boolean> {
  try {
    const receipt = await client.getTransactionReceipt({ hash: read.txHash });
    const log = receipt.logs.find(({ logIndex }) => logIndex === read.logIndex);
    if (log === undefined || receipt.blockHash !== read.blockHash || receipt.status !== 'success') return false;
    const event = decodeEventLog({
      abi: [...bridgeLockAbi, ...bridgeMintAbi],
      topics: log.topics,
      data: log.data,
    });
    const args = Object.entries(event.args as object).map(([field, value]) => [field, String(value).toLowerCase()]);
    return event.eventName === read.name && args.every(([field, value]) => read.args[field ?? ''] === value);
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return false;
    throw error;
  }
}
