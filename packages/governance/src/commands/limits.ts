import { parseDuration, parseRate } from '../amounts.js';
import { defineCommand, type AdminCommand } from './command.js';
import { feePolicyCall, setFeeCeiling, setFeePolicy } from '../plans/fees.js';
import { maxAmountCall, outflowLimitCall, setLimitCeiling, setMaxAmount, setOutflowLimit } from '../plans/limits.js';
import { assetAmount, assetOption, oneChainOption, value } from './options.js';

const rate = (description: string) => value('rate', description, parseRate);
const duration = (description: string) => value('duration', description, parseDuration);

/** The commands that set limits and fees, and their ceilings. */
export const LIMIT_COMMANDS: readonly AdminCommand[] = [
  defineCommand({
    name: 'set-policy',
    description: 'sets the fee of withdrawals',
    role: 'policy manager',
    options: {
      asset: assetOption,
      rate: rate('rate, such as 0.25% or 25bps'),
      'min-fee': assetAmount('minimum fee, such as "0.003 ETH"'),
      'min-amount': assetAmount('minimum amount of a withdrawal, such as "0.01 ETH"'),
    },
    plan: ({ asset, rate: bps, ...amounts }) => {
      const policy = { bps, minFee: amounts['min-fee'], minAmount: amounts['min-amount'] };
      return {
        chains: ['partner'],
        plan: async (book, clients) => setFeePolicy(book, asset, policy, clients),
        fromBook: (book) => [feePolicyCall(book, asset, policy)],
      };
    },
  }),
  defineCommand({
    name: 'set-fee-ceiling',
    description: 'bounds the fee of withdrawals; lowers a higher fee to the bound',
    role: 'admin',
    options: {
      asset: assetOption,
      rate: rate('highest rate, such as 1% or 100bps'),
      'min-fee': assetAmount('highest minimum fee, such as "0.01 ETH"'),
      'min-amount': assetAmount('highest minimum amount of a withdrawal, such as "0.05 ETH"'),
    },
    plan: ({ asset, rate: bps, ...amounts }) => ({
      chains: ['partner'],
      plan: async (book, clients) =>
        setFeeCeiling(book, asset, { bps, minFee: amounts['min-fee'], minAmount: amounts['min-amount'] }, clients),
    }),
  }),
  defineCommand({
    name: 'set-limit',
    description: 'sets how fast an asset may leave a chain',
    role: 'policy manager',
    options: {
      asset: assetOption,
      chain: oneChainOption,
      capacity: assetAmount('how much can leave at once, such as "100 ETH"'),
      window: duration('time in which a used-up capacity refills, in whole minutes, such as 1h'),
    },
    plan: ({ capacity, window: windowSeconds, ...listing }) => ({
      chains: [listing.chain],
      plan: async (book, _, named) => setOutflowLimit(book, listing, { capacity, windowSeconds }, named),
      fromBook: (book) => [outflowLimitCall(book, listing, { capacity, windowSeconds })],
    }),
  }),
  defineCommand({
    name: 'set-max-amount',
    description: 'sets the largest operation that may begin on a chain',
    role: 'policy manager',
    options: {
      asset: assetOption,
      chain: oneChainOption,
      amount: assetAmount('largest amount, such as "50 ETH"'),
    },
    plan: ({ amount, ...listing }) => ({
      chains: [listing.chain],
      plan: async (book, _, named) => setMaxAmount(book, listing, amount, named),
      fromBook: (book) => [maxAmountCall(book, listing, amount)],
    }),
  }),
  defineCommand({
    name: 'set-limit-ceiling',
    description: 'bounds the limits of an asset; moves limits outside the bounds to them',
    role: 'admin',
    options: {
      asset: assetOption,
      chain: oneChainOption,
      capacity: assetAmount('highest capacity, such as "200 ETH"'),
      window: duration('shortest window, in whole minutes, such as 30m'),
      'max-amount': assetAmount('highest maximum of an operation, such as "100 ETH"'),
    },
    plan: ({ asset, chain, capacity, window: windowSeconds, ...rest }) => ({
      chains: [chain],
      plan: async (book, _, named) => {
        const ceiling = { capacity, windowSeconds, maxAmount: rest['max-amount'] };
        return setLimitCeiling(book, { asset, chain }, ceiling, named);
      },
    }),
  }),
];
