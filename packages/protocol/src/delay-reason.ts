/**
 * The reasons for which a delivery is `DELAYED`, with the step an operator takes. Without such a step the relayer
 * retries automatically.
 *
 * - `FLOAT_SHORT`: the relayer wallet cannot pay the amount and its gas. Fund it on the destination chain.
 * - `OUTFLOW_LIMIT`: the outflow limit of the contract is reached. It refills with time.
 * - `COLLATERAL_SHORT`: BridgeLock holds less than it would pay. Find the cause before you fund it.
 * - `PAUSED`: deliveries are paused on the contract. Resume them when the cause is removed.
 * - `NODE_UNAVAILABLE`: no node of the destination chain answers. Check `ETHEREUM_RPC_URLS` or `PARTNER_RPC_URLS`.
 * - `NODE_REFUSED`: the node rejected the signed transaction. Read its message in the log; try another node.
 * - `FEES_ABOVE_CAP`: the chain asks for more than `MAX_FEE_GWEI` per gas. Wait, or raise the cap.
 * - `ORIGIN_NOT_CONFIRMED`: the node does not confirm the deposit, burn or transfer. Compare with another node.
 * - `NONCE_TAKEN`: a transaction outside the journal used the nonce. Find out who else has the wallet's key.
 * - `DESTINATION_REVERTED`: the contract reverts the delivery, simulated or mined. Read the error in the log.
 * - `DELIVERY_CANCELLED`: an operator cancelled the delivery. The relayer waits until the cancellation is final.
 * - `KEEPS_REVERTING`: five deliveries were mined and reverted. Remove the cause, then run `relayer retry`.
 */
export const DELAY_REASONS = [
  'FLOAT_SHORT',
  'OUTFLOW_LIMIT',
  'COLLATERAL_SHORT',
  'PAUSED',
  'NODE_UNAVAILABLE',
  'NODE_REFUSED',
  'FEES_ABOVE_CAP',
  'ORIGIN_NOT_CONFIRMED',
  'NONCE_TAKEN',
  'DESTINATION_REVERTED',
  'DELIVERY_CANCELLED',
  'KEEPS_REVERTING',
] as const;

/** Why a delivery is delayed. Users and operators see it as `delayedReason`. */
export type DelayReason = (typeof DELAY_REASONS)[number];
