import { getToken, type Asset } from '@causeway/protocol';
import { bridgedTokenAbi } from '@causeway/protocol/abi';
import { User } from '@causeway/testbed';
import { parseEther, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';

/** Atomic units for a new account on each chain. */
export interface Funds {
  readonly ethereum: Readonly<Partial<Record<Asset, bigint>>>;
  readonly partner: Readonly<Partial<Record<Asset, bigint>>>;
}

/** A user of the bridge with a new account. */
export interface TestUser {
  readonly privateKey: Hex;
  readonly account: PrivateKeyAccount;
}

/** Stories of users with their own accounts, which run at the same time. */
export type Story = readonly [name: string, act: (environment: TestEnvironment) => Promise<void>];

function makeUser(): TestUser {
  const privateKey = generatePrivateKey();
  return { privateKey, account: privateKeyToAccount(privateKey) };
}

/** One funding sends after another, since nonces are consecutive. */
let sending: Promise<unknown> = Promise.resolve();

/** Creates users with funds. Bob pays them, and waits until the transactions are mined. */
export async function fundUsers(environment: TestEnvironment, list: readonly Funds[]): Promise<readonly TestUser[]> {
  const users = list.map(makeUser);
  const send = async () =>
    Promise.all(
      (['ethereum', 'partner'] as const).map(async (side) => {
        const hashes = await sendFunds(environment, side, users, list);
        return hashes.map((hash) => ({ client: environment[side].client, hash }));
      }),
    );
  const sent = sending.then(send, send);
  sending = sent;
  const transactions = (await sent).flat();
  await Promise.all(transactions.map(async ({ client, hash }) => client.waitForTransactionReceipt({ hash })));
  return users;
}

async function sendFunds(
  environment: TestEnvironment,
  side: 'ethereum' | 'partner',
  users: readonly TestUser[],
  list: readonly Funds[],
): Promise<readonly Hex[]> {
  const { bob } = environment.accounts;
  const { client, getWallet } = environment[side];
  const wallet = getWallet(bob);
  let nonce = await client.getTransactionCount({ address: bob.address, blockTag: 'pending' });
  const hashes: Hex[] = [];
  for (const [index, { account }] of users.entries()) {
    for (const [asset, amount = 0n] of Object.entries(list[index]?.[side] ?? {})) {
      const { address } = account;
      const token = getToken(environment.book, side, asset);
      const isCoin = BigInt(token) === 0n;
      // In order, since nonces are consecutive.
      const hash = isCoin
        ? await wallet.sendTransaction({ to: address, value: amount, nonce })
        : await wallet.writeContract({
            address: token,
            abi: bridgedTokenAbi,
            functionName: 'transfer',
            args: [address, amount],
            nonce,
          });
      hashes.push(hash);
      nonce += 1;
    }
  }
  return hashes;
}

/**
 * Gives Bob bridged tokens and the bridge collateral, so that withdrawals of every asset can be paid. The nightly 300
 * kills withdraw 600,000 XCN, whatever the deposits.
 */
export async function bridgeForBob(environment: TestEnvironment, waitFor: (hash: Hex) => Promise<unknown>) {
  const bob = new User(environment, environment.accounts.bob);
  const to: Address = environment.accounts.bob.address;
  const sent = [
    await bob.deposit('ETH', parseEther('100'), to),
    await bob.deposit('USDC', 100_000n * 10n ** 6n, to),
    await bob.deposit('XCN', parseEther('5000000'), to),
  ];
  await Promise.all(sent.map(({ originTxHash }) => waitFor(originTxHash)));
}
