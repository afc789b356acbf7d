import type { Fence, SeenDelivery, Store, UnjudgedDelivery } from '@causeway/store';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { decodeEventLog, TransactionReceiptNotFoundError, type PublicClient } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, STORE, type Clock } from '../infrastructure.js';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { forEachParallel } from '../pipeline/for-each.js';
import { judgeDelivery, mayJudge, type ReadState } from './judge-delivery.js';

/** Maximum deliveries of one chain per run. */
const MAX_DELIVERIES = 500;

interface Suspect {
  readonly delivery: SeenDelivery;
  readonly why: string;
}

/**
 * Judges every delivery that was read. One that pays no operation, or other terms, was made by a thief with the
 * relayer's key: it halts the deliveries, as soon as the nodes confirm it.
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
   * Judges what can be judged now.
   *
   * @returns the unknown deliveries that no operator has accepted, and whether verdicts were stored.
   */
  async run(fence: Fence): Promise<{ readonly unknown: readonly SeenDelivery[]; readonly hasJudged: boolean }> {
    const states = new Map<number, ReadState | null>();
    for (const { chainId } of eachChain(this.chains)) states.set(chainId, await findReadState(this.store, chainId));
    let hasJudged = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      if ((await this.judge(fence, chain, states)) > 0) hasJudged = true;
    });
    const unknown = await this.store.verdicts.unknown();
    this.metrics.unknownDeliveries.set(unknown.length);
    return { unknown, hasJudged };
  }

  /** @returns how many verdicts were stored. */
  private async judge(
    fence: Fence,
    chain: BridgeChain,
    states: ReadonlyMap<number, ReadState | null>,
  ): Promise<number> {
    const { chainId, side } = chain;
    const { ethereum, partner } = this.chains;
    const origin = side === 'ethereum' ? partner : ethereum;
    const waiting = await this.store.verdicts.unjudged(chainId, MAX_DELIVERIES);
    const [oldest] = waiting;
    this.metrics.unjudgedFor(side, oldest === undefined ? null : this.clock.now() - oldest.delivery.minedAt.getTime());
    const [destinationState, originState] = [states.get(chainId) ?? null, states.get(origin.chainId) ?? null];
    const matched: SeenDelivery[] = [];
    const suspects: Suspect[] = [];
    for (const entry of waiting.filter(({ delivery }) => mayJudge(delivery, destinationState, originState))) {
      const judgement = this.judgeOne(entry, chain);
      if (judgement === null) matched.push(entry.delivery);
      else suspects.push(judgement);
    }
    let accused = 0;
    for (const suspect of suspects)
      if (await this.isConfirmed(chain, suspect)) accused += await this.accuse(fence, suspect);
    const stored = await this.store.verdicts.record(fence, chainId, 'MATCHED', matched);
    this.metrics.deliveries.inc({ chain: side }, stored);
    return stored + accused;
  }

  private judgeOne(entry: UnjudgedDelivery, { side }: BridgeChain): Suspect | null {
    const judgement = judgeDelivery(entry, this.configuration.addressBook, side);
    return judgement.kind === 'matched' ? null : { delivery: entry.delivery, why: judgement.why };
  }

  /** Whether a quorum of nodes has this very event: a single node could stop the bridge otherwise. */
  private async isConfirmed({ connection }: BridgeChain, { delivery, why }: Suspect): Promise<boolean> {
    const { txHash, operationId } = delivery;
    try {
      if (await connection.agree((client) => hasDelivery(client, delivery))) return true;
      this.logger.error({ operationId, txHash, why }, 'the nodes deny an unknown delivery that one of them showed');
    } catch (error) {
      this.logger.error({ operationId, txHash, why, err: error }, 'the nodes do not agree on an unknown delivery');
    }
    return false;
  }

  /** Halts first: a crash before the verdict is stored repeats the judgement. */
  private async accuse(fence: Fence, { delivery, why }: Suspect): Promise<number> {
    const { operationId, chainId, txHash, name, args } = delivery;
    this.logger.fatal({ operationId, chainId, txHash, paid: args, why }, 'unknown delivery: the key is not ours alone');
    await this.store.halts.haltDeliveries(`Unknown ${name} ${operationId} in ${txHash} on chain ${chainId}: ${why}`);
    return this.store.verdicts.record(fence, chainId, 'UNKNOWN', [delivery]);
  }
}

/** How far a chain was read; null when nothing was. */
export async function findReadState(store: Store, chainId: number): Promise<ReadState | null> {
  const progress = await store.scan.progress(chainId);
  const newest = await store.scan.latestBlock(chainId);
  if (progress === null || newest === null) return null;
  return { blocksBehind: progress.blocksBehind, readUntilMs: newest.timestamp.getTime() };
}

/** Whether a node has a delivery as it was read: in the same block, with the same arguments. */
async function hasDelivery(client: PublicClient, delivery: SeenDelivery): Promise<boolean> {
  try {
    const receipt = await client.getTransactionReceipt({ hash: delivery.txHash });
    const log = receipt.logs.find(({ logIndex }) => logIndex === delivery.logIndex);
    if (log === undefined || receipt.blockHash !== delivery.blockHash || receipt.status !== 'success') return false;
    const event = decodeEventLog({
      abi: [...bridgeLockAbi, ...bridgeMintAbi],
      topics: log.topics,
      data: log.data,
    });
    const args = Object.entries(event.args as object).map(([field, value]) => [field, String(value).toLowerCase()]);
    return event.eventName === delivery.name && args.every(([field, value]) => delivery.args[field ?? ''] === value);
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return false;
    throw error;
  }
}
