import { laneChain, QuorumError, WalletLane, type LaneView, type Signer } from '@causeway/chain';
import type { CallSubject, Fence, Store, Wallet } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Address, Hex } from 'viem';
import type { BridgeChain, BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { wasAttestationVoid } from '../exchange/validity.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, SIGNER, STORE, type Clock } from '../infrastructure.js';
import { ReconcileGate } from '../pipeline/reconcile-gate.js';
import { StoredJournal, type LaneCall } from './lane-journal.js';

/** The lane of the relayer wallet on a chain. Stages submit calls; the follow stage follows them. */
export type RelayerLane = WalletLane<CallSubject, LaneCall>;

/** The calls in flight on a chain, and what the wallet can spend. */
export type RelayerLaneView = LaneView<LaneCall>;

/** The wallet lanes of this process, one for each chain. */
@Injectable()
export class Lanes {
  private readonly lanes: ReadonlyMap<number, RelayerLane>;

  constructor(
    @Inject(CHAINS) chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
    @Inject(ReconcileGate) gate: Pick<ReconcileGate, 'maySign'>,
  ) {
    const lane = (chain: BridgeChain) =>
      new WalletLane<CallSubject, LaneCall>({
        chain: laneChain(chain.connection, signer.address),
        signer: {
          address: signer.address,
          signTypedData: async (data) => signer.signTypedData(data),
          signTransaction: async (transaction) => {
            const { name, quorum } = chain.connection;
            if (!gate.maySign(chain.side)) throw new QuorumError(name, quorum, []);
            return signer.signTransaction(transaction);
          },
        },
        now: () => clock.now(),
        limits: configuration.spendingLimits[chain.side],
        replaceAfterMs: configuration.replaceAfterMs,
        confirmations: chain.confirmations,
        log: (message, fields) => logger.warn({ chainId: chain.chainId, ...fields }, message),
      });
    this.lanes = new Map([chains.ethereum, chains.partner].map((chain) => [chain.chainId, lane(chain)]));
  }

  of({ chainId }: BridgeChain): RelayerLane {
    const lane = this.lanes.get(chainId);
    if (lane === undefined) throw new Error(`Chain ${chainId} has no wallet lane`);
    return lane;
  }

  journal(fence: Fence, chain: BridgeChain): StoredJournal {
    const wasVoid = async (data: Hex, blockNumber: bigint) => wasAttestationVoid(data, blockNumber, chain);
    return new StoredJournal(this.store, fence, this.wallet(chain), chain, () => this.clock.now(), wasVoid);
  }

  wallet({ chainId }: Pick<BridgeChain, 'chainId'>): Wallet {
    return { chainId, address: this.signer.address.toLowerCase() as Address };
  }
}
