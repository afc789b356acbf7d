import { ChainError, findCallEnd, laneChain, readRelayer } from '@causeway/chain';
import type { Fence, Store, WalletCall } from '@causeway/store';
import { BaseError, isAddressEqual } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { readFinalBlock } from '../pipeline/origin.js';
import type { Lanes } from './lanes.js';

export interface FormerCallsContext {
  readonly store: {
    readonly scan: Pick<Store['scan'], 'latestBlock'>;
    readonly journal: Pick<Store['journal'], 'pendingOfFormer' | 'conclude'>;
  };
  readonly lanes: Pick<Lanes, 'wallet' | 'journal'>;
  readonly configuration: Pick<Configuration, 'addressBook'>;
}

/**
 * Ends the calls of former wallets, which no lane follows. Mined calls end by their receipts. The contracts accept a
 * delivery or a retirement only from their relayer, so once another relayer is final, unmined calls can never pay. An
 * unmined sweep can still be mined, but moves only the former wallet's coin, and the sweep stage finds it. An unmined
 * refund on Ethereum could still be paid, so it stays pending.
 */
export class FormerCalls {
  /** The final block of each chain at which the calls were last checked. */
  private readonly checkedAt = new Map<number, bigint>();

  constructor(private readonly context: FormerCallsContext) {}

  /** Checks the calls once for each final block. Returns whether it wrote. */
  async end(fence: Fence, chain: BridgeChain): Promise<boolean> {
    const { store, lanes } = this.context;
    const calls = await store.journal.pendingOfFormer(lanes.wallet(chain));
    if (calls.length === 0) return false;
    const final = await readFinalBlock(store, chain);
    if (final === null || final <= (this.checkedAt.get(chain.chainId) ?? -1n)) return false;
    if (!(await this.isPresent(chain, final).catch(falseWithoutNodes))) return false;
    this.checkedAt.set(chain.chainId, final);
    let hasWritten = false;
    for (const call of calls)
      if (await this.endOne(fence, chain, call, final).catch(falseWithoutNodes)) hasWritten = true;
    return hasWritten;
  }

  /** Whether this wallet is the relayer at the final block and at the head. */
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
    // The receipt is not final yet.
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
