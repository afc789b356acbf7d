import { bridgeLockAbi } from '@causeway/contracts/abi';
import { decodeFunctionData, type Address, type Hex } from 'viem';
import { readBytes, readObject } from '../blocks/json.js';
import { computeIntentId, computeRefundId, type Intent } from '../digests/ids.js';
import type { TransferOrigin } from '../items.js';
import type { PlacedLog } from '../nodes/quorum-reader.js';
import { COIN } from '../settings.js';
import { refuse } from '../verdict.js';
import type { FinalHeaders, Verifier } from '../verifier.js';
import { decodeBeginning, decodePaid } from './events.js';
import { findOrigin } from './origin.js';
import { provePayment, readWalletAt, type ProvenPayment } from './payment.js';

/** Further transfers that are read, at most. */
const MAX_TRANSFERS = 256;

/** A sender and an amount of native XCN. */
interface Payer {
  readonly sender: Address;
  readonly amount: bigint;
}

/**
 * Refuses a payment after which more intents were released and refunds paid of a sender and amount than there are final
 * transfers of them to relayer wallets. It needs no record: two intents and one transfer are paid once even by an
 * attester that has lost everything. Only where others were paid before, the relayer must name their transfers.
 *
 * @param own the transfer of this payment, which is proven.
 */
export async function checkTransferCount(
  verifier: Verifier,
  payer: Payer,
  own: TransferOrigin,
  others: readonly TransferOrigin[],
  finals: FinalHeaders,
): Promise<void> {
  const transfers = [own, ...(await findTransfers(verifier, payer, own, others, finals))];
  const released = await countReleases(verifier, payer, finals);
  const refunded = await countRefunds(verifier, transfers, finals);
  if (released + refunded + 1 > transfers.length)
    refuse(
      'MORE_PAID_THAN_ARRIVED',
      `${released} releases, ${refunded} refunds and this payment, for ${transfers.length} transfers of ${payer.sender}.`,
    );
}

/** The named transfers that are final, of this sender and amount, and to the relayer wallet of their time. */
async function findTransfers(
  verifier: Verifier,
  { sender, amount }: Payer,
  own: TransferOrigin,
  others: readonly TransferOrigin[],
  finals: FinalHeaders,
): Promise<TransferOrigin[]> {
  const keys = new Set([toKey(own)]);
  const found: TransferOrigin[] = [];
  for (const other of others.slice(0, MAX_TRANSFERS)) {
    if (keys.has(toKey(other))) continue;
    keys.add(toKey(other));
    const origin = await findOrigin(verifier, 'partner', other, finals);
    if (origin === null || origin === 'NOT_FINAL' || !origin.transaction.hasSucceeded) continue;
    const { payment } = await provePayment(verifier, other, finals);
    const isOwn = payment.from === sender && payment.value === amount;
    if (isOwn && payment.to === (await readWalletAt(verifier, other.blockNumber))) found.push(other);
  }
  return found;
}

function toKey({ transactionHash, callIndex }: TransferOrigin): string {
  return `${transactionHash} ${callIndex}`;
}

/** A release of XCN that is neither numbered nor readable counts against every sender. */
async function countReleases(verifier: Verifier, { sender, amount }: Payer, finals: FinalHeaders): Promise<number> {
  const xcn = verifier.settings.assets.find(({ tokens }) => tokens.partner === COIN)?.tokens.ethereum;
  const withdrawals = await verifier.histories.partner.until(finals.partner.number);
  const numbered = new Set(withdrawals.flatMap((log) => decodeBeginning(log)?.id ?? []));
  const releases = await verifier.histories.ethereum.until(finals.ethereum.number);
  let count = 0;
  for (const log of releases) {
    const paid = decodePaid(log);
    if (paid === null || paid.token !== xcn || paid.amount + paid.fee !== amount || numbered.has(paid.id)) continue;
    const intent = await readReleasedIntent(verifier, log, paid.id);
    if (intent === null || intent.sender === sender) count += 1;
  }
  return count;
}

/** The terms of a released intent, from the call of its transaction; null when that is not a call of releaseIntent. */
async function readReleasedIntent(
  { readers, settings }: Verifier,
  { transactionHash }: PlacedLog,
  id: Hex,
): Promise<Intent | null> {
  const input = await readers.ethereum.agree('a release', async (ask) => {
    const transaction = readObject(await ask('eth_getTransactionByHash', [transactionHash]), 'transaction');
    return readBytes(transaction['input'], 'input');
  });
  try {
    const { functionName, args } = decodeFunctionData({ abi: bridgeLockAbi, data: input });
    if (functionName !== 'releaseIntent') return null;
    const intent = { ...args[0], sender: args[0].sender.toLowerCase() as Address };
    return computeIntentId(settings.partner, intent) === id ? intent : null;
  } catch {
    // Not a call of BridgeLock: a contract may have made it.
    return null;
  }
}

async function countRefunds(
  { histories, settings }: Verifier,
  transfers: readonly TransferOrigin[],
  finals: FinalHeaders,
): Promise<number> {
  const xcn = settings.assets.find(({ tokens }) => tokens.partner === COIN)?.symbol ?? '';
  const logs = await histories.partner.until(finals.partner.number);
  const refunded = new Set(logs.flatMap((log) => (decodePaid(log)?.name === 'Refunded' ? [log.topics[1]] : [])));
  const { chainId } = settings.partner;
  return transfers.filter((transfer) => refunded.has(computeRefundId({ chainId, asset: xcn, ...transfer }))).length;
}

/** The id of the refund of a proven payment of native XCN. */
export function computePaymentRefundId({ settings }: Verifier, { transaction }: ProvenPayment, callIndex: number): Hex {
  const asset = settings.assets.find(({ tokens }) => tokens.partner === COIN)?.symbol ?? '';
  return computeRefundId({ chainId: settings.partner.chainId, transactionHash: transaction.hash, asset, callIndex });
}
