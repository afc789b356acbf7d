import type { Command } from 'commander';
import { parseAmount, parseDuration, parseRate, type Asset } from '../../cli/amounts.js';
import type { ChainName } from '../../deploy/chains.js';
import { setFeeCeiling, setFeePolicy } from '../fees.js';
import { setLimitCeiling, setMaxAmount, setOutflowLimit } from '../limits.js';
import { runCommand, type SharedOptions } from '../run-command.js';
import { addConfirmed, assetOption, oneChainOption } from './options.js';

interface FeeOptions extends SharedOptions {
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

/** Adds the commands that set limits and fees, and their ceilings. */
export function addLimitCommands(program: Command): void {
  addConfirmed(program, 'set-policy', 'sets the fee of withdrawals (policy manager)')
    .addOption(assetOption)
    .requiredOption('--rate <rate>', 'rate, such as 0.25% or 25bps')
    .requiredOption('--min-fee <amount>', 'least fee, such as "0.003 ETH"')
    .requiredOption('--min-amount <amount>', 'least amount of a withdrawal, such as "0.01 ETH"')
    .action(async (options: FeeOptions) => {
      const policy = policyOf(options);
      await runCommand(options, {
        chains: ['partner'],
        plan: async (book, clients) => setFeePolicy(book, options.asset, policy, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'set-fee-ceiling', 'bounds the fee of withdrawals; a higher fee falls to it (admin)')
    .addOption(assetOption)
    .requiredOption('--rate <rate>', 'highest rate, such as 1% or 100bps')
    .requiredOption('--min-fee <amount>', 'highest least fee, such as "0.01 ETH"')
    .requiredOption('--min-amount <amount>', 'highest least amount of a withdrawal, such as "0.05 ETH"')
    .action(async (options: FeeOptions) => {
      const ceiling = policyOf(options);
      await runCommand(options, {
        chains: ['partner'],
        plan: async (book, clients) => setFeeCeiling(book, options.asset, ceiling, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'set-limit', 'sets how fast an asset may leave a chain (policy manager)')
    .addOption(assetOption)
    .addOption(oneChainOption)
    .requiredOption('--capacity <amount>', 'how much may leave in one moment, such as "100 ETH"')
    .requiredOption('--window <duration>', 'time in which a used-up capacity refills, whole minutes, such as 1h')
    .action(async (options: LimitOptions) => {
      const limit = limitOf(options);
      await runCommand(options, {
        chains: [options.chain],
        plan: async (book, _, named) => setOutflowLimit(book, options, limit, named),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'set-max-amount', 'sets the largest operation that may begin on a chain (policy manager)')
    .addOption(assetOption)
    .addOption(oneChainOption)
    .requiredOption('--amount <amount>', 'largest amount, such as "50 ETH"')
    .action(async (options: SharedOptions & { asset: Asset; chain: ChainName; amount: string }) => {
      const amount = parseAmount(options.amount, options.asset);
      await runCommand(options, {
        chains: [options.chain],
        plan: async (book, _, named) => setMaxAmount(book, options, amount, named),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'set-limit-ceiling', 'bounds the limits of an asset; those beyond move to it (admin)')
    .addOption(assetOption)
    .addOption(oneChainOption)
    .requiredOption('--capacity <amount>', 'highest capacity, such as "200 ETH"')
    .requiredOption('--window <duration>', 'shortest window, whole minutes, such as 30m')
    .requiredOption('--max-amount <amount>', 'highest maximum of an operation, such as "100 ETH"')
    .action(async (options: LimitOptions & { maxAmount: string }) => {
      const ceiling = { ...limitOf(options), maxAmount: parseAmount(options.maxAmount, options.asset) };
      await runCommand(options, {
        chains: [options.chain],
        plan: async (book, _, named) => setLimitCeiling(book, options, ceiling, named),
        needsConfirmation: true,
      });
    });
}

function policyOf({ asset, rate, minFee, minAmount }: FeeOptions) {
  return { bps: parseRate(rate), minFee: parseAmount(minFee, asset), minAmount: parseAmount(minAmount, asset) };
}

function limitOf({ asset, capacity, window }: LimitOptions) {
  return { capacity: parseAmount(capacity, asset), windowSeconds: parseDuration(window) };
}
