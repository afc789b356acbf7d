import { Command, Option } from 'commander';
import { createPublicClient, createWalletClient, getAddress, http, isAddress, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { readAddressBook } from '../deploy/address-book-file.js';
import { chainOf } from '../deploy/chain-of.js';
import { collectFees } from './calls/collect-fees.js';
import { pause } from './calls/pause.js';
import { rotateRelayer } from './calls/rotate-relayer.js';
import { setFeePolicy } from './calls/set-fee-policy.js';
import { setOutflowLimit } from './calls/set-outflow-limit.js';
import { unpause } from './calls/unpause.js';
import type { Direction } from './direction.js';
import { operate, type OperateInput } from './operate.js';
import type { OperatedAsset } from './token-of.js';

interface Shared {
  book: string;
  ethereumRpc: string;
  partnerRpc: string;
  from?: string;
  send: boolean;
}

const asset = new Option('--asset <asset>', 'asset').choices(['ETH', 'USDC', 'XCN']).makeOptionMandatory();
const direction = new Option('--direction <direction>', 'direction')
  .choices(['ethereum-to-partner', 'partner-to-ethereum', 'both'])
  .makeOptionMandatory();

const program = new Command('operate').description(
  'Changes a bridge as its operators may. Shows the decoded calls, and sends nothing without --send.',
);

command('rotate-relayer', 'replaces the relayer on both chains (admin)')
  .requiredOption('--to <address>', 'the new relayer wallet')
  .action(async (options: Shared & { to: string }) => {
    if (!isAddress(options.to)) throw new Error(`--to must be an address, not ${options.to}`);
    await run(options, (book) => rotateRelayer(book, getAddress(options.to)));
  });
command('set-policy', 'sets the fee of withdrawals (policy manager)')
  .addOption(asset)
  .requiredOption('--bps <number>', 'rate in basis points', atomic)
  .requiredOption('--min-fee <units>', 'least fee in atomic units', atomic)
  .requiredOption('--min-amount <units>', 'least amount in atomic units', atomic)
  .action(async (options: Shared & { asset: OperatedAsset; bps: bigint; minFee: bigint; minAmount: bigint }) => {
    const { bps, minFee, minAmount } = options;
    await run(options, (book) => setFeePolicy(book, options.asset, { bps: Number(bps), minFee, minAmount }));
  });
command('set-limit', 'sets how fast an asset may leave a chain (policy manager)')
  .addOption(asset)
  .addOption(new Option('--chain <chain>', 'chain').choices(['ethereum', 'partner']).makeOptionMandatory())
  .requiredOption('--capacity <units>', 'atomic units that may leave at once', atomic)
  .requiredOption('--window <seconds>', 'seconds in which that refills', atomic)
  .action(
    async (
      options: Shared & { asset: OperatedAsset; chain: 'ethereum' | 'partner'; capacity: bigint; window: bigint },
    ) => {
      const terms = { capacity: options.capacity, windowSeconds: Number(options.window) };
      await run(options, (book) => setOutflowLimit(book, options.chain, options.asset, terms));
    },
  );
command('pause', 'stops a direction on both chains (guardian)')
  .addOption(direction)
  .action(async (options: Shared & { direction: Direction }) => run(options, (book) => pause(book, options.direction)));
command('unpause', 'lets a direction run again on both chains (admin)')
  .addOption(direction)
  .action(async (options: Shared & { direction: Direction }) =>
    run(options, async (book, clients) => unpause(book, options.direction, clients)),
  );
command('collect-fees', 'sends the fees of an asset to the treasury (anyone)')
  .addOption(asset)
  .action(async (options: Shared & { asset: OperatedAsset }) =>
    run(options, (book) => collectFees(book, options.asset)),
  );

await program.parseAsync();

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption('--book <file>', 'address book, JSON')
    .requiredOption('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
    .requiredOption('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node')
    .option('--from <address>', 'whose calls a dry run tries, without a key')
    .option('--send', 'send the calls; OPERATOR_PRIVATE_KEY signs', false);
}

async function run(
  options: Shared,
  plan: (
    book: ReturnType<typeof readAddressBook>,
    clients: OperateInput['clients'],
  ) => OperateInput['calls'] | Promise<OperateInput['calls']>,
): Promise<void> {
  const book = readAddressBook(options.book);
  const chains = {
    ethereum: chainOf(book.ethereum.chainId, options.ethereumRpc),
    partner: chainOf(book.partner.chainId, options.partnerRpc),
  };
  const [ethereum, partner] = [http(options.ethereumRpc), http(options.partnerRpc)];
  const clients = {
    ethereum: createPublicClient({ chain: chains.ethereum, transport: ethereum }),
    partner: createPublicClient({ chain: chains.partner, transport: partner }),
  };
  for (const side of ['ethereum', 'partner'] as const) {
    const id = await clients[side].getChainId();
    if (id !== chains[side].id) throw new Error(`The ${side} node is on chain ${id}, the book on ${chains[side].id}`);
  }
  const key = process.env['OPERATOR_PRIVATE_KEY'];
  const signer = key === undefined ? undefined : privateKeyToAccount(key as Hex);
  if (options.send && signer === undefined) throw new Error('OPERATOR_PRIVATE_KEY must be set to send');
  const account = signer?.address ?? options.from;
  if (account === undefined || !isAddress(account))
    throw new Error('Name an account by --from or OPERATOR_PRIVATE_KEY');
  const wallets =
    options.send && signer !== undefined
      ? {
          ethereum: createWalletClient({ chain: chains.ethereum, transport: ethereum, account: signer }),
          partner: createWalletClient({ chain: chains.partner, transport: partner, account: signer }),
        }
      : undefined;
  const onLine = (line: string) => process.stdout.write(`${line}\n`);
  const calls = await plan(book, clients);
  await operate({ calls, account, clients, onLine, ...(wallets && { wallets }) });
}

function atomic(text: string): bigint {
  if (!/^\d+$/.test(text)) throw new Error(`${text} is not a number of units`);
  return BigInt(text);
}
