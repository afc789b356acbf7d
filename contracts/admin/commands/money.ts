import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Address } from 'viem';
import { parseAmount, type Asset } from '../../cli/amounts.js';
import { parseAddress } from '../../cli/terminal.js';
import type { ChainName } from '../../deploy/chains.js';
import { collectFees, redirectCredit, retire, topUp } from '../money.js';
import { runCommand, type SharedOptions } from '../run-command.js';
import { addConfirmed, assetOption, oneChainOption } from './options.js';

interface RetireOptions extends SharedOptions {
  readonly asset: 'ETH' | 'USDC';
  readonly amount: string;
  readonly wallet?: Address;
}

const bridgedAsset = new Option('--asset <asset>', 'bridged token').choices(['ETH', 'USDC']).makeOptionMandatory();

/** Adds the commands that move money. */
export function addMoneyCommands(program: Command): void {
  addConfirmed(program, 'collect-fees', 'sends the fees of an asset to the treasury (anyone)')
    .addOption(assetOption)
    .action(async (options: SharedOptions & { asset: Asset }) => {
      await runCommand(options, {
        chains: ['ethereum'],
        plan: async (book, clients) => collectFees(book, options.asset, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'retire', 'burns bridged tokens of the relayer wallet, unpaid (relayer)')
    .addOption(bridgedAsset)
    .requiredOption('--amount <amount>', 'amount, such as "1.5 ETH"')
    .action(retireAmount);
  addConfirmed(program, 'retire-of', 'burns bridged tokens of a former relayer wallet, unpaid (relayer)')
    .requiredOption('--wallet <address>', 'the former relayer wallet', parseAddress)
    .addOption(bridgedAsset)
    .requiredOption('--amount <amount>', 'amount, such as "1.5 ETH"')
    .action(retireAmount);
  addConfirmed(program, 'redirect-credit', 'moves the credit of an account that can never receive (admin)')
    .addOption(assetOption)
    .addOption(oneChainOption)
    .requiredOption('--account <address>', 'a bridge contract, a listed token or a relayer wallet', parseAddress)
    .requiredOption('--to <address>', 'the account that may claim it instead', parseAddress)
    .action(async (options: SharedOptions & { asset: Asset; chain: ChainName; account: Address; to: Address }) => {
      await runCommand(options, {
        chains: [options.chain],
        plan: async (book, clients) => redirectCredit(book, options, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'top-up', 'adds coin: ETH to the collateral on Ethereum, XCN to the float on partner (anyone)')
    .addOption(oneChainOption)
    .requiredOption('--amount <amount>', 'amount, such as "5 ETH" or "10000 XCN"')
    .action(async (options: SharedOptions & { chain: ChainName; amount: string }) => {
      const { chain } = options;
      const amount = parseAmount(options.amount, chain === 'ethereum' ? 'ETH' : 'XCN');
      if (amount === 0n) throw new InvalidArgumentError('The amount must be above zero.');
      await runCommand(options, {
        chains: [chain],
        plan: async (book, clients) => topUp(book, { chain, amount }, clients),
        needsConfirmation: true,
      });
    });
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
