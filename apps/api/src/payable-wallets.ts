import type { BridgeOperationResponse } from '@causeway/protocol';
import type { Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Address, Hex } from 'viem';
import type { Configuration } from './configuration.js';
import { CONFIGURATION, STORE } from './infrastructure.js';
import { OnChainParameters, type KnownValues } from './on-chain-parameters.js';

/** Where to pay an unpaid intent, or why it cannot be paid. Both are null for other operations. */
export type Payable = Pick<BridgeOperationResponse, 'relayerWalletAddress' | 'unpayableReason'>;

/** Finds the wallets to pay, for responses that a payer can act on. */
@Injectable()
export class PayableWallets {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'intents'>,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly parameters: OnChainParameters,
  ) {}

  /** Finds the wallets of the unpaid intents among some operations, by id. */
  async find(operations: readonly Operation[]): Promise<ReadonlyMap<Hex, Payable>> {
    const ids = operations.flatMap(({ id, status }) => (status === 'PENDING_ORIGIN_TX' ? [id] : []));
    if (ids.length === 0) return new Map();
    const [intents, values] = await Promise.all([
      this.store.intents.findAll(ids),
      // Without the nodes, the response names no wallet.
      this.parameters.read().catch(() => null),
    ]);
    const { relayer } = this.configuration.addressBook;
    return new Map(
      [...intents].map(([id, { relayerWallet, expiresAt }]) => [
        id,
        expiresAt.getTime() <= Date.now()
          ? { relayerWalletAddress: null, unpayableReason: 'WINDOW_CLOSED' }
          : payableWallet(values, relayerWallet ?? relayer),
      ]),
    );
  }
}

/**
 * Returns the wallet to pay, or why there is none: the key of a replaced wallet may be stolen. Pure.
 *
 * @param values null when unknown.
 * @param wallet the wallet that the payer knows or would learn from this response.
 */
export function payableWallet(values: KnownValues | null, wallet: Address): Payable {
  const accepted = wallet.toLowerCase() as Address;
  if (values !== null && values.relayer !== accepted)
    return { relayerWalletAddress: null, unpayableReason: 'WALLET_REPLACED' };
  if (values === null || !values.isConfirmed) return { relayerWalletAddress: null, unpayableReason: 'CHAIN_AWAY' };
  return { relayerWalletAddress: accepted, unpayableReason: null };
}
