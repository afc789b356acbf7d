import { getAddress, isAddress, zeroAddress, type Address, type Hex } from 'viem';
import { parseWithUnit } from '../amounts.js';
import { assetInfo, listAssets } from '@causeway/contracts/assets';
import { CHAIN_NAMES, type ChainName } from '@causeway/contracts/deploy';
import type { AdminCall, PlannedCalls } from '../calls/calls.js';
import type { CommandOption } from './command.js';

// Options that several commands share.

/** An option with a fixed set of values. */
export function choice<const C extends string>(
  placeholder: string,
  description: string,
  choices: readonly C[],
  fallback: C | null = null,
): CommandOption<C> {
  return { placeholder, description, choices, fallback, parse: (text) => text as C };
}

/** An option whose value is parsed. */
export function value<T>(placeholder: string, description: string, parse: CommandOption<T>['parse']): CommandOption<T> {
  return { placeholder, description, choices: null, fallback: null, parse };
}

/** An option without a value on the command line. */
export function flag(description: string): CommandOption<boolean> {
  return {
    placeholder: null,
    description,
    choices: ['yes', 'no'],
    fallback: 'no',
    parse: (text) => text === 'yes',
  };
}

/** Any asset. The choices are complete once the address book has been read. */
export const assetOption: CommandOption<string> = {
  ...value('asset', 'asset', (text) => text),
  get choices() {
    return listAssets();
  },
};

/** Any asset with a bridged token on the partner chain. */
export const bridgedAssetOption: CommandOption<string> = {
  ...value('asset', 'bridged token', (text) => text),
  get choices() {
    return listAssets().filter((asset) => assetInfo(asset).coinOf !== 'partner');
  },
};

/** One chain. */
export const oneChainOption = choice('chain', 'chain', CHAIN_NAMES);

/** Both chains unless one is named. */
export const chainOption = choice(
  'chain',
  'the chain of the call; only its node is needed',
  [...CHAIN_NAMES, 'both'],
  'both',
);

/** A direction of the bridge, or both. */
export const directionOption = choice('direction', 'direction', ['ethereum-to-partner', 'partner-to-ethereum', 'both']);

/** An account. */
export function account(description: string): CommandOption<Address> {
  return value('address', description, parseAccount);
}

/** An account, or "none" for the zero address. */
export function accountOrNone(description: string): CommandOption<Address> {
  return value('address', description, (text) => (text === 'none' ? zeroAddress : parseAccount(text)));
}

/** An amount of the asset that the option `asset` names, in atomic units. */
export function assetAmount(description: string): CommandOption<bigint> {
  return value('amount', description, (text, { asset }) => parseWithUnit(String(asset), text));
}

/** Reads an address. */
export function parseAccount(text: string): Address {
  if (!isAddress(text)) throw new Error('must be an address');
  return getAddress(text);
}

/** Reads a hash of 32 bytes. */
export function parseHash(text: string): Hex {
  if (!/^0x[0-9a-f]{64}$/i.test(text)) throw new Error('must be 0x and 64 hex digits');
  return text.toLowerCase() as Hex;
}

/** The chains that the option `chain` names. */
export function chosen(chain: ChainName | 'both'): readonly ChainName[] {
  return chain === 'both' ? CHAIN_NAMES : [chain];
}

/** A plan without lines of changes, for calls whose decoded arguments are enough. */
export function withoutChanges(calls: readonly AdminCall[]): PlannedCalls {
  return { calls, changes: [] };
}
