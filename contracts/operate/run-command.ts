import { createPublicClient, createWalletClient, http, type Address } from 'viem';
import type { AddressBook } from '../deploy/address-book.js';
import { readAddressBook } from '../deploy/address-book-file.js';
import { chainOf } from '../deploy/chain-of.js';
import { readSigner } from '../deploy/signer/read-signer.js';
import { CHAIN_NAMES, type ChainName } from './chain-name.js';
import { operate } from './operate.js';
import { operateEach } from './operate-each.js';
import type { OperateInput } from './operate-input.js';
import type { OperatorCall } from './operator-call.js';

type Clients = OperateInput['clients'];

/** What every command is told. */
export interface SharedOptions {
  readonly book: string;
  readonly ethereumRpc?: string;
  readonly partnerRpc?: string;
  readonly from?: Address;
  readonly send: boolean;
  readonly keystore?: string;
  readonly passwordFile?: string;
}

/** What a command does. */
export interface CommandPlan {
  /** Where; only the nodes of these chains are needed. */
  readonly chains: readonly ChainName[];
  /** Works its calls out; calls to other chains are left out. */
  readonly plan: (book: AddressBook, clients: Clients) => readonly OperatorCall[] | Promise<readonly OperatorCall[]>;
  /** Whether to make one call when the other cannot be made. */
  readonly isWorthHalf?: boolean;
  /** Comes last, with all nodes that were named. */
  readonly after?: (clients: Clients, onLine: (line: string) => void) => Promise<void>;
}

/**
 * Runs a command of an operator: reads book and key, works the calls out, shows and tries them, and sends them with --send.
 *
 * @throws Error that says what is missing, or what could not be done.
 */
export async function runCommand(options: SharedOptions, command: CommandPlan): Promise<void> {
  const onLine = (line: string) => void process.stdout.write(`${line}\n`);
  const book = readAddressBook(options.book);
  const urls = { ethereum: options.ethereumRpc, partner: options.partnerRpc };
  const named: Partial<Record<ChainName, Node>> = {};
  for (const name of CHAIN_NAMES) {
    const url = urls[name];
    if (url !== undefined) named[name] = nodeOf(book[name].chainId, url);
    else if (command.chains.includes(name)) throw new Error(`--${name}-rpc must name a node of the chain ${name}`);
  }
  const clientsOf = (names: readonly ChainName[]): Clients =>
    Object.fromEntries(names.map((name) => [name, named[name]?.client]));
  const clients = clientsOf(command.chains);
  const calls = (await command.plan(book, clients)).filter((call) => command.chains.includes(call.chain));
  if (calls.length === 0) onLine('Nothing is to be sent: the contracts have it so already.');
  else {
    const signer = await signerOf(options, book);
    const account = signer?.address ?? options.from;
    if (account === undefined) throw new Error('Name an account by --from, or a key by --keystore');
    const walletOf = ({ client, transport }: Node, by: NonNullable<typeof signer>) =>
      createWalletClient({ chain: client.chain, transport, account: by });
    const wallets =
      options.send && signer !== undefined
        ? Object.fromEntries(
            command.chains.flatMap((name) => {
              const node = named[name];
              return node === undefined ? [] : [[name, walletOf(node, signer)]];
            }),
          )
        : undefined;
    const input = { calls, account, clients, onLine, ...(wallets && { wallets }) };
    await (command.isWorthHalf ? operateEach(input) : operate(input));
  }
  await command.after?.(clientsOf(CHAIN_NAMES), onLine);
}

type Node = ReturnType<typeof nodeOf>;

function nodeOf(chainId: number, url: string) {
  const transport = http(url);
  return { client: createPublicClient({ chain: chainOf(chainId, url), transport }), transport };
}

/** A dry run by --from needs no key, and so asks for no password. */
async function signerOf({ from, send, keystore, passwordFile }: SharedOptions, { environment }: AddressBook) {
  if (!send && from !== undefined) return undefined;
  const variable = 'OPERATOR_PRIVATE_KEY';
  const bareKey = process.env[variable];
  const signer = await readSigner({ environment, keystore, passwordFile, variable, bareKey });
  if (!send) return signer;
  const missing = environment === 'local' ? `${variable} must be set to send, or --keystore given` : undefined;
  if (signer === undefined) throw new Error(missing ?? '--keystore must be given to send');
  if (from !== undefined && from !== signer.address) throw new Error(`The key is of ${signer.address}, not of ${from}`);
  return signer;
}
