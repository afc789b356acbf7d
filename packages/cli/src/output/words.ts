import {
  getCoin,
  type BridgeOperationResponse,
  type ConfigResponse,
  type Direction,
  type Side,
} from '@causeway/protocol';
import { formatEther } from 'viem';
import type { Tone } from './printer.js';

/** How the chains are called. */
export const CHAIN_NAMES = { ethereum: 'Ethereum', partner: 'partner chain' } as const;

/** The direction that ends on a chain. */
export function toDirection(destination: Side): Direction {
  return destination === 'partner' ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM';
}

/** The way of a direction in words. */
export function describeDirection(direction: Direction): string {
  const [from, to] =
    direction === 'ETHEREUM_TO_PARTNER' ? (['ethereum', 'partner'] as const) : (['partner', 'ethereum'] as const);
  return `${CHAIN_NAMES[from]} to ${CHAIN_NAMES[to]}`;
}

/** A chain and its id. */
export function describeChain(config: ConfigResponse, side: Side): string {
  return `${CHAIN_NAMES[side]}, chain ${config[side].chainId}`;
}

/** A duration such as "about 4 min"; the API gives none while it is unknown. */
export function describeSeconds(seconds: number | null): string {
  if (seconds === null) return 'unknown';
  if (seconds < 90) return `about ${seconds} s`;
  if (seconds < 5_400) return `about ${Math.round(seconds / 60)} min`;
  return `about ${Math.round(seconds / 360) / 10} h`;
}

/** A rate of basis points as percent, such as "0.25 %". */
export function describeRate(bps: number): string {
  return `${bps / 100} %`;
}

/** The fee for gas of a transfer, in wei: the highest that is signed, and the highest that is likely if it is known. */
export function describeGas(side: Side, maxGasFee: bigint, gasFee?: bigint): string {
  const write = (wei: bigint) => `${formatEther(wei)} ${getCoin(side)}`;
  return `${gasFee === undefined ? '' : `likely below ${write(gasFee)}, `}at most ${write(maxGasFee)}`;
}

/** How far an operation is, in one line. */
export function describeState(operation: BridgeOperationResponse): string {
  const { status, originConfirmations, requiredConfirmations, holdUntil, delayedReason } = operation;
  const details = {
    PENDING_ORIGIN_TX: 'waits for its payment',
    CONFIRMING: `${originConfirmations} of ${requiredConfirmations} confirmations`,
    AWAITING_RELAY: holdUntil === null ? 'final, will be delivered' : `held until ${holdUntil}`,
    PROCESSING_DESTINATION: `delivered by ${operation.destinationTxHash ?? 'a transaction'}, not final yet`,
    DELAYED: `${delayedReason ?? 'unknown reason'}; it will still complete`,
    COMPLETED: describeEnd(operation),
    FAILED: operation.failureMessage ?? operation.failureReason ?? 'for an unknown reason',
    EXPIRED: 'was not paid in time',
  }[status];
  return details === undefined ? status : `${status}: ${details}`;
}

function describeEnd({ settlement, outputAmountFormatted, asset, recipient }: BridgeOperationResponse): string {
  const paid = `${outputAmountFormatted} ${asset}`;
  if (settlement?.credited === true) return `${recipient} did not take ${paid}: claim it`;
  return `${paid} delivered to ${recipient}`;
}

/** The colour of a status. */
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
