import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { adminTimelockAbi, sentinelAbi } from '@causeway/contracts/abi';
import { CHAIN_IDS, CHAIN_NAMES, verifyDeployment, type ChainName } from '@causeway/contracts/deploy';
import { erc20Abi, formatUnits, isAddressEqual, zeroAddress, type PublicClient } from 'viem';
import { formatDuration } from '@causeway/governance';
import { readKeystoreAddress } from '../keystore-address.js';
import { describeProblem, error, notYet, ok, warning } from '@causeway/service/doctor';
import type { Finding } from './finding.js';
import type { Walk } from './walk.js';

const DECIMALS = { USDC: 6, XCN: 18 } as const;

/** Checks the configuration's tokens on Ethereum, and the faucet's balances. */
export async function checkTokens({ config, clients, options }: Walk): Promise<readonly Finding[]> {
  const deploy = `causeway-admin deploy-test-tokens --config ${options.config}`;
  const tokens = config.state === 'there' ? config.value.tokens : undefined;
  if (tokens === undefined) {
    const nextStep = options.environment === 'testnet' ? deploy : `write them into ${options.config}`;
    return [notYet('tokens', 'the configuration has no USDC and XCN on Ethereum yet', nextStep)];
  }
  const client = clients.ethereum;
  if (client === undefined) return [notYet('tokens', 'they were not checked', 'give a node with --ethereum-rpc')];
  const faucet = join(options.keystores, 'faucet.json');
  const findings = Object.entries(DECIMALS).map(async ([symbol, decimals]): Promise<Finding> => {
    const address = tokens[symbol as keyof typeof DECIMALS];
    const token = { address, abi: erc20Abi } as const;
    try {
      if (!(await client.getCode({ address }))) return error('tokens', `no contract at ${address}, ${symbol}`, deploy);
      const found = [
        await client.readContract({ ...token, functionName: 'symbol' }),
        await client.readContract({ ...token, functionName: 'decimals' }),
      ];
      if (found.join() !== [symbol, decimals].join()) {
        const finding = `${address} is ${found.join(' with ')} decimals, not ${symbol} with ${decimals}`;
        return error('tokens', finding, `correct tokens.${symbol} in ${options.config}`);
      }
      if (options.environment !== 'testnet' || !existsSync(faucet)) return ok('tokens', `${symbol} is ${address}`);
      const holder = readKeystoreAddress(faucet);
      const held = await client.readContract({ ...token, functionName: 'balanceOf', args: [holder] });
      if (held > 0n) return ok('tokens', `${symbol} is ${address}; the faucet has ${formatUnits(held, decimals)}`);
      return notYet('tokens', `the faucet has no ${symbol}`, `send some to its wallet ${holder}`);
    } catch (problem) {
      return error(
        'tokens',
        `${symbol} cannot be read: ${describeProblem(problem)}`,
        'repair the node of --ethereum-rpc',
      );
    }
  });
  return Promise.all(findings);
}

/** Compares the contracts with the address book and the configuration. */
export async function checkContracts(walk: Walk): Promise<readonly Finding[]> {
  const { book, config, options, clients } = walk;
  if (book.state === 'broken') return [error('contracts', book.reason, 'give the current one with --book')];
  if (book.state === 'absent') {
    const nextStep = `causeway-admin deploy ${options.environment} --config ${options.config}`;
    return [notYet('contracts', `the address book ${options.book} does not exist`, nextStep)];
  }
  const { ethereum, partner } = clients;
  if (config.state !== 'there' || ethereum === undefined || partner === undefined) {
    const nextStep = 'give the configuration with --config, and nodes with --ethereum-rpc and --partner-rpc';
    return [notYet('contracts', 'they were not compared with the configuration', nextStep)];
  }
  // The deployer is only needed to check that it holds no role. Without its keystore, that check is skipped.
  const file = join(options.keystores, 'deployer.json');
  const deployer = existsSync(file) ? readKeystoreAddress(file) : zeroAddress;
  const deployers = { ethereum: deployer, partner: deployer };
  const parts = { config: config.value, deployers, ethereum: { client: ethereum }, partner: { client: partner } };
  try {
    await verifyDeployment({ book: book.value, ...parts });
    return [ok('contracts', 'code, peers, roles, limits and fees match the configuration')];
  } catch (problem) {
    const nextStep = 'expected after a change of a role or setting; otherwise find the cause before you continue';
    return [warning('contracts', describeProblem(problem), nextStep)];
  }
}

/** Checks the offices of the timelock on each chain, and its delay. */
export async function checkOffices({ book, clients, config }: Walk): Promise<readonly Finding[]> {
  if (book.state !== 'there') {
    return [notYet('offices', 'the contracts do not exist yet', 'deploy them, which also deploys the timelock')];
  }
  const findings = CHAIN_NAMES.map(async (side): Promise<Finding> => {
    const client = clients[side];
    if (client === undefined) return notYet('offices', `not checked on ${side}`, `give a node with --${side}-rpc`);
    try {
      const { delay, ...found } = await readOffices(client, book.value[side].sentinel);
      const lines = Object.entries(found).map(([office, account]) => `${office} ${account}`);
      const finding = `${side}: ${lines.join(', ')}; delay ${formatDuration(delay)}`;
      if (config.state !== 'there') return ok('offices', finding);
      const { admin, guardian, recovery } = config.value;
      const meant = { owner: admin?.[side] ?? found.owner, guardian: guardian[side], recovery: recovery[side] };
      const others = (['owner', 'guardian', 'recovery'] as const).filter(
        (office) => !isAddressEqual(found[office], meant[office]),
      );
      if (others.length === 0) return ok('offices', finding);
      const nextStep = `expected after a vote (causeway-admin vote-replace); otherwise an office's key was stolen`;
      return warning('offices', `${finding}. The configuration has another ${others.join(' and ')}`, nextStep);
    } catch (problem) {
      return error('offices', `${side}: ${describeProblem(problem)}`, 'check the address book and the node');
    }
  });
  return Promise.all(findings);
}

async function readOffices(client: PublicClient, sentinel: `0x${string}`) {
  const address = await client.readContract({ address: sentinel, abi: sentinelAbi, functionName: 'timelock' });
  const timelock = { address, abi: adminTimelockAbi } as const;
  const [owner, guardian, recovery, delay] = await Promise.all([
    client.readContract({ ...timelock, functionName: 'owner' }),
    client.readContract({ ...timelock, functionName: 'guardian' }),
    client.readContract({ ...timelock, functionName: 'recovery' }),
    client.readContract({ ...timelock, functionName: 'getMinDelay' }),
  ]);
  return { owner, guardian, recovery, delay: Number(delay) };
}

/** Checks the chain id of a given node. */
export async function checkChain({ clients, options }: Walk, side: ChainName): Promise<Finding | null> {
  const client = clients[side];
  if (client === undefined) return null;
  const meant = CHAIN_IDS[options.environment][side];
  try {
    const found = await client.getChainId();
    if (found === meant) return null;
    return error('nodes', `--${side}-rpc serves chain ${found} instead of ${meant}`, 'use a node of the right chain');
  } catch (problem) {
    return error('nodes', `--${side}-rpc: ${describeProblem(problem)}`, 'start the node, or use another');
  }
}
