/** What became of a signed transaction that was sent to a node. */
export type BroadcastResult =
  /** In the node's pool. */
  | { readonly kind: 'accepted' }
  /** The node has it already, pending or mined. */
  | { readonly kind: 'known' }
  /** Another transaction with this nonce is mined, or this one is. */
  | { readonly kind: 'nonce-used' }
  /** A transaction with this nonce is pending and this one pays too little more. */
  | { readonly kind: 'underpriced' }
  /** The wallet cannot pay value and gas. */
  | { readonly kind: 'insufficient-funds' }
  /** The node will not take it. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody knows whether the node took it. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** The words of anvil, geth, reth, erigon, nethermind and besu. */
const WORDS: readonly (readonly [RegExp, 'known' | 'nonce-used' | 'underpriced' | 'insufficient-funds'])[] = [
  [/already known|known transaction|already imported|alreadyknown|already exists/i, 'known'],
  [/nonce too low|nonce is too low|oldnonce|nonce below/i, 'nonce-used'],
  [/underpriced|fee too low to replace|feetoolow|replacement/i, 'underpriced'],
  [/insufficient funds|insufficientfunds|upfront cost exceeds|insufficient balance/i, 'insufficient-funds'],
];

/** Sorts the error of eth_sendRawTransaction. `answered`: a node answered with an error, rather than nobody at all. */
export function classifyBroadcastError(message: string, answered: boolean): BroadcastResult {
  if (!answered) return { kind: 'unreachable', reason: message };
  const found = WORDS.find(([words]) => words.test(message));
  return found === undefined ? { kind: 'refused', reason: message } : { kind: found[1] };
}
