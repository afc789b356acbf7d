import { formatAmount, type Asset, type DelayReason, type Side } from '@causeway/protocol';
import { ALERTS, ENDLESS_DELAYS, type ConsoleAlertCode } from '@causeway/protocol/admin';
import type { DelayedOperations } from '@causeway/store';

/** An alert about deliveries that wait for one reason. */
interface WaitingDeliveries {
  readonly code: ConsoleAlertCode;
  readonly sentence: string;
  readonly since: Date;
  readonly subject: string;
  readonly whatToDo: string;
}

/** For each delay, the end of "… wait for …" and the first step to resolve it. */
const DELAYS: Readonly<Record<DelayReason, { readonly wait: string; readonly step: string }>> = {
  FLOAT_SHORT: {
    wait: 'coin in the relayer wallet',
    step: 'send the relayer wallet coin: for gas on the destination chain, for intents on the partner chain',
  },
  OUTFLOW_LIMIT: {
    wait: 'the outflow limit to refill',
    step: 'wait, or raise the limit with causeway-admin set-limit',
  },
  COLLATERAL_SHORT: { wait: 'collateral in BridgeLock', step: 'find the cause before funding BridgeLock' },
  BACKING_SHORT: {
    wait: 'backing: the locked collateral does not cover the mint',
    step: 'look for the deposit on nodes of other providers: it may be invented',
  },
  PAUSED: {
    wait: 'the end of a pause of deliveries',
    step: "the contract's admin runs unpause once the cause is removed",
  },
  NODE_UNAVAILABLE: { wait: 'a node of the destination chain', step: 'check the nodes of the destination chain' },
  NODE_REFUSED: {
    wait: 'a node that accepts the transaction',
    step: "read the node's message in the relayer log; try another node",
  },
  FEES_ABOVE_CAP: { wait: 'fees below the cap', step: 'wait, or raise the cap' },
  ORIGIN_NOT_CONFIRMED: { wait: 'nodes that confirm the origin', step: 'compare the origin with other nodes' },
  NONCE_TAKEN: {
    wait: 'the relayer wallet, whose nonce a transaction outside the journal used',
    step: 'find out who else has the relayer key',
  },
  DESTINATION_REVERTED: {
    wait: 'another attempt, since the contract reverts them',
    step: "find the cause in the wallet's transactions, remove it, then retry",
  },
  DELIVERY_CANCELLED: { wait: 'the end of a cancelled delivery', step: 'check that the cancellation is mined' },
  ATTESTERS_UNAVAILABLE: {
    wait: 'signatures of the attesters',
    step: 'find the attesters that do not answer; start them or repair their nodes',
  },
  ATTESTERS_DISAGREE: {
    wait: 'attesters, who refuse them',
    step: 'read the reason in the relayer log; compare the origin with other nodes',
  },
  NUMBER_USED_UP: {
    wait: 'a person, because other deliveries used up their numbers',
    step: 'find out who else has the relayer key, then reopen the numbers; do not pay them another way',
  },
};
const FLOAT = { wait: 'float', step: 'fund the float with causeway-admin top-up --chain partner' };

/**
 * Returns alerts for delays that need an operator: immediately if the delay cannot clear without one, otherwise after
 * half an hour. Pure.
 *
 * @param float native XCN that BridgeMint can deliver; null when the nodes do not agree on it.
 */
export function waitingDeliveries(
  delays: readonly DelayedOperations[],
  float: bigint | null,
  nowMs: number,
): WaitingDeliveries[] {
  const endless: Readonly<Partial<Record<DelayReason, ConsoleAlertCode>>> = ENDLESS_DELAYS;
  const longestMs = ALERTS.DeliveryWaits.threshold.seconds * 1_000;
  return delays
    .filter(({ reason, oldestSince }) => endless[reason] !== undefined || nowMs - oldestSince.getTime() > longestMs)
    .map(({ reason, oldestSince, parts }) => {
      // The float pays XCN on the partner chain. Deliveries that it covers, and all others, wait for gas.
      const ofFloat = reason !== 'FLOAT_SHORT' ? [] : parts.filter((part) => isShortOfFloat(part, float));
      const others = parts.filter((part) => !ofFloat.includes(part));
      const held = float === null ? '' : `: the float has ${amountWithUnit('XCN', float)}`;
      const sentences = [
        ...(ofFloat.length === 0 ? [] : [`${toText(ofFloat, FLOAT.wait)}${held}.`]),
        ...(others.length === 0 ? [] : [`${toText(others, DELAYS[reason].wait)}.`]),
      ];
      const steps = [
        ...(ofFloat.length === 0 ? [] : [FLOAT.step]),
        ...(others.length === 0 ? [] : [DELAYS[reason].step]),
      ];
      return {
        code: endless[reason] ?? 'DeliveryWaits',
        sentence: sentences.join(' '),
        since: oldestSince,
        subject: reason,
        whatToDo: steps.join('; '),
      };
    });
}

/** Formats an amount with thousands separators and its asset. */
export function amountWithUnit(asset: Asset, amount: bigint): string {
  const [whole = '', fraction] = formatAmount(asset, amount).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`} ${asset}`;
}

/** Names a chain for use in a sentence. */
export function getSideName(side: Side): string {
  return side === 'ethereum' ? 'Ethereum' : 'the partner chain';
}

type Part = DelayedOperations['parts'][number];

function isShortOfFloat({ asset, direction, amount }: Part, float: bigint | null): boolean {
  return asset === 'XCN' && direction === 'ETHEREUM_TO_PARTNER' && (float === null || float < amount);
}

function toText(parts: readonly Part[], wait: string): string {
  const sums = new Map<Asset, bigint>();
  for (const { asset, amount } of parts) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  const amounts = [...sums].map(([asset, amount]) => amountWithUnit(asset, amount));
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return `${amounts.join(' and ')} wait for ${wait} in ${count} ${count === 1 ? 'operation' : 'operations'}`;
}
