import { parseWithUnit } from '../amounts.js';
import { getCoin } from '@causeway/contracts/assets';
import type { ChainName } from '@causeway/contracts/deploy';
import { defineCommand, type AdminCommand, type CommandPlan } from './command.js';
import { collectFees, collectFeesCall, redirectCredit, retire, retireCall, topUp, topUpCall } from '../plans/money.js';
import { account, assetAmount, assetOption, bridgedAssetOption, oneChainOption, value } from './options.js';

/** The commands that move money. */
export const MONEY_COMMANDS: readonly AdminCommand[] = [
  defineCommand({
    name: 'collect-fees',
    description: 'sends the fees of an asset to the treasury',
    role: 'anyone',
    options: { asset: assetOption },
    plan: ({ asset }) => ({
      chains: ['ethereum'],
      plan: async (book, clients) => collectFees(book, asset, clients),
      fromBook: (book) => [collectFeesCall(book, asset)],
    }),
  }),
  defineCommand({
    name: 'retire',
    description: 'burns bridged tokens of the relayer wallet without payment',
    role: 'relayer',
    options: { asset: bridgedAssetOption, amount: assetAmount('amount, such as "1.5 ETH"') },
    plan: planRetirement,
  }),
  defineCommand({
    name: 'retire-of',
    description: 'burns bridged tokens of a former relayer wallet without payment',
    role: 'relayer',
    options: {
      wallet: account('the former relayer wallet'),
      asset: bridgedAssetOption,
      amount: assetAmount('amount, such as "1.5 ETH"'),
    },
    plan: ({ wallet: formerWallet, ...terms }) => planRetirement({ ...terms, formerWallet }),
  }),
  defineCommand({
    name: 'redirect-credit',
    description: 'moves the credit of an account that can never receive',
    role: 'admin',
    options: {
      asset: assetOption,
      chain: oneChainOption,
      account: account('a bridge contract, a listed token or a relayer wallet'),
      to: account('the account that can claim it instead'),
    },
    plan: (terms) => ({
      chains: [terms.chain],
      plan: async (book, clients) => redirectCredit(book, terms, clients),
    }),
  }),
  defineCommand({
    name: 'top-up',
    description: 'adds native coin: ETH to the collateral on ethereum, XCN to the float on partner',
    role: 'anyone',
    options: {
      chain: oneChainOption,
      amount: value('amount', 'amount, such as "5 ETH" or "10000 XCN"', (text, { chain }) => {
        const amount = parseWithUnit(getCoin(chain as ChainName), text);
        if (amount === 0n) throw new Error('must be above zero');
        return amount;
      }),
    },
    plan: (terms) => ({
      chains: [terms.chain],
      plan: async (book, clients) => topUp(book, terms, clients),
      fromBook: (book) => [topUpCall(book, terms)],
    }),
  }),
];

function planRetirement(terms: Parameters<typeof retireCall>[1]): CommandPlan {
  return {
    chains: ['partner'],
    plan: async (book, clients) => retire(book, terms, clients),
    fromBook: (book) => [retireCall(book, terms)],
  };
}
