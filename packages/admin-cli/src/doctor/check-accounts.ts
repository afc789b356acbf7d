import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decryptKey } from '@causeway/chain/keystore';
import { CHAIN_NAMES, type ChainName, type DeploymentConfig } from '@causeway/contracts/deploy';
import { formatUnits, isAddressEqual, type Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { readKeystoreAddress } from '../keystore-address.js';
import { describeProblem, error, notYet, ok, warning } from '@causeway/service/doctor';
import type { Finding } from './finding.js';
import type { Walk } from './walk.js';

/** Gas that an account needs on each chain. Estimates: 150,000 for a delivery, 15 million for a deployment. */
const GAS = { deployer: 15_000_000n, relayer: 30_000_000n, faucet: 6_000_000n, other: 1_000_000n } as const;
/** Accounts that send no transactions. */
const WITHOUT_GAS = new Set(['standby', 'treasury']);
/** Permission bits of users other than the file's owner and group. */
const OTHERS = 0o007;
const COIN = { ethereum: 'ETH', partner: 'XCN' } as const;

/** Checks the configuration, and the coin of its accounts on both chains. */
export async function checkAccounts(walk: Walk): Promise<readonly Finding[]> {
  const { config, options } = walk;
  const { environment, config: file } = options;
  if (config.state === 'absent') {
    const example = `causeway-admin example ${environment} --keystores ${options.keystores} > ${file}`;
    return [notYet('accounts', `${file} does not exist`, `causeway-admin new-accounts, then ${example}`)];
  }
  if (config.state === 'broken') {
    const isUnfilled = config.reason.includes('is not filled in');
    const nextStep = isUnfilled ? `write the addresses into ${file}` : `correct ${file}`;
    return [isUnfilled ? notYet('accounts', config.reason, nextStep) : error('accounts', config.reason, nextStep)];
  }
  const named = ok('accounts', `${file}: every role has an account, and no account has two roles`);
  return [named, ...(await checkFunds(walk, listAccounts(config.value, walk)))];
}

interface Account {
  readonly name: string;
  readonly address: Address;
  readonly chains: readonly ChainName[];
}

/** The accounts that send transactions, with the deployer until the contracts exist. */
function listAccounts(config: DeploymentConfig, { options, book }: Walk): readonly Account[] {
  const own = ['faucet', ...(book.state === 'there' ? [] : ['deployer'])].flatMap((name) => {
    const file = join(options.keystores, `${name}.json`);
    return existsSync(file) ? [{ name, address: readKeystoreAddress(file), chains: CHAIN_NAMES }] : [];
  });
  return [...own, ...listRoleAccounts(config)].filter(({ name }) => !WITHOUT_GAS.has(name));
}

/** The accounts of the configuration, by the names of their keystores. */
function listRoleAccounts(config: DeploymentConfig): readonly Account[] {
  const { relayer, standby, treasury, pausers, admin, guardian, recovery, policyManager } = config;
  const both = { relayer, ...(standby && { standby }) };
  const perChain = { ...(admin && { admin }), guardian, recovery, 'policy-manager': policyManager };
  return [
    ...Object.entries(both).map(([name, address]) => ({ name, address, chains: CHAIN_NAMES })),
    ...pausers.map((address) => ({ name: 'pauser', address, chains: CHAIN_NAMES })),
    { name: 'treasury', address: treasury, chains: ['ethereum'] as const },
    ...Object.entries(perChain).flatMap(([name, owner]) =>
      CHAIN_NAMES.map((side) => ({ name, address: owner[side], chains: [side] })),
    ),
  ];
}

async function checkFunds({ clients }: Walk, accounts: readonly Account[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const side of CHAIN_NAMES) {
    const client = clients[side];
    if (client === undefined) {
      findings.push(notYet('accounts', `coin on ${side} was not checked`, `give a node with --${side}-rpc`));
      continue;
    }
    try {
      const price = await client.getGasPrice();
      const here = accounts.filter(({ chains }) => chains.includes(side));
      const balances = await Promise.all(here.map(({ address }) => client.getBalance({ address })));
      const short = here.flatMap(({ name, address }, index) => {
        const [needed, held] = [price * (GAS[name as keyof typeof GAS] ?? GAS.other), balances[index] ?? 0n];
        if (held > 0n && held >= needed) return [];
        const finding = `${name} has ${formatUnits(held, 18)} ${COIN[side]} on ${side}`;
        return [notYet('accounts', finding, `send at least ${formatUnits(needed, 18)} ${COIN[side]} to ${address}`)];
      });
      findings.push(
        ...(short.length > 0 ? short : [ok('accounts', `all ${here.length} have coin for gas on ${side}`)]),
      );
    } catch (problem) {
      const finding = `coin on ${side} cannot be read: ${describeProblem(problem)}`;
      findings.push(error('accounts', finding, `start the node of --${side}-rpc, or use another`));
    }
  }
  return findings;
}

/** Checks the keystores of this machine: permissions, passwords, and whether they match the configuration. */
export async function checkKeystores({ options, config }: Walk): Promise<readonly Finding[]> {
  const { keystores, passwords } = options;
  const roles = config.state === 'there' ? listRoleAccounts(config.value) : [];
  const names = [...new Set(['deployer', 'faucet', 'relayer', 'pauser', ...roles.map(({ name }) => name)])];
  const present = names.filter((name) => existsSync(join(keystores, `${name}.json`)));
  if (present.length === 0) {
    const make = `causeway-admin new-accounts --keystores ${keystores} --passwords ${passwords}`;
    return [notYet('keystores', `none in ${keystores}`, `${make}, or give their folder with --keystores`)];
  }
  const findings: Finding[] = [];
  for (const name of present) {
    const meant = roles.filter((role) => role.name === name).map(({ address }) => address);
    findings.push(...(await checkKeystore(name, meant, join(keystores, `${name}.json`), join(passwords, name))));
  }
  return findings;
}

async function checkKeystore(
  name: string,
  meant: readonly Address[],
  keystore: string,
  password: string,
): Promise<readonly Finding[]> {
  if (!existsSync(password)) {
    const nextStep = 'give their folder with --passwords, or check this key on the machine with its password';
    return [warning('keystores', `${name}: ${password} does not exist`, nextStep)];
  }
  const open = [keystore, password].filter((file) => (statSync(file).mode & OTHERS) !== 0);
  const findings = open.map((file) => error('keystores', `other users can access ${file}`, `chmod o= ${file}`));
  try {
    const [secret = ''] = readFileSync(password, 'utf8').split(/\r?\n/, 1);
    const address = privateKeyToAddress(await decryptKey(readFileSync(keystore, 'utf8'), secret));
    if (meant.every((each) => isAddressEqual(each, address)))
      return [...findings, ok('keystores', `${name}: ${address}`)];
    const finding = `${name}: this is the key of ${address}, but the configuration has ${meant.join(', ')}`;
    return [...findings, error('keystores', finding, 'correct the configuration, or use the right keystore')];
  } catch (problem) {
    return [
      ...findings,
      error('keystores', `${name}: ${describeProblem(problem)}`, 'restore it, or create another account'),
    ];
  }
}
