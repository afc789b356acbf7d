import {
  readDestinationTerms,
  readFeePolicies,
  readOriginTerms,
  readRelayer,
  type DestinationTerms,
  type OriginTerms,
} from '@causeway/chain';
import {
  BridgeError,
  listAssets,
  pickAsset,
  type Asset,
  type Direction,
  type FeePolicy,
  type PerAsset,
  type QuoteTerms,
} from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { Inject, Injectable } from '@nestjs/common';
import { isAddressEqual, type Address } from 'viem';
import { ChainLife } from './chain-life.js';
import type { Configuration } from './configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from './infrastructure.js';
import { LastKnownValue } from './last-known-value.js';

/** The parameters of both contracts at one moment. Amounts in atomic units. */
export interface OnChainValues {
  readonly policies: PerAsset<FeePolicy>;
  /** The operations that may begin in each direction now. */
  readonly origins: Readonly<Record<Direction, OriginTerms>>;
  /** The deliveries that each direction allows now. */
  readonly destinations: Readonly<Record<Direction, DestinationTerms>>;
  /** The relayer wallet that both contracts use, lower-case; null in the middle of a rotation. */
  readonly relayer: Address | null;
  /** Whether releases need the signatures of attesters. */
  readonly areReleasesAttested: boolean;
}

/** The last values that were read, and their age. */
export interface KnownValues extends OnChainValues {
  readonly ageSeconds: number;
  /** A quorum confirmed them within the last minute. */
  readonly isConfirmed: boolean;
  /** Too old to promise anything by them, or of a chain that stands still. */
  readonly isStale: boolean;
}

/**
 * Nodes that do not answer within two seconds are slow. Fees and limits change rarely, so the last values are shown for
 * a while; fees are fixed with fresh ones only.
 */
const TIMES = { freshMs: 5_000, patienceMs: 2_000, oldestMs: 15 * 60_000 };
/** A wallet is named as long as a quorum confirmed it: it may be replaced since. */
const CONFIRMED_MS = 60_000;

/** Reads fees, limits and pauses from the contracts, the one source of truth, and caches them for five seconds. */
@Injectable()
export class OnChainParameters {
  private readonly values = new LastKnownValue(async () => this.readNow(), TIMES);

  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly chainLife: ChainLife,
  ) {}

  /**
   * Returns the values for an answer that only shows them: while the nodes do not answer, the last known ones.
   *
   * @throws BridgeError SERVICE_UNAVAILABLE when there are none of the last 15 minutes.
   */
  async read(): Promise<KnownValues> {
    const { value, ageMs } = await this.values.latest().catch(refuse);
    return {
      ...value,
      ageSeconds: Math.floor(ageMs / 1_000),
      isConfirmed: ageMs <= CONFIRMED_MS,
      isStale: ageMs > TIMES.freshMs || (await this.chainLife.standsStill()),
    };
  }

  /**
   * Returns the last known values, of which a quorum confirmed the relayer wallet within the last minute.
   *
   * @throws BridgeError SERVICE_UNAVAILABLE when they are older.
   */
  async readConfirmed(): Promise<KnownValues> {
    const values = await this.read();
    if (!values.isConfirmed) refuse(new Error(`the values are ${values.ageSeconds} s old`));
    return values;
  }

  /**
   * Returns values of the last five seconds, to decide with.
   *
   * @throws BridgeError SERVICE_UNAVAILABLE when the nodes do not answer within two seconds, or do not agree.
   */
  async readFresh(): Promise<OnChainValues> {
    return this.values.fresh().catch(refuse);
  }

  private async readNow(): Promise<OnChainValues> {
    const [ethereum, partner] = await Promise.all([this.readEthereum(), this.readPartner()]);
    return {
      policies: partner.policies,
      origins: { ETHEREUM_TO_PARTNER: ethereum.origin, PARTNER_TO_ETHEREUM: partner.origin },
      destinations: { ETHEREUM_TO_PARTNER: partner.destination, PARTNER_TO_ETHEREUM: ethereum.destination },
      relayer: isAddressEqual(ethereum.relayer, partner.relayer) ? (partner.relayer.toLowerCase() as Address) : null,
      areReleasesAttested: ethereum.threshold > 0n,
    };
  }

  // A quorum of nodes must answer the same about the same block: users are quoted with these values, and fees fixed.

  private async readEthereum() {
    const { addressBook: book } = this.configuration;
    const at = { blockNumber: await this.chains.ethereum.agreedHead() };
    return this.chains.ethereum.agree(async (client) => {
      const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi, ...at } as const;
      const [origin, destination, relayer, [, , threshold]] = await Promise.all([
        readOriginTerms(client, book, 'ethereum', at),
        readDestinationTerms(client, book, 'ethereum', listAssets(), at),
        readRelayer(client, book, 'ethereum', at),
        client.readContract({ ...lock, functionName: 'attesters' }),
      ]);
      return { origin, destination, relayer, threshold };
    });
  }

  private async readPartner() {
    const { addressBook: book } = this.configuration;
    const at = { blockNumber: await this.chains.partner.agreedHead() };
    return this.chains.partner.agree(async (client) => {
      const [policies, origin, destination, relayer] = await Promise.all([
        readFeePolicies(client, book, at),
        readOriginTerms(client, book, 'partner', at),
        readDestinationTerms(client, book, 'partner', listAssets(), at),
        readRelayer(client, book, 'partner', at),
      ]);
      return { policies, origin, destination, relayer };
    });
  }
}

/**
 * The terms of an operation that begins now: no fee and no minimum for a deposit. Above the capacity of the outflow
 * limit nothing can ever be delivered, so it bounds the maximum of the contract where the operation begins.
 */
export function quoteTerms(values: OnChainValues, asset: Asset, direction: Direction): QuoteTerms {
  const { maxAmount: most } = pickAsset(values.origins[direction].assets, asset);
  const { capacity } = pickAsset(values.destinations[direction].assets, asset);
  const maxAmount = most < capacity ? most : capacity;
  if (direction === 'ETHEREUM_TO_PARTNER') return { bps: 0, minFee: 0n, minAmount: 0n, maxAmount };
  return { ...pickAsset(values.policies, asset), maxAmount };
}

function refuse(cause: unknown): never {
  const message = 'The chain cannot be read at this moment; try again shortly';
  throw new BridgeError('SERVICE_UNAVAILABLE', message, { cause });
}
