import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startAnvil, testAccount, type Anvil } from '@causeway/test-kit';
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Address,
  type Hex,
  type TestClient,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { deploymentConfigSchema, type DeployTarget, type DeploymentConfig } from '../../deploy/index.js';

/** Accounts of development nodes, all with coins. */
export const deployer = testAccount(0);
export const relayer = testAccount(1);
export const guardian = testAccount(2);
export const treasury = testAccount(3);
export const owner = testAccount(4);
export const newcomer = testAccount(5);
export const policyManager = testAccount(6);
export const standby = testAccount(7);
export const recovery = testAccount(8);
export const pauser = testAccount(9);

/** The reviewed configuration of the local environment. */
export const LOCAL_CONFIG_FILE = fileURLToPath(new URL('../../deploy/config/local.json', import.meta.url));

/** The published address book of the local environment. */
export const LOCAL_BOOK_FILE = fileURLToPath(new URL('../../deployments/local.json', import.meta.url));

/** Anvil counts its coin in all 18 decimals, as Ethereum does. */
const ANVIL_NATIVE_UNIT = '1';

/** A development node with the clients of a deployment, and one that changes its state. */
export interface TestTarget extends DeployTarget {
  readonly cheat: TestClient;
}

/** Two nodes that play Ethereum and the partner chain, with the deployer's clients. */
export interface TestChains {
  readonly anvils: readonly [Anvil, Anvil];
  readonly ethereum: TestTarget;
  readonly partner: TestTarget;
  /** Keeps the state of both chains for `restore`. */
  readonly snapshot: () => Promise<void>;
  /** Returns both chains to the last snapshot, as often as it is called. */
  readonly restore: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts both nodes. */
export async function startChains(): Promise<TestChains> {
  const anvils = await Promise.all([startAnvil({ chainId: 31_337 }), startAnvil({ chainId: 8_901 })]);
  const [ethereum, partner] = [makeTarget(anvils[0]), makeTarget(anvils[1])];
  let kept: readonly Hex[] = [];
  const snapshot = async () => {
    kept = [await ethereum.cheat.snapshot(), await partner.cheat.snapshot()];
  };
  return {
    anvils,
    ethereum,
    partner,
    snapshot,
    restore: async () => {
      const [ofEthereum, ofPartner] = kept;
      if (ofEthereum === undefined || ofPartner === undefined) throw new Error('There is no snapshot to restore');
      await ethereum.cheat.revert({ id: ofEthereum });
      await partner.cheat.revert({ id: ofPartner });
      await snapshot();
    },
    stop: async () => {
      await Promise.all(anvils.map(async (anvil) => anvil.stop()));
    },
  };
}

/** Clients of a development node: one reads, one sends, one changes its state. */
export function makeTarget({ chain, transport }: Anvil, account: PrivateKeyAccount = deployer): TestTarget {
  return {
    client: createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 }),
    wallet: createWalletClient({ chain, transport, account }),
    cheat: createTestClient({ chain, transport, mode: 'anvil' }),
  };
}

/** Waits until a transaction is mined: anvil answers before. Returns its hash. */
export async function mined({ client }: Pick<TestTarget, 'client'>, sent: Promise<Hex>): Promise<Hex> {
  const hash = await sent;
  await client.waitForTransactionReceipt({ hash });
  return hash;
}

/** The local configuration, with some fields replaced, for a partner chain that anvil plays. */
export function rawLocalConfig(over: object = {}): Record<string, unknown> {
  return { ...JSON.parse(readFileSync(LOCAL_CONFIG_FILE, 'utf8')), nativeUnit: ANVIL_NATIVE_UNIT, ...over };
}

/** The same, checked. */
export function localConfig(over: object = {}): DeploymentConfig {
  return deploymentConfigSchema.parse(rawLocalConfig(over));
}

/** An address of one repeated hexadecimal digit. */
export function makeAddress(digit: number): Address {
  return `0x${digit.toString(16).repeat(40)}`;
}

/** The file of an environment's example configuration. */
export function exampleFile(environment: 'testnet' | 'mainnet'): string {
  return fileURLToPath(new URL(`../../deploy/config/${environment}.example.json`, import.meta.url));
}

/** The example configuration of an environment with its placeholders filled in, and some fields replaced. */
export function exampleConfig(environment: 'testnet' | 'mainnet', over: object = {}): Record<string, unknown> {
  const names: string[] = [];
  const text = readFileSync(exampleFile(environment), 'utf8').replaceAll(/<[A-Z_]+>/g, (name) => {
    if (!names.includes(name)) names.push(name);
    return makeAddress(names.indexOf(name) + 1);
  });
  return { ...JSON.parse(text), ...over };
}
