import { PREDEPLOYS, type GenesisInput } from '@causeway/partner-chain';
import { parseEther } from 'viem';
import type { TestAccounts } from './test-accounts.js';

/** The relayer's float of native XCN: what it pays deposits of XCN from. */
const FLOAT = parseEther('100000000');
const POCKET_MONEY = parseEther('1000000');

/** What the partner chain of a test world begins with. */
export function partnerGenesis(accounts: TestAccounts): GenesisInput {
  const balances = Object.entries(accounts).map(([name, { address }]) => {
    const balance = name === 'relayer' ? FLOAT : POCKET_MONEY;
    return [address, { balance: balance.toString() }] as const;
  });
  return { alloc: { ...PREDEPLOYS, ...Object.fromEntries(balances) } };
}
