import { Command, InvalidArgumentError, Option } from 'commander';
import { getAddress, isAddress, type Address } from 'viem';
import { CHAIN_NAMES, type ChainName } from '../deploy/chains.js';
import { reportFailure } from '../deploy/terminal.js';
import { parseAmount, parseDuration, parseRate, type Asset } from './amounts.js';
import { collectFees, retire, type AdminCall, type PlannedCalls } from './calls.js';
import { pause, unpause, type Direction } from './pauses.js';
import { recordRelayer, rotateRelayer } from './relayer.js';
import { KEY_VARIABLE, runCommand, type SharedOptions } from './run-command.js';
import { setFeePolicy, setOutflowLimit } from './settings.js';

interface ChainOptions extends SharedOptions {
  readonly chain: ChainName | 'both';
}
interface PolicyOptions extends SharedOptions {
  readonly asset: Asset;
  readonly rate: string;
  readonly minFee: string;
  readonly minAmount: string;
}
interface LimitOptions extends SharedOptions {
  readonly asset: Asset;
  readonly chain: ChainName;
  readonly capacity: string;
  readonly window: string;
}
interface RetireOptions extends SharedOptions {
  readonly asset: 'ETH' | 'USDC';
  readonly amount: string;
  readonly wallet?: Address;
}

const asset = new Option('--asset <asset>', 'asset').choices(['ETH', 'USDC', 'XCN']).makeOptionMandatory();
const bridgedAsset = new Option('--asset <asset>', 'bridged token').choices(['ETH', 'USDC']).makeOptionMandatory();
const direction = new Option('--direction <direction>', 'direction')
  .choices(['ethereum-to-partner', 'partner-to-ethereum', 'both'])
  .makeOptionMandatory();
const oneChain = new Option('--chain <chain>', 'chain').choices(CHAIN_NAMES).makeOptionMandatory();
const chain = new Option('--chain <chain>', 'the chain to act on; only its node is needed')
  .choices([...CHAIN_NAMES, 'both'])
  .default('both');

const program = new Command('admin').description(
  'Changes the settings of a bridge and moves its fees. Shows the decoded calls, and sends nothing without --send.',
);

command('rotate-relayer', 'replaces the relayer on both chains, and in the address book (admin)')
  .requiredOption('--to <address>', 'the new relayer wallet', addressOf)
  .addOption(chain)
  .action(async (options: ChainOptions & { to: Address }) => {
    await runCommand(options, {
      chains: chosen(options.chain),
      plan: async (book, clients) => withoutChanges(await rotateRelayer(book, options.to, clients)),
      // Reads both contracts, even if one chain was chosen: that one may have been the last.
      after: async (bookFile, clients, onLine) =>
        recordRelayer({ bookFile, newRelayer: options.to, clients, writes: options.send, onLine }),
    });
  });
confirmed('set-policy', 'sets the fee of withdrawals (policy manager)')
  .addOption(asset)
  .requiredOption('--rate <rate>', 'rate, such as 0.25% or 25bps')
  .requiredOption('--min-fee <amount>', 'least fee, such as "0.003 ETH"')
  .requiredOption('--min-amount <amount>', 'least amount of a withdrawal, such as "0.01 ETH"')
  .action(async (options: PolicyOptions) => {
    const policy = {
      bps: parseRate(options.rate),
      minFee: parseAmount(options.minFee, options.asset),
      minAmount: parseAmount(options.minAmount, options.asset),
    };
    await runCommand(options, {
      chains: ['partner'],
      plan: async (book, clients) => setFeePolicy(book, options.asset, policy, clients),
      needsConfirmation: true,
    });
  });
confirmed('set-limit', 'sets how fast an asset may leave a chain (policy manager)')
  .addOption(asset)
  .addOption(oneChain)
  .requiredOption('--capacity <amount>', 'how much may leave within the window, such as "100 ETH"')
  .requiredOption('--window <duration>', 'time in which a used-up capacity refills, such as 1h')
  .action(async (options: LimitOptions) => {
    const limit = {
      capacity: parseAmount(options.capacity, options.asset),
      windowSeconds: parseDuration(options.window),
    };
    await runCommand(options, {
      chains: [options.chain],
      plan: async (book, clients) => setOutflowLimit(book, options, limit, clients),
      needsConfirmation: true,
    });
  });
command('pause', 'stops a direction on both chains, or where it can be done (guardian)')
  .addOption(direction)
  .addOption(chain)
  .action(async (options: ChainOptions & { direction: Direction }) => {
    await runCommand(options, {
      chains: chosen(options.chain),
      plan: (book) => withoutChanges(pause(book, options.direction)),
      isWorthHalf: true,
    });
  });
command('unpause', 'lifts the pause of a direction on both chains (admin)')
  .addOption(direction)
  .addOption(chain)
  .action(async (options: ChainOptions & { direction: Direction }) => {
    await runCommand(options, {
      chains: chosen(options.chain),
      plan: async (book, clients) => withoutChanges(await unpause(book, options.direction, clients)),
    });
  });
confirmed('collect-fees', 'sends the fees of an asset to the treasury (anyone)')
  .addOption(asset)
  .action(async (options: SharedOptions & { asset: Asset }) => {
    await runCommand(options, {
      chains: ['ethereum'],
      plan: async (book, clients) => collectFees(book, options.asset, clients),
      needsConfirmation: true,
    });
  });
confirmed('retire', 'burns bridged tokens of the relayer wallet, unpaid (relayer)')
  .addOption(bridgedAsset)
  .requiredOption('--amount <amount>', 'amount, such as "1.5 ETH"')
  .action(retireAmount);
confirmed('retire-of', 'burns bridged tokens of a former relayer wallet, unpaid (relayer)')
  .requiredOption('--wallet <address>', 'the former relayer wallet', addressOf)
  .addOption(bridgedAsset)
  .requiredOption('--amount <amount>', 'amount, such as "1.5 ETH"')
  .action(retireAmount);

await program.parseAsync().catch(reportFailure);

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--book <file>', 'address book of the deployment, JSON (required)')
    .option('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
    .option('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node')
    .option('--from <address>', 'account for a dry run without a key', addressOf)
    .option('--send', 'send the calls', false)
    .option('--keystore <file>', `encrypted key that signs (Web3 Secret Storage); locally also ${KEY_VARIABLE}`)
    .option('--password-file <file>', 'file with its password (default: asks)');
}

/** A command that sets or moves amounts: it asks before it sends. */
function confirmed(name: string, description: string): Command {
  return command(name, description).option('--yes', 'send without asking', false);
}

async function retireAmount(options: RetireOptions): Promise<void> {
  const { asset: retired, wallet } = options;
  const terms = {
    asset: retired,
    amount: parseAmount(options.amount, retired),
    ...(wallet !== undefined && { formerWallet: wallet }),
  };
  await runCommand(options, {
    chains: ['partner'],
    plan: async (book, clients) => retire(book, terms, clients),
    needsConfirmation: true,
  });
}

/** These calls change switches, not amounts: their decoded arguments say everything. */
function withoutChanges(calls: readonly AdminCall[]): PlannedCalls {
  return { calls, changes: [] };
}

function chosen(choice: ChainName | 'both'): readonly ChainName[] {
  return choice === 'both' ? CHAIN_NAMES : [choice];
}

function addressOf(text: string): Address {
  if (!isAddress(text)) throw new InvalidArgumentError('It must be an address.');
  return getAddress(text);
}
