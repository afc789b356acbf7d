import { keccak256, TransactionNotFoundError, type Hex, type PublicClient } from 'viem';
import { classifyRpcError, NodeRefusedError, NodeUnavailableError } from '../rpc/chain-error.js';

/** The outcome of sending a signed transaction to a node. */
export type BroadcastResult =
  /** The node put it into its pool. */
  | { readonly kind: 'accepted' }
  /** The node already has it, pending or mined. */
  | { readonly kind: 'known' }
  /** A transaction with this nonce is mined: another one, or this one on a node that does not show it. */
  | { readonly kind: 'nonce-used' }
  /** The fees are too low for the pool, for the base fee, or to replace a transaction with the same nonce. */
  | { readonly kind: 'underpriced' }
  /** The wallet cannot pay the value and the gas. */
  | { readonly kind: 'insufficient-funds' }
  /** The node rejected it. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It is unknown whether the node accepted it. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Error messages of anvil, geth, reth, erigon, nethermind and besu. The first match decides. */
const MESSAGES: readonly (readonly [RegExp, 'known' | 'nonce-used' | 'underpriced' | 'insufficient-funds'])[] = [
  [/already ?known|known transaction|already imported|already exists|already in mempool|tx with same hash/i, 'known'],
  [/nonce (is )?too low|oldnonce|nonce below|nonce has already been used/i, 'nonce-used'],
  [/underpriced|feetoolow|fee too low|replacement|(could not|tries to) replace/i, 'underpriced'],
  [/less than block base fee|below (the )?(current base fee|configured minimum)|feecap.*below/i, 'underpriced'],
  [/insufficient ?(funds|balance)|upfront cost exceeds|insufficient sender balance/i, 'insufficient-funds'],
];

/**
 * Sends a signed transaction. A repeated send is harmless, so callers resend when in doubt. If a node reports "nonce
 * too low" because this very transaction used the nonce, the result is `known`.
 */
export async function broadcast(client: PublicClient, raw: Hex): Promise<BroadcastResult> {
  const hash = keccak256(raw);
  const result = await send(client, raw, hash);
  return result.kind === 'nonce-used' && (await isKnown(client, hash)) ? { kind: 'known' } : result;
}

/** Classifies the error of eth_sendRawTransaction. `answered`: a node answered with an error. */
export function classifyBroadcastError(message: string, answered: boolean): BroadcastResult {
  if (!answered) return { kind: 'unreachable', reason: message };
  const found = MESSAGES.find(([pattern]) => pattern.test(message));
  return found === undefined ? { kind: 'refused', reason: message } : { kind: found[1] };
}

async function send(client: PublicClient, raw: Hex, hash: Hex): Promise<BroadcastResult> {
  try {
    const answer = await client.sendRawTransaction({ serializedTransaction: raw });
    if (answer === hash) return { kind: 'accepted' };
    return { kind: 'unreachable', reason: `the node answered with the hash ${answer} to transaction ${hash}` };
  } catch (error) {
    const failure = classifyRpcError(error);
    if (failure instanceof NodeRefusedError) return classifyBroadcastError(failure.reason, true);
    const reason = failure instanceof NodeUnavailableError ? failure.reason : failure.message;
    return classifyBroadcastError(reason, false);
  }
}

async function isKnown(client: PublicClient, hash: Hex): Promise<boolean> {
  try {
    return (await client.getTransaction({ hash })).hash === hash;
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false;
    // Rethrows a bug. A node failure leaves `nonce-used`, after which the caller checks the receipt.
    classifyRpcError(error);
    return false;
  }
}
