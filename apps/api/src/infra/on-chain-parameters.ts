import { readFeePolicies, readOutflowRoom, readRelayers } from '@causeway/chain';
import { BridgeError, type Asset, type FeePolicy } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { Inject, Injectable } from '@nestjs/common';
import { isAddressEqual } from 'viem';
import type { Configuration } from '../config/configuration.js';
import { CHAINS, CONFIGURATION } from './injection-tokens.js';
import type { Chains } from './infrastructure.module.js';

/** What the contracts say at this moment. Amounts in atomic units. */
export interface OnChainValues {
  readonly policies: Readonly<Record<Asset, FeePolicy>>;
  /** What may leave each side now. */
  readonly outflowRoom: {
    readonly ethereum: Readonly<Record<Asset, bigint>>;
    readonly partner: Readonly<Record<Asset, bigint>>;
  };
  readonly releasesPaused: boolean;
  /** Whether both contracts have the relayer wallet of the address book; not so after a rotation, until the book is replaced. */
  readonly isCurrentRelayer: boolean;
}

const FRESH_MS = 5_000;

/** Reads fees, limits and pauses from the contracts, the one source of truth, and keeps them for five seconds. */
@Injectable()
export class OnChainParameters {
  private current: { readonly readAtMs: number; readonly terms: Promise<OnChainValues> } | null = null;

  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws BridgeError SERVICE_UNAVAILABLE when a node does not answer. */
  async read(): Promise<OnChainValues> {
    const now = Date.now();
    if (this.current === null || now - this.current.readAtMs > FRESH_MS) {
      const terms = this.readNow();
      this.current = { readAtMs: now, terms };
      // A failure is not kept: the next request asks again.
      terms.catch(() => {
        if (this.current?.terms === terms) this.current = null;
      });
    }
    return this.current.terms;
  }

  private async readNow(): Promise<OnChainValues> {
    const { addressBook } = this.configuration;
    const [ethereum, partner] = [this.chains.ethereum.client, this.chains.partner.client];
    try {
      const [policies, ethereumRoom, partnerRoom, releasesPaused, relayers] = await Promise.all([
        readFeePolicies(partner, addressBook),
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
        outflowRoom: { ethereum: ethereumRoom, partner: partnerRoom },
        releasesPaused,
        isCurrentRelayer: [relayers.ethereum, relayers.partner].every((wallet) =>
          isAddressEqual(wallet, addressBook.relayer),
        ),
      };
    } catch (cause) {
      throw new BridgeError('SERVICE_UNAVAILABLE', 'The chain cannot be read at this moment; try again shortly', {
        cause,
      });
    }
  }
}
