import { keccak256, stringToHex, type Address } from 'viem';
import { Account } from '../chain/account.ts';
import type { Contracts } from '../chain/execution.ts';
import { ending, entryPoint, forwarder, regretful, smartAccount } from '../contracts/accounts.ts';

const contractOf = (name: string): Address => `0x${keccak256(stringToHex(name)).slice(-40)}`;

/** The people who use the bridge. */
export const USERS = [new Account('alice'), new Account('bob'), new Account('carol')] as const;
/** A smart account of each of them. */
export const SMART_ACCOUNTS = USERS.map(({ name }) => contractOf(`smart account of ${name}`));
/** One of the users, with its smart account. */
export function personAt(index: number): { readonly account: Account; readonly smartAccount: Address } {
  const [account, address] = [USERS[index], SMART_ACCOUNTS[index]];
  if (account === undefined || address === undefined) throw new RangeError(`There is no user ${index}`);
  return { account, smartAccount: address };
}

/** Sends the bundles of smart accounts. */
export const BUNDLER = new Account('bundler');

/** Runs bundles of smart accounts. */
export const ENTRY_POINT = contractOf('entry point');
/** Sends coin on, so that it pays in place of its user, and takes none back. */
export const FORWARDER = contractOf('forwarder');
/** Pays, and then reverts. */
export const REGRETFUL = contractOf('regretful');
/** Ends, and leaves its coin to somebody. */
export const ENDING = contractOf('ending');

/** The code of these contracts, on both chains. */
export const CONTRACTS: Contracts = new Map([
  [ENTRY_POINT, entryPoint],
  [FORWARDER, forwarder],
  [REGRETFUL, regretful],
  [ENDING, ending],
  ...SMART_ACCOUNTS.map((address) => [address, smartAccount] as const),
]);
