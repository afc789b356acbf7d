import { ChainError, findCallEnd, laneChain, readRelayer } from '@causeway/chain';
import type { Fence, Store, WalletCall } from '@causeway/store';
import { BaseError, isAddressEqual } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { readFinalBlock } from '../pipeline/origin.js';
import type { Lanes } from './lanes.js';

/** The parts of the relayer that `FormerCalls` uses. */
export interface FormerCallsContext {
  readonly store: {
    readonly scan: Pick<Store['scan'], 'latestBlock'>;
    readonly journal: Pick<Store['journal'], 'pendingOfFormer' | 'conclude'>;
  };
  readonly lanes: Pick<Lanes, 'wallet' | 'journal'>;
  readonly configuration: Pick<Configuration, 'addressBook'>;
}

/**
 * Ends the calls of former wallets: no lane follows them, and what they serve would wait for them without an end. Those
 * that were mined end by their receipts. The contracts take a delivery or a retirement from their relayer only, so once
 * another one is final, those that were not mined never pay. A sweep still may, but moves only coin of the former
 * wallet, and the sweep stage finds it. A refund on Ethereum could still be paid, and stays.
 */
export class FormerCalls {
  /** The final block of each chain at which they were looked at. */
  private readonly lookedAt = new Map<number, bigint>();

  constructor(private readonly context: FormerCallsContext) {}

  /** Looks at them once for each final block. Returns whether it wrote anything. */
  async end(fence: Fence, chain: BridgeChain): Promise<boolean> {
    const { store, lanes } = this.context;
    const calls = await store.journal.pendingOfFormer(lanes.wallet(chain));
    if (calls.length === 0) return false;
    const final = await readFinalBlock(store, chain);
    if (final === null || final <= (this.lookedAt.get(chain.chainId) ?? -1n)) return false;
    if (!(await this.isPresent(chain, final).catch(falseWithoutNodes))) return false;
    this.lookedAt.set(chain.chainId, final);
    let hasWritten = false;
    for (const call of calls)
      if (await this.endOne(fence, chain, call, final).catch(falseWithoutNodes)) hasWritten = true;
    return hasWritten;
  }

  /** Whether this wallet is the relayer finally, and was not replaced since. */
  private async isPresent(chain: BridgeChain, final: bigint): Promise<boolean> {
    const { configuration, lanes } = this.context;
    const { connection, side } = chain;
    const blocks = [final, await connection.agreedHead()];
    const relayers = await Promise.all(
      blocks.map(async (blockNumber) =>
        connection.agree((client) => readRelayer(client, configuration.addressBook, side, { blockNumber })),
      ),
    );
    return relayers.every((relayer) => isAddressEqual(relayer, lanes.wallet(chain).address));
  }

  private async endOne(fence: Fence, chain: BridgeChain, call: WalletCall, final: bigint): Promise<boolean> {
    const { store, lanes } = this.context;
    let isMined = false;
    const laneCall = { ...call, deliveries: 1 };
    const end = await findCallEnd(laneChain(chain.connection, call.address), laneCall, final, () => (isMined = true));
    if (end !== null) return lanes.journal(fence, chain).conclude(laneCall, end);
    // Its receipt is not final.
    if (isMined || mayStillPay(call, chain)) return false;
    return store.journal.conclude(fence, call, { state: 'TAKEN' }, listUnpaid(call));
  }
}

function mayStillPay({ purpose }: WalletCall, { side }: BridgeChain): boolean {
  return purpose === 'REFUND' && side === 'ethereum';
}

function listUnpaid({ operationIds }: WalletCall) {
  return operationIds.map((operationId) => ({
    operationId,
    reason: 'DELIVERY_CANCELLED' as const,
    nextAttemptAt: null,
  }));
}

function falseWithoutNodes(error: unknown): false {
  if (error instanceof ChainError || error instanceof BaseError) return false;
  throw error;
}
