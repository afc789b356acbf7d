import { concatHex, keccak256, numberToHex, pad, type Hex } from 'viem';

/** The slots of BridgeLock and BridgeMint that a check reads: both contracts have the same ones. */
export const BRIDGE_SLOTS = {
  /** The relayer in the lowest 160 bits, then the next number (56), the end of the pause (32), flags (8). */
  state: 2n,
  attesterSet: 3n,
  /** By token: see TokenState.sol. */
  tokens: 11n,
  /** By number / 256: a bit for each number. */
  delivered: 13n,
  /** By id. */
  paid: 14n,
  /** By token. */
  totalClaimable: 17n,
} as const;

/** The slots of BridgedToken that a check reads. */
export const TOKEN_SLOTS = {
  supply: 9n,
  /** By account: the balance in the lower 128 bits, what was handed in above it, the seal in the highest bit. */
  slots: 10n,
} as const;

/** Wei of JSON-RPC in a unit of a balance in the state: the partner chain's coin has 8 decimals there. */
export const BALANCE_UNITS = { ethereum: 1n, partner: 10n ** 10n } as const;

/** The slot of a mapping's value. `key`: a number, an address or 32 bytes. */
export function toMappingSlot(slot: bigint, key: bigint | Hex): Hex {
  const word = typeof key === 'bigint' ? numberToHex(key, { size: 32 }) : pad(key, { size: 32 });
  return keccak256(concatHex([word, toSlot(slot)]));
}

export function toSlot(slot: bigint): Hex {
  return numberToHex(slot, { size: 32 });
}

/** The number of the next operation that begins, in `state`. */
export function readNumber(state: bigint): bigint {
  return (state >> 160n) & (2n ** 56n - 1n);
}

/** The current relayer, in `state`. */
export function readRelayer(state: bigint): bigint {
  return state & (2n ** 160n - 1n);
}

/** Credits and fees of a token that its contract holds, in `tokens`. */
export function readReserved(state: bigint): bigint {
  return state & (2n ** 96n - 1n);
}

/** The tokens that were handed in to a wallet and not retired, in `slots`. */
export function readHandedIn(slot: bigint): bigint {
  return (slot & (2n ** 255n - 1n)) >> 128n;
}
