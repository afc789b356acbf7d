import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import type { Address, Hex } from 'viem';
import type { Side } from '../nodes/finality.js';
import { isSameTransfer } from '../record.js';
import { refuse, type TransferKey } from '../verdict.js';
import type { FinalHeaders, Verifier } from '../verifier.js';
import { readContract } from './contract-reads.js';

/** A requested payment. */
export interface AskedPayment {
  readonly id: Hex;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
}

/** The contract view that reports whether a number or an id is used up. */
export interface UsedUpView {
  readonly functionName: 'isMinted' | 'isReleased' | 'isIntentReleased' | 'isRefunded';
  readonly argument: bigint | Hex;
}

/**
 * Refuses a delivery that was already made with these terms, whatever the contract's bitmap says, since a reopened
 * number could be paid again. After a delivery with other terms, the number is used up until the admin reopens it.
 */
export async function checkNotDelivered(
  verifier: Verifier,
  side: Side,
  asked: AskedPayment,
  view: UsedUpView,
  finals: FinalHeaders,
): Promise<void> {
  const history = await verifier.histories[side].at(finals[side].number);
  const same = history
    .findPaid(asked.id)
    .some(
      ({ token, recipient, amount, fee }) =>
        token === asked.token && recipient === asked.recipient && amount === asked.amount && fee === asked.fee,
    );
  if (same) refuse('ALREADY_DELIVERED', asked.id);
  if (await isUsedUp(verifier, side, view, finals)) refuse('NUMBER_USED_UP', asked.id);
}

/** Refuses if the refund of a transfer is or was ever paid. */
export async function checkNotRefunded(verifier: Verifier, refundId: Hex, finals: FinalHeaders): Promise<void> {
  const isPaid = await isUsedUp(verifier, 'partner', { functionName: 'isRefunded', argument: refundId }, finals);
  const history = await verifier.histories.partner.at(finals.partner.number);
  if (isPaid || history.findPaid(refundId).length > 0) refuse('REFUND_PAID', refundId);
}

/** Refuses if a payment of coin to a relayer wallet was refunded, or an intent was released for it. */
export async function checkCoinIsFree(verifier: Verifier, transferId: Hex, finals: FinalHeaders): Promise<void> {
  await checkNotRefunded(verifier, transferId, finals);
  const view = { functionName: 'isIntentReleased', argument: transferId } as const;
  if (await isUsedUp(verifier, 'ethereum', view, finals)) refuse('TRANSFER_PAID', transferId);
}

/** Whether the contract's final state marks a number or an id as used up. */
export async function isUsedUp(
  { readers, settings }: Verifier,
  side: Side,
  { functionName, argument }: UsedUpView,
  finals: FinalHeaders,
): Promise<boolean> {
  const used = await readContract(readers[side], {
    blockHash: finals[side].hash,
    address: settings[side].contract,
    abi: side === 'ethereum' ? bridgeLockAbi : bridgeMintAbi,
    functionName,
    args: [argument],
  });
  return used !== false;
}

/** Refuses a transfer that was signed for another purpose, and an id that was signed for another transfer. */
export async function checkRecord(
  { record }: Verifier,
  asked: { readonly transfer: TransferKey; readonly kind: 'DELIVERY' | 'REFUND'; readonly id: Hex },
): Promise<void> {
  const other = (await record.findByTransfer(asked.transfer)).find(
    ({ kind, id }) => kind !== asked.kind || id !== asked.id,
  );
  if (other !== undefined) refuse('TRANSFER_USED', `It pays the ${other.kind.toLowerCase()} ${other.id}.`);
  const elsewhere = (await record.findById(asked.id)).find(({ transfer }) => !isSameTransfer(transfer, asked.transfer));
  if (elsewhere !== undefined) refuse('ID_USED', `It is paid by ${elsewhere.transfer.transactionHash}.`);
}
