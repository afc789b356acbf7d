import { bumpFees, feesFor, readMarket, signTransaction, type Fees, type Signer } from '@causeway/chain';
import { bridgeLockAbi, sentinelAbi } from '@causeway/protocol/abi';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { encodeFunctionData } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, PAUSER, LOGGER, type Clock } from '../infrastructure.js';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { forEachParallel } from '../pipeline/for-each.js';

/** How long a pending pause waits before its fees are raised. Short, since every minute counts. */
const REPLACE_AFTER_MS = 20_000;
/** Gas limit. Three storage reads of other contracts, two writes and two events need 60,000. */
const PAUSE_GAS = 150_000n;
/** New deposits and withdrawals stay enabled, since they put no user's funds at risk. */
const PAUSE_DELIVERIES = encodeFunctionData({ abi: sentinelAbi, functionName: 'pause', args: [false, true] });

interface SentPause extends Fees {
  readonly nonce: bigint;
  readonly atMs: number;
}

/**
 * Pauses the deliveries of both contracts with the pauser's key, if one is configured. It needs no journal: the
 * contracts show their pauses, and pausing twice does no harm.
 */
@Injectable()
export class DeliveryPause {
  private readonly sent = new Map<number, SentPause>();
  private running: Promise<void> | null = null;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(PAUSER) private readonly pauser: Signer | null,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: RelayerMetrics,
  ) {}

  /**
   * Pauses the chains that are not paused yet. Call it until they are. A concurrent call joins the running one.
   *
   * @param isWanted false when nothing is wrong; the sent transactions are then forgotten.
   */
  async run(isWanted: boolean): Promise<void> {
    this.metrics.pauseWanted.set(isWanted ? 1 : 0);
    if (!isWanted) return this.sent.clear();
    this.running ??= forEachParallel(eachChain(this.chains), (chain) => this.pause(chain)).finally(
      () => (this.running = null),
    );
    await this.running;
  }

  private async pause(chain: BridgeChain): Promise<void> {
    const { side, connection, bridge } = chain;
    const contract = { address: bridge, abi: bridgeLockAbi } as const;
    const [, isPaused] = await connection.client.readContract({ ...contract, functionName: 'pauses' });
    this.metrics.deliveriesPaused.set({ chain: side }, isPaused ? 1 : 0);
    if (isPaused || this.pauser === null) return;
    await this.send(chain, this.pauser);
  }

  private async send({ chainId, side, connection }: BridgeChain, pauser: Signer): Promise<void> {
    const { client } = connection;
    const nonce = BigInt(await client.getTransactionCount({ address: pauser.address }));
    const earlier = this.sent.get(chainId);
    const isPending = earlier !== undefined && earlier.nonce === nonce;
    if (isPending && this.clock.now() - earlier.atMs < REPLACE_AFTER_MS) return;
    const { maxFeePerGas: cap } = this.configuration.spendingLimits[side];
    const market = await readMarket(client);
    const fees = isPending ? bumpFees(earlier, market, cap) : feesFor(market, cap);
    const call = { to: this.configuration.addressBook[side].sentinel, data: PAUSE_DELIVERIES, value: 0n };
    const { raw, hash } = await signTransaction(pauser, chainId, call, { ...fees, nonce, gas: PAUSE_GAS });
    await client.sendRawTransaction({ serializedTransaction: raw });
    this.sent.set(chainId, { ...fees, nonce, atMs: this.clock.now() });
    this.logger.fatal({ chain: side, txHash: hash }, 'sent the transaction that pauses deliveries');
  }
}
