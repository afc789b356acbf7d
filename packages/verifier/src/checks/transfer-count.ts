import { bridgeLockAbi } from '@causeway/contracts/abi';
import { decodeFunctionData, type Address, type Hex } from 'viem';
import { readBytes, readObject } from '../blocks/json.js';
import { computeIntentId, computeRefundId, type Intent } from '../digests/ids.js';
import type { TransferOrigin } from '../items.js';
import { COIN } from '../settings.js';
import { refuse } from '../verdict.js';
import type { FinalHeaders, Verifier } from '../verifier.js';
import type { PlacedPaid } from './delivery-history.js';
import { findOrigin } from './origin.js';
import { provePayment, readWalletAt } from './payment.js';

/** Further transfers that are read, at most. */
const MAX_TRANSFERS = 256;
/** Ethereum's blocks may be this much behind the partner chain's, by their clocks. */
const CLOCK_SECONDS = 3_600n;

/** A sender and an amount of native XCN. */
interface Payer {
  readonly sender: Address;
  readonly amount: bigint;
}

/** A final transfer of the payer to the relayer wallet of its time. */
interface Transfer extends TransferOrigin {
  /** Unix seconds of its block. */
  readonly timestamp: bigint;
}

/**
 * Refuses a payment after which more intents were released and refunds paid of a sender and amount than there are final
 * transfers of them to relayer wallets. It needs no record: two intents and one transfer are paid once even by an
 * attester that has lost everything.
 *
 * A transfer is paid after it came. So it is enough to find one time from which on there are more transfers than
 * releases and refunded transfers: a transfer since that time is free. Only where others were paid since then, the
 * relayer must name their transfers.
 *
 * @param own the transfer of this payment, which is proven.
 */
export async function checkTransferCount(
  verifier: Verifier,
  payer: Payer,
  own: Transfer,
  others: readonly TransferOrigin[],
  finals: FinalHeaders,
): Promise<void> {
  const partner = await verifier.histories.partner.at(finals.partner.number);
  const ethereum = await verifier.histories.ethereum.at(finals.ethereum.number);
  const releases = ethereum.findByAmount(payer.amount).filter(({ id }) => !partner.hasWithdrawal(id));
  let found = 0;
  let paid = 0;
  for (const place of listPlaces(own, others)) {
    const transfer = place === own ? own : await findTransfer(verifier, payer, place, finals);
    if (transfer === null) continue;
    found += 1;
    if (partner.findPaid(computeCoinRefundId(verifier, place)).length > 0) paid += 1;
    for (let release; (release = releases.at(-1)) !== undefined; releases.pop()) {
      const { timestamp } = await verifier.readers.ethereum.headerAt(release.blockNumber);
      if (timestamp + CLOCK_SECONDS < transfer.timestamp) break;
      const intent = await readReleasedIntent(verifier, release);
      // One that cannot be read counts against every sender.
      if (intent === null || intent.sender === payer.sender) paid += 1;
    }
    if (paid < found) return;
  }
  refuse(
    'MORE_PAID_THAN_ARRIVED',
    `${paid} releases and refunds, and this payment, for ${found} transfers of ${payer.sender}.`,
  );
}

/** Without repetitions, the own one first, then from the newest to the oldest. */
function listPlaces(own: Transfer, others: readonly TransferOrigin[]): TransferOrigin[] {
  const toKey = ({ transactionHash, callIndex }: TransferOrigin) => `${transactionHash} ${callIndex}`;
  const different = new Map(others.slice(0, MAX_TRANSFERS).map((other) => [toKey(other), other]));
  different.delete(toKey(own));
  return [own, ...[...different.values()].toSorted((a, b) => Number(b.blockNumber - a.blockNumber))];
}

/** A named transfer, if it is final, of this sender and amount, and to the relayer wallet of its time. */
async function findTransfer(
  verifier: Verifier,
  { sender, amount }: Payer,
  place: TransferOrigin,
  finals: FinalHeaders,
): Promise<Transfer | null> {
  const origin = await findOrigin(verifier, 'partner', place, finals);
  if (origin === null || origin === 'NOT_FINAL' || !origin.transaction.hasSucceeded) return null;
  const { payment, timestamp } = await provePayment(verifier, place, finals);
  const isOfPayer = payment.from === sender && payment.value === amount;
  return isOfPayer && payment.to === (await readWalletAt(verifier, place.blockNumber)) ? { ...place, timestamp } : null;
}

/** The terms of a released intent, from the call of its transaction; null when that is not a call of releaseIntent. */
async function readReleasedIntent(
  { readers, settings }: Verifier,
  { transactionHash, id }: PlacedPaid,
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

/** The id of the refund of a payment of native XCN. */
export function computeCoinRefundId(
  { settings }: Verifier,
  { transactionHash, callIndex }: Pick<TransferOrigin, 'transactionHash' | 'callIndex'>,
): Hex {
  const asset = settings.assets.find(({ tokens }) => tokens.partner === COIN)?.symbol ?? '';
  return computeRefundId({ chainId: settings.partner.chainId, transactionHash, asset, callIndex });
}
