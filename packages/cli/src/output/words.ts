import {
  getCoin,
  type BridgeOperationResponse,
  type ConfigResponse,
  type Direction,
  type FeeQuoteResponse,
  type Side,
} from '@causeway/protocol';
import { formatEther } from 'viem';
import type { Tone } from './printer.js';

/** Names of the chains in texts. */
export const CHAIN_NAMES = { ethereum: 'Ethereum', partner: 'partner chain' } as const;

/** The direction that ends on a chain. */
export function toDirection(destination: Side): Direction {
  return destination === 'partner' ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM';
}

/** Describes a direction, such as "Ethereum to partner chain". */
export function describeDirection(direction: Direction): string {
  const [from, to] =
    direction === 'ETHEREUM_TO_PARTNER' ? (['ethereum', 'partner'] as const) : (['partner', 'ethereum'] as const);
  return `${CHAIN_NAMES[from]} to ${CHAIN_NAMES[to]}`;
}

/** A chain and its id. */
export function describeChain(config: ConfigResponse, side: Side): string {
  return `${CHAIN_NAMES[side]}, chain ${config[side].chainId}`;
}

/** A duration such as "about 4 min"; null while the API does not know it. */
export function describeSeconds(seconds: number | null): string {
  if (seconds === null) return 'unknown';
  if (seconds < 90) return `about ${seconds} s`;
  if (seconds < 5_400) return `about ${Math.round(seconds / 60)} min`;
  return `about ${Math.round(seconds / 360) / 10} h`;
}

/** The fee of a quote and its share of the amount, such as "5 USDC (10 %, the minimum fee)". */
export function describeFee(quote: FeeQuoteResponse, asset: string): string {
  const [amount, fee] = [BigInt(quote.inputAmount), BigInt(quote.feeAmount)];
  if (fee === 0n) return 'none';
  const percent = Math.round((Number(fee) / Number(amount)) * 10_000) / 100;
  const isMinimum = fee > (amount * BigInt(quote.feeBps)) / 10_000n;
  return `${quote.feeAmountFormatted} ${asset} (${percent} %${isMinimum ? ', the minimum fee' : ''})`;
}

/** Describes a transfer's fee for gas, in wei: the likely bound, where it is known, and the signed maximum. */
export function describeGas(side: Side, maxGasFee: bigint, gasFee?: bigint): string {
  const write = (wei: bigint) => `${formatEther(wei)} ${getCoin(side)}`;
  return `${gasFee === undefined ? '' : `likely below ${write(gasFee)}, `}at most ${write(maxGasFee)}`;
}

/** Describes the status of an operation in one line. */
export function describeState(operation: BridgeOperationResponse): string {
  const { status, originConfirmations, requiredConfirmations, holdUntil, delayedReason } = operation;
  const details = {
    PENDING_ORIGIN_TX: 'waiting for the payment',
    CONFIRMING: `${originConfirmations} of ${requiredConfirmations} confirmations`,
    AWAITING_RELAY: holdUntil === null ? 'final, will be delivered' : `held until ${holdUntil}`,
    PROCESSING_DESTINATION: `delivered by ${operation.destinationTxHash ?? 'a transaction'}, which is not final yet`,
    DELAYED: `${delayedReason ?? 'unknown reason'}; it will still complete`,
    COMPLETED: describeEnd(operation),
    FAILED: operation.failureMessage ?? operation.failureReason ?? 'for an unknown reason',
    EXPIRED: 'was not paid in time',
  }[status];
  return details === undefined ? status : `${status}: ${details}`;
}

function describeEnd({ settlement, outputAmountFormatted, asset, recipient }: BridgeOperationResponse): string {
  const paid = `${outputAmountFormatted} ${asset}`;
  if (settlement?.credited === true) return `${recipient} did not accept ${paid}: claim it`;
  return `${paid} delivered to ${recipient}`;
}

export function chooseTone({ status }: BridgeOperationResponse): Tone {
  if (status === 'COMPLETED') return 'good';
  if (status === 'DELAYED') return 'warning';
  return status === 'FAILED' || status === 'EXPIRED' ? 'bad' : 'plain';
}

/** The rows of one operation. */
export function describeOperation(operation: BridgeOperationResponse): readonly (readonly string[])[] {
  const { asset, amountFormatted, fee, outputAmountFormatted, estimatedCompletionTime, refundId } = operation;
  const rows: readonly (readonly [string, string | null])[] = [
    ['Operation', operation.id],
    ['Way', describeDirection(operation.direction)],
    ['Amount', `${amountFormatted} ${asset}`],
    ['Fee', fee === null ? 'none' : `${fee.formatted} ${asset}`],
    ['Output', `${outputAmountFormatted} ${asset}`],
    ['Sender', operation.sender],
    ['Recipient', operation.recipient],
    ['Origin', operation.originTxHash],
    ['Delivery', operation.destinationTxHash],
    ['Expected', estimatedCompletionTime],
    ['Refund', refundId],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}
