import { join } from 'node:path';
import Table from 'cli-table3';
import colors from 'picocolors';
import type { StackFile } from '../world/stack-file.js';

/** What a person needs to know of a running stack. */
export function summarize(stack: StackFile, directory: string): string {
  const table = new Table({ style: { head: [], border: [] } });
  const { ethereum, partner } = stack.addressBook;
  table.push(
    ['REST API', stack.apiUrl],
    ['Health', stack.healthUrl],
    [`Ethereum (chain ${stack.ethereum.chainId})`, stack.ethereum.rpcUrl],
    [`Partner chain (${stack.partner.chainId})`, `${stack.partner.rpcUrl}\n${stack.partner.wsUrl}`],
    ['PostgreSQL', stack.databaseUrl],
    ['BridgeLock', ethereum.bridgeLock],
    ['USDC, XCN on Ethereum', `${ethereum.tokens.USDC}\n${ethereum.tokens.XCN}`],
    ['BridgeMint', partner.bridgeMint],
    ['ETH, USDC on the partner chain', `${partner.tokens.ETH}\n${partner.tokens.USDC}`],
    ['Relayer wallet', stack.addressBook.relayer],
    ['Alice (funded)', `${stack.accounts.alice.address}\n${stack.accounts.alice.privateKey}`],
    ['Bob (funded)', `${stack.accounts.bob.address}\n${stack.accounts.bob.privateKey}`],
    ['Hold of withdrawals', `${stack.holdSeconds} s`],
  );
  return [
    '',
    colors.bold('The bridge runs.'),
    table.toString(),
    `All of this as JSON: ${join(directory, 'stack.json')}; logs: ${stack.logs}`,
    'The keys are those of development nodes and known to everybody. Ctrl-C stops everything.',
  ].join('\n');
}
