import {
  Account,
  Address,
  bytesToUnprefixedHex,
  hexToBytes,
  KECCAK256_NULL,
  KECCAK256_RLP,
  unpadBytes,
} from '@ethereumjs/util';
import { PartnerChainError } from '../errors.js';
import type { BlockEnvironment, PartnerEvm } from '../evm/partner-evm.js';
import { keccak256 } from '../keccak256.js';
import { MutableLayer, type StateLayer } from '../state/layered-state.js';
import type { StateReader } from '../state/state-reader.js';
import { toUnits } from '../units.js';

type Hex = `0x${string}`;

/** Changes of an account before a simulation. */
export interface AccountOverride {
  /** Wei; a multiple of 10^10. */
  readonly balance?: bigint;
  readonly nonce?: bigint;
  readonly code?: Hex;
  /** The whole storage: words by slot, each 32 bytes. */
  readonly state?: Readonly<Record<Hex, Hex>>;
  /** Only these slots. */
  readonly stateDiff?: Readonly<Record<Hex, Hex>>;
}

/** Changes of accounts, by address. */
export type StateOverrides = Readonly<Record<Hex, AccountOverride>>;

/** Changes of the block in which a simulation runs. */
export interface BlockOverrides {
  readonly number?: number;
  /** Seconds since 1970. */
  readonly time?: number;
  readonly gasLimit?: bigint;
  readonly feeRecipient?: Hex;
  readonly prevRandao?: Hex;
  /** Wei. */
  readonly baseFeePerGas?: bigint;
}

/**
 * Converts overrides to a layer on a state.
 *
 * @throws PartnerChainError DUST for a balance with a fraction of a unit; INVALID_PARAMS for the code of a precompile.
 */
export function toLayer(evm: PartnerEvm, base: StateReader, overrides: StateOverrides): StateLayer {
  const layer = new MutableLayer();
  for (const [text, { balance, nonce, code, state, stateDiff }] of Object.entries(overrides)) {
    const address = hexToBytes(text as Hex);
    const name = bytesToUnprefixedHex(address);
    const account = base.account(address) ?? new Account();
    if (balance !== undefined) account.balance = toUnits(balance);
    if (nonce !== undefined) account.nonce = nonce;
    if (code !== undefined) {
      if (evm.evm.precompiles.has(name)) throw invalid(`the code of the precompile ${text} cannot be overridden`);
      const bytes = hexToBytes(code);
      account.codeHash = bytes.length === 0 ? KECCAK256_NULL : keccak256(bytes);
      layer.codes.set(bytesToUnprefixedHex(account.codeHash), bytes);
    }
    if (state !== undefined) {
      account.storageRoot = KECCAK256_RLP;
      layer.emptied.add(name);
    }
    layer.accounts.set(name, account);
    layer.slots.set(name, toSlots({ ...state, ...stateDiff }));
  }
  return layer;
}

/** Applies overrides to a block of the chain. */
export function overrideBlock(block: BlockEnvironment, overrides: BlockOverrides): BlockEnvironment {
  const { number, time, gasLimit, feeRecipient, prevRandao, baseFeePerGas } = overrides;
  return {
    number: number ?? block.number,
    timestamp: time ?? block.timestamp,
    gasLimit: gasLimit ?? block.gasLimit,
    coinbase: feeRecipient === undefined ? block.coinbase : new Address(hexToBytes(feeRecipient)),
    prevRandao: prevRandao === undefined ? block.prevRandao : hexToBytes(prevRandao),
    baseFeePerGas: baseFeePerGas ?? block.baseFeePerGas,
  };
}

export function invalid(message: string, cause?: unknown): PartnerChainError {
  return new PartnerChainError('INVALID_PARAMS', message, { cause });
}

function toSlots(words: Readonly<Record<Hex, Hex>>): Map<string, Uint8Array> {
  return new Map(
    Object.entries(words).map(([slot, word]) => [slot.slice(2).toLowerCase(), unpadBytes(hexToBytes(word))]),
  );
}
