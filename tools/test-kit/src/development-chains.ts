import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Account,
  type Address,
  type Chain,
  type Hex,
  type PublicClient,
  type TestClient,
  type Transport,
  type WalletClient,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { startAnvil, testAccount, type Anvil } from './anvil.js';

/** Funded accounts in the roles of the local configuration (contracts/deploy/config/local.json). */
export const ROLE_ACCOUNTS = {
  deployer: testAccount(0),
  relayer: testAccount(1),
  guardian: testAccount(2),
  treasury: testAccount(3),
  owner: testAccount(4),
  newcomer: testAccount(5),
  policyManager: testAccount(6),
  standby: testAccount(7),
  recovery: testAccount(8),
  pauser: testAccount(9),
} as const;

/** A development node with a deployment's clients, and a client that changes its state. */
export interface TestTarget {
  readonly client: PublicClient;
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly cheat: TestClient;
}

/** Two nodes that act as Ethereum and the partner chain, with the deployer's clients. */
export interface TestChains {
  readonly anvils: readonly [Anvil, Anvil];
  readonly ethereum: TestTarget;
  readonly partner: TestTarget;
  /** Saves the state of both chains for `restore`. */
  readonly snapshot: () => Promise<void>;
  /** Returns both chains to the last snapshot. Can be called repeatedly. */
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
      if (ofEthereum === undefined || ofPartner === undefined)
        throw new Error('No snapshot to restore: call snapshot first');
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
export function makeTarget(
  { chain, transport }: Anvil,
  account: PrivateKeyAccount = ROLE_ACCOUNTS.deployer,
): TestTarget {
  return {
    client: createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 }),
    wallet: createWalletClient({ chain, transport, account }),
    cheat: createTestClient({ chain, transport, mode: 'anvil' }),
  };
}

/** Waits until a transaction is mined, since anvil answers earlier. Returns its hash. */
export async function mined({ client }: Pick<TestTarget, 'client'>, sent: Promise<Hex>): Promise<Hex> {
  const hash = await sent;
  await client.waitForTransactionReceipt({ hash });
  return hash;
}

/** Returns an address of one repeated hexadecimal digit. */
export function makeAddress(digit: number): Address {
  return `0x${digit.toString(16).repeat(40)}`;
}
