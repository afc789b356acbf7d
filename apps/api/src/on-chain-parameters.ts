import { readFeePolicies, readOriginTerms, readOutflowRoom, readRelayers, type OriginTerms } from '@causeway/chain';
import { BridgeError, type Asset, type Direction, type FeePolicy, type QuoteTerms } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { Inject, Injectable } from '@nestjs/common';
import { isAddressEqual } from 'viem';
import type { Configuration } from './configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from './infrastructure.js';

/** The parameters of both contracts at one moment. Amounts in atomic units. */
export interface OnChainValues {
  readonly policies: Readonly<Record<Asset, FeePolicy>>;
  /** The amounts that may leave each side now. */
  readonly outflowRoom: {
    readonly ethereum: Readonly<Record<Asset, bigint>>;
    readonly partner: Readonly<Record<Asset, bigint>>;
  };
  /** What may begin in each direction now. */
  readonly origins: Readonly<Record<Direction, OriginTerms>>;
  readonly releasesPaused: boolean;
  /**
   * Whether both contracts use the relayer wallet of the address book. False after a rotation, until the book follows.
   */
  readonly isCurrentRelayer: boolean;
}

const MAX_AGE_MS = 5_000;

/** Reads fees, limits and pauses from the contracts, the one source of truth, and caches them for five seconds. */
@Injectable()
export class OnChainParameters {
  private cached: { readonly readAtMs: number; readonly values: Promise<OnChainValues> } | null = null;

  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws BridgeError SERVICE_UNAVAILABLE when a node does not answer. */
  async read(): Promise<OnChainValues> {
    const now = Date.now();
    if (this.cached === null || now - this.cached.readAtMs > MAX_AGE_MS) {
      const values = this.readNow();
      this.cached = { readAtMs: now, values };
      // A failure is not cached: the next request reads again.
      values.catch(() => {
        if (this.cached?.values === values) this.cached = null;
      });
    }
    return this.cached.values;
  }

  private async readNow(): Promise<OnChainValues> {
    const { addressBook } = this.configuration;
    const [ethereum, partner] = [this.chains.ethereum.client, this.chains.partner.client];
    try {
      const [policies, deposits, withdrawals, ethereumRoom, partnerRoom, releasesPaused, relayers] = await Promise.all([
        readFeePolicies(partner, addressBook),
        readOriginTerms(ethereum, addressBook, 'ethereum'),
        readOriginTerms(partner, addressBook, 'partner'),
        readOutflowRoom(ethereum, addressBook, 'ethereum'),
        readOutflowRoom(partner, addressBook, 'partner'),
        ethereum.readContract({
          address: addressBook.ethereum.bridgeLock,
          abi: bridgeLockAbi,
          functionName: 'releasesPaused',
        }),
        readRelayers({ ethereum, partner }, addressBook),
      ]);
      return {
        policies,
        origins: { ETHEREUM_TO_PARTNER: deposits, PARTNER_TO_ETHEREUM: withdrawals },
        outflowRoom: { ethereum: ethereumRoom, partner: partnerRoom },
        releasesPaused,
        isCurrentRelayer: [relayers.ethereum, relayers.partner].every((wallet) =>
          isAddressEqual(wallet, addressBook.relayer),
        ),
      };
    } catch (cause) {
      throw chainUnavailable(cause);
    }
  }
}

/** The terms of an operation that begins now: no fee and no minimum for a deposit. */
export function quoteTerms({ policies, origins }: OnChainValues, asset: Asset, direction: Direction): QuoteTerms {
  const { maxAmount } = origins[direction].assets[asset];
  if (direction === 'ETHEREUM_TO_PARTNER') return { bps: 0, minFee: 0n, minAmount: 0n, maxAmount };
  return { ...policies[asset], maxAmount };
}

/** The error for a node that does not answer. */
export function chainUnavailable(cause: unknown): BridgeError {
  return new BridgeError('SERVICE_UNAVAILABLE', 'The chain cannot be read at this moment; try again shortly', {
    cause,
  });
}
