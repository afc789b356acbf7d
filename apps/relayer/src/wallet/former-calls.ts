import { findCallEnd, laneChain, readRelayer } from '@causeway/chain';
import type { Fence, Store, WalletCall } from '@causeway/store';
import { isAddressEqual } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { readFinalBlock } from '../pipeline/origin.js';
import type { Lanes } from './lanes.js';

/** The parts of the relayer that `endFormerCalls` uses. */
export interface FormerCallsContext {
  readonly store: Store;
  readonly lanes: Lanes;
  readonly configuration: Pick<Configuration, 'addressBook'>;
}

/**
 * Ends the calls of former wallets: no lane follows them, and what they serve would wait for them without an end. Those
 * that were mined end by their receipts. The contracts take a delivery or a retirement from their relayer only, so once
 * another one is final, those that were not mined never pay. A sweep still may, but moves only coin of the former
 * wallet. A refund on Ethereum could still be paid, and stays.
 *
 * @returns whether it wrote anything.
 * @throws QuorumError
 */
export async function endFormerCalls(
  { store, lanes, configuration }: FormerCallsContext,
  fence: Fence,
  chain: BridgeChain,
): Promise<boolean> {
  const calls = await store.journal.pendingOfFormer(lanes.wallet(chain));
  const blockNumber = calls.length === 0 ? null : await readFinalBlock(store, chain);
  if (blockNumber === null) return false;
  const { connection, side } = chain;
  const book = configuration.addressBook;
  const relayer = await connection.agree((client) => readRelayer(client, book, side, { blockNumber }));
  if (!isAddressEqual(relayer, lanes.wallet(chain).address)) return false;
  let hasWritten = false;
  for (const call of calls) {
    const found = await findCallEnd(laneChain(connection, call.address), { ...call, deliveries: 1 }, blockNumber);
    const hasEnded =
      found === null
        ? !mayStillPay(call, chain) && (await store.journal.conclude(fence, call, { state: 'TAKEN' }, listUnpaid(call)))
        : await lanes.journal(fence, chain).conclude({ ...call, deliveries: 1 }, found);
    hasWritten ||= hasEnded;
  }
  return hasWritten;
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
