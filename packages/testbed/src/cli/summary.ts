import { join } from 'node:path';
import colors from 'picocolors';
import type { StackFile } from '../environment/stack-file.js';

/** A key has 66 characters: with this label and its indent a line has 80 columns at most. */
const LABEL_WIDTH = 11;

/** Describes a running stack in lines of at most 80 columns. */
export function summarize(stack: StackFile, directory: string): string {
  const { ethereum, partner } = stack.addressBook;
  const { alice, bob, auditor, firstOperator, deployer } = stack.accounts;
  return [
    '',
    colors.bold('The bridge runs.'),
    ...section('Services', {
      'REST API': stack.apiUrl,
      Health: stack.healthUrl,
      Console: stack.consoleUrl,
      PostgreSQL: stack.databaseUrl,
    }),
    ...section(`Ethereum (chain ${stack.ethereum.chainId})`, {
      'JSON-RPC': stack.ethereum.rpcUrl,
      BridgeLock: ethereum.bridgeLock,
      USDC: ethereum.tokens.USDC,
      XCN: ethereum.tokens.XCN,
    }),
    ...section(`Partner chain (chain ${stack.partner.chainId}, native coin XCN)`, {
      'JSON-RPC': stack.partner.rpcUrl,
      WebSocket: stack.partner.wsUrl,
      BridgeMint: partner.bridgeMint,
      ETH: partner.tokens.ETH,
      USDC: partner.tokens.USDC,
      Relayer: stack.addressBook.relayer,
    }),
    ...section('Two users with money on both chains (public keys of development nodes)', {
      Alice: alice.address,
      'Her key': alice.privateKey,
      Bob: bob.address,
      'His key': bob.privateKey,
    }),
    ...section('Members of the console: import a key into your wallet (public keys)', {
      Viewer: auditor.privateKey,
      Operator: firstOperator.privateKey,
      Admin: deployer.privateKey,
    }),
    '',
    `Withdrawals are held for ${stack.holdSeconds} s. Everything above is in`,
    `${join(directory, 'stack.json')}; the logs are in ${stack.logs}`,
    'Ctrl-C stops everything; the next run continues from there.',
  ].join('\n');
}

function section(title: string, values: Readonly<Record<string, string>>): string[] {
  const lines = Object.entries(values).map(([label, value]) => `  ${label.padEnd(LABEL_WIDTH)}${value}`);
  return ['', colors.bold(title), ...lines];
}
