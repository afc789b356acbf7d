import { createPublicClient, createWalletClient, type Address } from 'viem';
import type { AddressBook } from '@causeway/contracts/address-book';
import { readAddressBook } from '@causeway/contracts/deploy';
import { CHAIN_NAMES, makeChain, repeatReads, type ChainName } from '@causeway/contracts/deploy';
import { nodeTransport } from '../node-transport.js';
import { readSigner } from './signer.js';
import { askYesNo, PROCESS_TERMINAL, type Terminal } from './terminal.js';
import { type Clients, type CommandPlan, executeEach, executeTogether, type ExecuteInput } from '@causeway/governance';

/** Variable with the operator's bare key, in the local environment only. */
export const KEY_VARIABLE = 'OPERATOR_PRIVATE_KEY';

/** The options for the address book and the nodes. */
export interface NodeOptions {
  readonly book?: string;
  readonly ethereumRpc?: string;
  readonly partnerRpc?: string;
}

/** The options of every command. */
export interface SharedOptions extends NodeOptions {
  readonly from?: Address;
  readonly send: boolean;
  /** Sends without asking. */
  readonly yes?: boolean;
  readonly keystore?: string;
  readonly passwordFile?: string;
}

/** One run of a command: its calls, and how they are sent. */
interface CommandRun extends CommandPlan {
  /** Whether one call is sent even if the other one cannot be made. */
  readonly isWorthHalf?: boolean;
  /** Whether the operator has to confirm the changes before they are sent. */
  readonly needsConfirmation?: boolean;
  /** Runs last, with the clients of all given nodes. */
  readonly after?: (bookFile: string, clients: Clients, onLine: (line: string) => void) => Promise<void>;
}

/**
 * Runs an operator's command: reads address book and key, computes, shows and simulates the calls, and sends them with
 * --send.
 *
 * @throws Error that names the missing options, or the call that failed and why.
 */
export async function runCommand(
  options: SharedOptions,
  command: CommandRun,
  terminal: Terminal = PROCESS_TERMINAL,
): Promise<void> {
  const onLine = (line: string) => void process.stdout.write(`${line}\n`);
  const bookFile = expectOptions(options, command, terminal);
  const book = readAddressBook(bookFile);
  const nodes = openNodes(options, book);
  const selectClients = (names: readonly ChainName[]): Clients =>
    Object.fromEntries(names.flatMap((name) => (nodes[name] === undefined ? [] : [[name, nodes[name].client]])));
  const clients = selectClients(command.chains);
  // Progress goes to standard error, so that standard output has only results.
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const { calls: planned, changes } = await command.plan(book, clients, selectClients(CHAIN_NAMES), report);
  const calls = planned.filter((call) => command.chains.includes(call.chain));
  for (const change of changes) onLine(change);
  if (calls.length === 0) onLine('Nothing to send: the contracts already have these settings.');
  else {
    const signer = await loadSigner(options, book);
    const account = signer?.address ?? options.from;
    if (account === undefined) throw new Error('The account is missing: give --from <address> or --keystore <file>');
    const wallets = options.send && signer !== undefined ? makeWallets(nodes, command.chains, signer) : undefined;
    const asks = command.needsConfirmation === true && options.yes !== true;
    const input: ExecuteInput = {
      calls,
      account,
      clients,
      onLine,
      ...(wallets && { wallets }),
      ...(asks && { confirm: async () => askYesNo(`Send as ${account} on ${book.environment}?`, terminal) }),
    };
    await (command.isWorthHalf ? executeEach(input) : executeTogether(input));
  }
  await command.after?.(bookFile, selectClients(CHAIN_NAMES), onLine);
}

type Node = ReturnType<typeof makeNode>;

function makeNode(chainId: number, url: string) {
  const transport = repeatReads(nodeTransport(url));
  return { client: createPublicClient({ chain: makeChain(chainId, url), transport }), transport };
}

/**
 * Reports all missing options in one error, before reading a key or asking a node. Returns the file of the address
 * book.
 */
function expectOptions(options: SharedOptions, command: CommandRun, { input }: Terminal): string {
  const missing: string[] = [];
  if (options.book === undefined) missing.push('--book <file>, the address book of the deployment');
  const urls = getUrls(options);
  for (const name of command.chains) {
    if (urls[name] === undefined) missing.push(`--${name}-rpc <url>, a node of the ${name} chain`);
  }
  if (options.book === undefined || missing.length > 0) throw new Error(`Missing options: ${missing.join('; ')}`);
  if (command.needsConfirmation && options.send && options.yes !== true && !input.isTTY) {
    throw new Error('There is no terminal for confirming the changes: review them without --send, then add --yes');
  }
  return options.book;
}

/** The clients of the given nodes. Sends no request. */
export function openClients(options: NodeOptions, book: AddressBook): Clients {
  return Object.fromEntries(Object.entries(openNodes(options, book)).map(([name, { client }]) => [name, client]));
}

function openNodes(options: NodeOptions, book: AddressBook): Partial<Record<ChainName, Node>> {
  const urls = getUrls(options);
  const nodes: Partial<Record<ChainName, Node>> = {};
  for (const name of CHAIN_NAMES) {
    const url = urls[name];
    if (url !== undefined) nodes[name] = makeNode(book[name].chainId, url);
  }
  return nodes;
}

function getUrls({ ethereumRpc, partnerRpc }: NodeOptions): Readonly<Record<ChainName, string | undefined>> {
  return { ethereum: ethereumRpc, partner: partnerRpc };
}

function makeWallets(
  nodes: Partial<Record<ChainName, Node>>,
  chains: readonly ChainName[],
  account: NonNullable<Awaited<ReturnType<typeof loadSigner>>>,
): NonNullable<ExecuteInput['wallets']> {
  return Object.fromEntries(
    chains.flatMap((name) => {
      const node = nodes[name];
      if (node === undefined) return [];
      return [[name, createWalletClient({ chain: node.client.chain, transport: node.transport, account })]];
    }),
  );
}

/** A dry run with --from needs no key or password. */
async function loadSigner({ from, send, keystore, passwordFile }: SharedOptions, { environment }: AddressBook) {
  if (!send && from !== undefined) return undefined;
  const bareKey = process.env[KEY_VARIABLE];
  const signer = await readSigner({ environment, keystore, passwordFile, variable: KEY_VARIABLE, bareKey });
  if (!send) return signer;
  if (signer === undefined) {
    const choice =
      environment === 'local' ? `set ${KEY_VARIABLE}, or give --keystore <file>` : 'give --keystore <file>';
    throw new Error(`The key for sending is missing: ${choice}`);
  }
  if (from !== undefined && from !== signer.address)
    throw new Error(`The key belongs to ${signer.address}, not to ${from}`);
  return signer;
}
