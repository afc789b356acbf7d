import { readFileSync } from 'node:fs';
import { isAddressEqual, type Address, type Hex } from 'viem';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import type { AddressBook } from '@causeway/contracts/address-book';
import { readAddressBook } from '@causeway/contracts/deploy';
import {
  getContracts,
  callHash,
  isChecksumRight,
  safeFileSchema,
  type CallTerms,
  type AdminCommand,
  prepareCommand,
  transactionsFromBook,
  decodeCall,
  routeData,
  type DecodedCall,
} from '@causeway/governance';
import { openClients, type NodeOptions } from './run-command.js';

/** The options of the command `hash`. */
export interface HashOptions extends NodeOptions {
  readonly signer?: Address;
  readonly safeFile?: string;
}

/**
 * Prints the transactions of a command with their hashes. Asks no node if the address book and the options determine
 * the call. The admin's calls need a node to find out whether a timelock makes them.
 *
 * @throws Error that names the missing options; OptionError; RoleError.
 */
export async function runHashCommand(
  command: AdminCommand,
  texts: Readonly<Record<string, string>>,
  options: HashOptions,
): Promise<void> {
  const book = requireBook(options);
  const { fromBook, chains } = command.read(texts);
  const calls = fromBook?.(book).filter(({ chain }) => chains.includes(chain));
  if (calls?.every(({ role }) => role !== 'admin')) {
    for (const { call, route } of transactionsFromBook(calls)) {
      const terms = { chainId: call.chainId, to: route.to, value: route.value, data: routeData(route) };
      print(describeTerms(book, terms, []));
    }
    return;
  }
  if (options.signer === undefined) throw new Error('Missing option: --signer <address>, the account that will sign');
  const clients = openClients(options, book);
  const missing = chains.filter((chain) => clients[chain] === undefined).map((chain) => `--${chain}-rpc <url>`);
  if (missing.length > 0)
    throw new Error(`The call depends on the contracts' state: give a node with ${missing.join(', ')}`);
  const transactions = await prepareCommand({ command, options: texts, account: options.signer, book, clients });
  if (transactions.length === 0) print('Nothing to sign: the contracts already have these settings.');
  for (const { to, step, readyAt, ...transaction } of transactions) {
    // The timelock is not in the address book; the bridge contract names it.
    print(describeTerms(book, { to, ...transaction }, [to]));
    if (readyAt !== null) print(`${step}: ready at ${readyAt.toISOString()}`);
  }
}

/**
 * Prints the transactions of a file for a Safe, decoded from their data, with their hashes.
 *
 * @throws Error when the file is malformed, when its checksum is wrong, or when a call goes to an unknown contract.
 */
export async function runHashFile(options: HashOptions): Promise<void> {
  if (options.safeFile === undefined)
    throw new Error('Give a command, or a file with --safe-file: see causeway-admin hash --help');
  const book = requireBook(options);
  const { error, data: file } = safeFileSchema.safeParse(JSON.parse(readFileSync(options.safeFile, 'utf8')));
  if (file === undefined) {
    const [{ path, message } = { path: [], message: 'is malformed' }] = error.issues;
    throw new Error(`${options.safeFile} is not a Transaction Builder file: ${path.join('.')} ${message}`);
  }
  const transactions = file.transactions.map(({ to, value, data }) => ({
    chainId: Number(file.chainId),
    to,
    value: BigInt(value),
    data,
  }));
  for (const terms of transactions) print(describeTerms(book, terms, []));
  if (!isChecksumRight(file)) throw new Error(`${options.safeFile} was changed: its checksum is wrong`);
}

function requireBook({ book }: HashOptions): AddressBook {
  if (book === undefined) throw new Error('Missing option: --book <file>, the address book of the deployment');
  return readAddressBook(book);
}

/** Describes a transaction. `timelocks`: addresses that a bridge contract names as its admin. */
function describeTerms(book: AddressBook, terms: CallTerms, timelocks: readonly Address[]): string {
  const { chainId, to, value, data } = terms;
  return [
    ...decodedLines(book, terms, timelocks),
    `chain ${chainId}`,
    `to ${to}`,
    `value ${value} wei`,
    `data ${data}`,
    `hash ${callHash(terms)}`,
  ].join('\n');
}

function decodedLines(book: AddressBook, { chainId, to, data }: CallTerms, timelocks: readonly Address[]): string[] {
  const known = Object.values(getContracts(book)).find(
    (contract) => contract.chainId === chainId && isAddressEqual(contract.to, to),
  );
  if (known !== undefined) return formatLines(`${known.contract} on ${known.chain}`, decodeCall(known.abi, data));
  const name = timelocks.some((timelock) => isAddressEqual(timelock, to))
    ? 'the admin timelock'
    : 'A CONTRACT THAT IS NOT IN THE ADDRESS BOOK: accept it only if it is the admin of a bridge contract';
  const outer = formatLines(name, tryDecode(data));
  return [...outer, ...innerLines(book, chainId, data)];
}

/** The call inside a timelock's schedule or execute. */
function innerLines(book: AddressBook, chainId: number, data: Hex): string[] {
  const decoded = tryDecode(data);
  const argument = (name: string) => decoded?.arguments.find((one) => one.name === name)?.value;
  const [target, payload] = [argument('target'), argument('data') ?? argument('payload')];
  if (target === undefined || payload === undefined) return [];
  return decodedLines(book, { chainId, to: target as Address, value: 0n, data: payload as Hex }, [target as Address]);
}

function tryDecode(data: Hex): DecodedCall | null {
  for (const abi of [adminTimelockAbi, bridgeLockAbi, bridgeMintAbi]) {
    try {
      return decodeCall(abi, data);
    } catch {
      // Not a function of this contract; the next one may have it.
    }
  }
  return null;
}

function formatLines(name: string, decoded: DecodedCall | null): string[] {
  if (decoded === null) return [`${name}: a function that no contract of the bridge has`];
  return [`${name}: ${decoded.functionName}`, ...decoded.arguments.map((one) => `  ${one.name} = ${one.value}`)];
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
