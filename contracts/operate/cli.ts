import { Command, InvalidArgumentError, Option } from 'commander';
import { getAddress, isAddress, type Address } from 'viem';
import { failPlainly } from '../deploy/fail-plainly.js';
import { collectFees } from './calls/collect-fees.js';
import { pause } from './calls/pause.js';
import { retire } from './calls/retire.js';
import { retireOf } from './calls/retire-of.js';
import { rotateRelayer } from './calls/rotate-relayer.js';
import { setFeePolicy } from './calls/set-fee-policy.js';
import { setOutflowLimit } from './calls/set-outflow-limit.js';
import { unpause } from './calls/unpause.js';
import { CHAIN_NAMES, type ChainName } from './chain-name.js';
import type { Direction } from './direction.js';
import { recordRelayer } from './record-relayer.js';
import { runCommand, type SharedOptions } from './run-command.js';
import type { OperatedAsset } from './token-of.js';

interface OfChain extends SharedOptions {
  chain: ChainName | 'both';
}

const asset = new Option('--asset <asset>', 'asset').choices(['ETH', 'USDC', 'XCN']).makeOptionMandatory();
const bridged = new Option('--asset <asset>', 'bridged token').choices(['ETH', 'USDC']).makeOptionMandatory();
const direction = new Option('--direction <direction>', 'direction')
  .choices(['ethereum-to-partner', 'partner-to-ethereum', 'both'])
  .makeOptionMandatory();
const chain = new Option('--chain <chain>', 'the chain whose end is meant; only its node is needed')
  .choices([...CHAIN_NAMES, 'both'])
  .default('both');

const program = new Command('operate').description(
  'Changes a bridge as its operators may. Shows the decoded calls, and sends nothing without --send.',
);

command('rotate-relayer', 'replaces the relayer on both chains, and in the address book (admin)')
  .requiredOption('--to <address>', 'the new relayer wallet', addressOf)
  .addOption(chain)
  .action(async (options: OfChain & { to: Address }) => {
    await runCommand(options, {
      chains: chosen(options.chain),
      plan: async (book, clients) => rotateRelayer(book, options.to, clients),
      // Asks both ends, also when one of them was meant: that one may have been the last.
      after: async (clients, onLine) =>
        recordRelayer({ bookFile: options.book, newRelayer: options.to, clients, writes: options.send, onLine }),
    });
  });
command('set-policy', 'sets the fee of withdrawals (policy manager)')
  .addOption(asset)
  .requiredOption('--bps <number>', 'rate in basis points', atomic)
  .requiredOption('--min-fee <units>', 'least fee in atomic units', atomic)
  .requiredOption('--min-amount <units>', 'least amount in atomic units', atomic)
  .action(async (options: SharedOptions & { asset: OperatedAsset; bps: bigint; minFee: bigint; minAmount: bigint }) => {
    const { bps, minFee, minAmount } = options;
    const terms = { bps: Number(bps), minFee, minAmount };
    await runCommand(options, { chains: ['partner'], plan: (book) => setFeePolicy(book, options.asset, terms) });
  });
command('set-limit', 'sets how fast an asset may leave a chain (policy manager)')
  .addOption(asset)
  .addOption(new Option('--chain <chain>', 'chain').choices(CHAIN_NAMES).makeOptionMandatory())
  .requiredOption('--capacity <units>', 'atomic units that may leave at once', atomic)
  .requiredOption('--window <seconds>', 'seconds in which that refills', atomic)
  .action(
    async (options: SharedOptions & { asset: OperatedAsset; chain: ChainName; capacity: bigint; window: bigint }) => {
      const terms = { capacity: options.capacity, windowSeconds: Number(options.window) };
      const plan = (book: Parameters<typeof setOutflowLimit>[0]) =>
        setOutflowLimit(book, options.chain, options.asset, terms);
      await runCommand(options, { chains: [options.chain], plan });
    },
  );
command('pause', 'stops a direction on both chains, or on those where it can be done (guardian)')
  .addOption(direction)
  .addOption(chain)
  .action(async (options: OfChain & { direction: Direction }) =>
    runCommand(options, {
      chains: chosen(options.chain),
      plan: (book) => pause(book, options.direction),
      isWorthHalf: true,
    }),
  );
command('unpause', 'lets a direction run again on both chains (admin)')
  .addOption(direction)
  .addOption(chain)
  .action(async (options: OfChain & { direction: Direction }) =>
    runCommand(options, {
      chains: chosen(options.chain),
      plan: async (book, clients) => unpause(book, options.direction, clients),
    }),
  );
command('collect-fees', 'sends the fees of an asset to the treasury (anyone)')
  .addOption(asset)
  .action(async (options: SharedOptions & { asset: OperatedAsset }) =>
    runCommand(options, { chains: ['ethereum'], plan: (book) => collectFees(book, options.asset) }),
  );
command('retire', 'burns bridged tokens of the relayer wallet, unpaid (relayer)')
  .addOption(bridged)
  .requiredOption('--amount <units>', 'atomic units', atomic)
  .action(async (options: SharedOptions & { asset: 'ETH' | 'USDC'; amount: bigint }) =>
    runCommand(options, { chains: ['partner'], plan: (book) => retire(book, options.asset, options.amount) }),
  );
command('retire-of', 'burns bridged tokens of a former relayer wallet, unpaid (relayer)')
  .requiredOption('--wallet <address>', 'the former relayer wallet', addressOf)
  .addOption(bridged)
  .requiredOption('--amount <units>', 'atomic units', atomic)
  .action(async (options: SharedOptions & { wallet: Address; asset: 'ETH' | 'USDC'; amount: bigint }) =>
    runCommand(options, {
      chains: ['partner'],
      plan: (book) => retireOf(book, options.wallet, options.asset, options.amount),
    }),
  );

await program.parseAsync().catch(failPlainly);

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption('--book <file>', 'address book, JSON')
    .option('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
    .option('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node')
    .option('--from <address>', 'whose calls a dry run tries, without a key', addressOf)
    .option('--send', 'send the calls', false)
    .option('--keystore <file>', 'encrypted key that signs (Web3 Secret Storage); locally also OPERATOR_PRIVATE_KEY')
    .option('--password-file <file>', 'file with its password (default: asks)');
}

function chosen(choice: ChainName | 'both'): readonly ChainName[] {
  return choice === 'both' ? CHAIN_NAMES : [choice];
}

function atomic(text: string): bigint {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError(`${text} is not a number of units`);
  return BigInt(text);
}

function addressOf(text: string): Address {
  if (!isAddress(text)) throw new InvalidArgumentError('It must be an address.');
  return getAddress(text);
}
