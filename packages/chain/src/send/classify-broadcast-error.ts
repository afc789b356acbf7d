/** What became of a signed transaction that was sent to a node. */
export type BroadcastResult =
  /** In the node's pool. */
  | { readonly kind: 'accepted' }
  /** The node has it already, pending or mined. */
  | { readonly kind: 'known' }
  /** Another transaction with this nonce is mined, or this one is and the node does not say so. */
  | { readonly kind: 'nonce-used' }
  /** It pays too little: for the pool, for the base fee, or to replace another one with its nonce. */
  | { readonly kind: 'underpriced' }
  /** The wallet cannot pay value and gas. */
  | { readonly kind: 'insufficient-funds' }
  /** The node will not take it. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody knows whether the node took it. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** The words of anvil, geth, reth, erigon, nethermind and besu. The first that fits counts. */
const WORDS: readonly (readonly [RegExp, 'known' | 'nonce-used' | 'underpriced' | 'insufficient-funds'])[] = [
  [/already ?known|known transaction|already imported|already exists|already in mempool|tx with same hash/i, 'known'],
  [/nonce (is )?too low|oldnonce|nonce below|nonce has already been used/i, 'nonce-used'],
  [/underpriced|feetoolow|fee too low|replacement|(could not|tries to) replace/i, 'underpriced'],
  [/less than block base fee|below (the )?(current base fee|configured minimum)|feecap.*below/i, 'underpriced'],
  [/insufficient ?(funds|balance)|upfront cost exceeds|insufficient sender balance/i, 'insufficient-funds'],
];

/** Sorts the error of eth_sendRawTransaction. `answered`: a node answered with an error, rather than nobody at all. */
export function classifyBroadcastError(message: string, answered: boolean): BroadcastResult {
  if (!answered) return { kind: 'unreachable', reason: message };
  const found = WORDS.find(([words]) => words.test(message));
  return found === undefined ? { kind: 'refused', reason: message } : { kind: found[1] };
}
