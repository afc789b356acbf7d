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
  type AttesterState,
  type Direction,
  type FeePolicy,
  type PerAsset,
  type QuoteTerms,
  type Side,
} from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { Inject, Injectable } from '@nestjs/common';
import { isAddressEqual, type Address, type PublicClient } from 'viem';
import { ChainLife } from './chain-life.js';
import type { Configuration } from './configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from './infrastructure.js';
import { LastKnownValue } from './last-known-value.js';

/** Parameters of both contracts, read together. Amounts in atomic units. */
export interface OnChainValues {
  readonly policies: PerAsset<FeePolicy>;
  /** Terms for new operations, by direction. */
  readonly origins: Readonly<Record<Direction, OriginTerms>>;
  /** Terms for deliveries, by direction. */
  readonly destinations: Readonly<Record<Direction, DestinationTerms>>;
  /** The relayer wallet that both contracts use, lower-case; null during a rotation. */
  readonly relayer: Address | null;
  /** The attesters of both contracts. Releases need signatures where `needed` of Ethereum is above 0. */
  readonly attesters: Readonly<Record<Side, AttesterState>>;
}

/** The last values read, with their age. */
export interface KnownValues extends OnChainValues {
  readonly ageSeconds: number;
  /** Whether a quorum confirmed them within the last minute. */
  readonly isConfirmed: boolean;
  /** Whether they are too old for promises, or a chain stands still. */
  readonly isStale: boolean;
}

/**
 * A node that does not answer within two seconds is slow. Fees and limits change rarely, so the last values are shown
 * for 15 minutes. Fees are fixed only with fresh values.
 */
const TIMES = { freshMs: 5_000, patienceMs: 2_000, oldestMs: 15 * 60_000 };
/** How long a wallet is named after a quorum confirmed it, because it can be replaced at any time. Milliseconds. */
const CONFIRMED_MS = 60_000;

/** Reads fees, limits and pauses from the contracts, and caches them for five seconds. */
@Injectable()
export class OnChainParameters {
  private readonly values = new LastKnownValue(async () => this.readNow(), TIMES);

  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly chainLife: ChainLife,
  ) {}

  /**
   * Returns values for display: the last known ones while the nodes do not answer.
   *
   * @throws BridgeError SERVICE_UNAVAILABLE when no values of the last 15 minutes are known.
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
   * Returns the last known values if a quorum confirmed the relayer wallet within the last minute.
   *
   * @throws BridgeError SERVICE_UNAVAILABLE when the confirmation is older.
   */
  async readConfirmed(): Promise<KnownValues> {
    const values = await this.read();
    if (!values.isConfirmed) refuse(new Error(`the values are ${values.ageSeconds} s old`));
    return values;
  }

  /**
   * Returns values at most five seconds old, for decisions.
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
      attesters: { ethereum: ethereum.attesters, partner: partner.attesters },
    };
  }

  // A quorum must agree on the same block, because these values quote users and fix fees.

  private async readEthereum() {
    const { addressBook: book } = this.configuration;
    const at = { blockNumber: await this.chains.ethereum.agreedHead() };
    return this.chains.ethereum.agree(async (client) => {
      const [origin, destination, relayer, attesters] = await Promise.all([
        readOriginTerms(client, book, 'ethereum', at),
        readDestinationTerms(client, book, 'ethereum', listAssets(), at),
        readRelayer(client, book, 'ethereum', at),
        readAttesters(client, book.ethereum.bridgeLock, at),
      ]);
      return { origin, destination, relayer, attesters };
    });
  }

  private async readPartner() {
    const { addressBook: book } = this.configuration;
    const at = { blockNumber: await this.chains.partner.agreedHead() };
    return this.chains.partner.agree(async (client) => {
      const [policies, origin, destination, relayer, attesters] = await Promise.all([
        readFeePolicies(client, book, at),
        readOriginTerms(client, book, 'partner', at),
        readDestinationTerms(client, book, 'partner', listAssets(), at),
        readRelayer(client, book, 'partner', at),
        readAttesters(client, book.partner.bridgeMint, at),
      ]);
      return { policies, origin, destination, relayer, attesters };
    });
  }
}

async function readAttesters(
  client: PublicClient,
  address: Address,
  at: { readonly blockNumber: bigint },
): Promise<AttesterState> {
  // Both contracts inherit this function from the same base.
  const [, members, threshold] = await client.readContract({
    address,
    abi: bridgeLockAbi,
    functionName: 'attesters',
    ...at,
  });
  return { members: members.length, needed: Number(threshold) };
}

/**
 * Returns the terms of an operation that begins now. A deposit has no fee and no minimum. An amount above the capacity
 * of the outflow limit can never be delivered, so the capacity also caps the origin contract's maximum.
 */
export function quoteTerms(values: OnChainValues, asset: Asset, direction: Direction): QuoteTerms {
  const { maxAmount: most } = pickAsset(values.origins[direction].assets, asset);
  const { capacity } = pickAsset(values.destinations[direction].assets, asset);
  const maxAmount = most < capacity ? most : capacity;
  if (direction === 'ETHEREUM_TO_PARTNER') return { bps: 0, minFee: 0n, minAmount: 0n, maxAmount };
  return { ...pickAsset(values.policies, asset), maxAmount };
}

function refuse(cause: unknown): never {
  const message = 'The chain cannot be read now; try again shortly';
  throw new BridgeError('SERVICE_UNAVAILABLE', message, { cause });
}
