import { join } from 'node:path';
import colors from 'picocolors';
import { USUAL_PORTS } from '../environment/reserved-ports.js';
import type { StackFile } from '../environment/stack-file.js';

/** With this label and an indent, a key of 66 characters fits in 80 columns. */
const LABEL_WIDTH = 11;

/** Describes a running stack in lines of at most 80 columns. */
export function summarize(stack: StackFile, directory: string): string {
  const { ethereum, partner } = stack.addressBook;
  const { alice, bob, auditor, firstOperator, deployer } = stack.accounts;
  return [
    '',
    colors.bold('The bridge is running.'),
    ...(stack.webUrl === undefined
      ? []
      : section('Open this page to move funds with the test wallets of Alice and Bob', { Page: stack.webUrl })),
    ...section('Services', {
      'REST API': stack.apiUrl,
      Reference: `${stack.apiUrl}/reference`,
      Health: stack.healthUrl,
      Console: stack.consoleUrl,
      ...(stack.faucetUrl === undefined ? {} : { Faucet: stack.faucetUrl }),
      ...(stack.controlUrl === undefined ? {} : { Control: stack.controlUrl }),
      PostgreSQL: stack.databaseUrl,
    }),
    ...describeRelayers(stack),
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
    ...section('Two users with funds on both chains (well-known development keys)', {
      Alice: alice.address,
      'Her key': alice.privateKey,
      'Smart acct': `${stack.smartAccount} (on the partner chain)`,
      Bob: bob.address,
      'His key': bob.privateKey,
    }),
    ...section('Console members: import a key into your wallet (well-known development keys)', {
      Viewer: auditor.privateKey,
      Operator: firstOperator.privateKey,
      Admin: deployer.privateKey,
    }),
    '',
    `Withdrawals are held for ${stack.holdSeconds} s. All of the above is in`,
    `${join(directory, 'stack.json')}; the logs are in ${stack.logs}`,
    'Ctrl-C stops everything; the next run continues with the same chains.',
  ].join('\n');
}

/**
 * Lists chains and services that are not at their usual ports, because other programs use them. A wallet that saved the
 * address of a chain would not find it.
 *
 * @returns null when all have their usual ports.
 */
export function describeMovedPorts(stack: StackFile): string | null {
  const parts = [
    ['ethereum', 'Ethereum', stack.ethereum.rpcUrl],
    ['partner', 'The partner chain', stack.partner.rpcUrl],
    ['api', 'The REST API', stack.apiUrl],
    ['console', 'The console', stack.consoleUrl],
    ...(stack.faucetUrl === undefined ? [] : [['faucet', 'The faucet', stack.faucetUrl] as const]),
  ] as const;
  const moved = parts.filter(([part, , url]) => new URL(url).port !== `${USUAL_PORTS[part]}`);
  if (moved.length === 0) return null;
  const isChainMoved = moved.some(([part]) => part === 'ethereum' || part === 'partner');
  return [
    'Other programs use ports of this stack. This time:',
    ...moved.map(([part, label, url]) => `  ${label} is at ${new URL(url).origin}: port ${USUAL_PORTS[part]} is taken`),
    ...(isChainMoved ? ['In a wallet that already has this chain, change its RPC URL.'] : []),
    'To use the usual ports, end those programs and start again. To use other',
    'ports that stay the same, give --port-base.',
  ].join('\n');
}

/** Empty with a single relayer: the stack ends when that relayer is killed. */
function describeRelayers({ relayers }: StackFile): string[] {
  if (relayers.length < 2) return [];
  const title = 'Relayers: one is active; if you kill it, the other takes over';
  return section(title, Object.fromEntries(relayers.map(({ name, pid }) => [name, `kill -9 ${pid}`])));
}

function section(title: string, values: Readonly<Record<string, string>>): string[] {
  const lines = Object.entries(values).map(([label, value]) => `  ${label.padEnd(LABEL_WIDTH)}${value}`);
  return ['', colors.bold(title), ...lines];
}
