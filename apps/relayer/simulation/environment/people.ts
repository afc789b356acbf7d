import { keccak256, stringToHex, type Address, type Hex } from 'viem';
import { Account } from '../chain/account.ts';
import { ENDING_CODE, ENTRY_POINT_CODE, FORWARDER_CODE, REGRETFUL_CODE, SMART_ACCOUNT } from './accounts.ts';

const makeContractAddress = (name: string): Address => `0x${keccak256(stringToHex(name)).slice(-40)}`;

/** The people who use the bridge. */
export const USERS = [new Account('alice'), new Account('bob'), new Account('carol')] as const;
/** A smart account for each of them. */
export const SMART_ACCOUNTS = USERS.map(({ name }) => makeContractAddress(`smart account of ${name}`));
/** One of the users, with its smart account. */
export function personAt(index: number): { readonly account: Account; readonly smartAccount: Address } {
  const [account, address] = [USERS[index], SMART_ACCOUNTS[index]];
  if (account === undefined || address === undefined) throw new RangeError(`There is no user ${index}`);
  return { account, smartAccount: address };
}

/** Sends the bundles of smart accounts. */
export const BUNDLER = new Account('bundler');

/** Runs the bundles of smart accounts. */
export const ENTRY_POINT = makeContractAddress('entry point');
/** Forwards coin, so that it pays in place of its user. It does not accept coin itself. */
export const FORWARDER = makeContractAddress('forwarder');
/** Pays, and then reverts. */
export const REGRETFUL = makeContractAddress('regretful');
/** Self-destructs, and leaves its coin to an heir. */
export const ENDING = makeContractAddress('ending');

/** The accounts with coin on both chains. */
export const FUNDED: readonly Address[] = [...USERS.map(({ address }) => address), BUNDLER.address, ...SMART_ACCOUNTS];
/** The code of the users' contracts, on both chains. */
export const CODES: ReadonlyMap<Address, Hex> = new Map([
  [ENTRY_POINT, ENTRY_POINT_CODE],
  [FORWARDER, FORWARDER_CODE],
  [REGRETFUL, REGRETFUL_CODE],
  [ENDING, ENDING_CODE],
  ...SMART_ACCOUNTS.map((address) => [address, SMART_ACCOUNT] as const),
]);
