import { setTimeout as sleep } from 'node:timers/promises';
import { assetInfo, getToken, isTerminal, type BridgeOperationResponse } from '@causeway/protocol';
import { bridgedTokenAbi, testXcnAbi } from '@causeway/protocol/abi';
import { bridgeOperationResponseSchema } from '@causeway/protocol/rest';
import { User, waitUntil, type Environment } from '@causeway/testbed';
import { Client } from 'pg';
import { parseEther, parseUnits, type Address, type Hex, type TransactionReceipt } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Side } from '../stack.js';

const PATIENCE_MS = 90_000;
const POLL_MS = 100;
/** Enough for every scenario, however often a test run repeats it. */
const OWN_FUNDS = {
  ETH: parseEther('100000'),
  USDC: parseUnits('10000000', 6),
  XCN: parseEther('1000000000'),
  partnerXcn: parseEther('60000000'),
} as const;
/** More than the minimum of a withdrawal and its fee. */
const PAYMENT_XCN = parseEther('6000');
/** One deposit supplies bridged tokens for this many scenarios. */
const IN_STOCK = 20n;

/** The address of a new account. */
export function makeStranger(): Address {
  return privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address;
}

/** A stack with its own user, so that scenarios do not use accounts or nonces of the tests. */
export class Bench {
  readonly account;
  private readonly user: User;
  private prepared: Promise<User> | null = null;
  private payments = 0n;

  constructor(readonly environment: Environment) {
    const privateKey = generatePrivateKey();
    this.account = { privateKey, address: privateKeyToAddress(privateKey).toLowerCase() as Address };
    this.user = new User(environment, this.account);
  }

  /** A unique amount of XCN: an equal payment would pay the intent of another scenario. */
  nextAmount(): bigint {
    this.payments += 1n;
    return PAYMENT_XCN + this.payments * assetInfo('XCN').granularity;
  }

  /** The user, with funds on both chains. */
  async openUser(): Promise<User> {
    this.prepared ??= this.fundUser();
    return this.prepared;
  }

  /** The user with at least this much of a bridged token. */
  async openUserWith(asset: 'ETH' | 'USDC', amount: bigint): Promise<User> {
    const user = await this.openUser();
    const { partner, book } = this.environment;
    const token = { address: getToken(book, 'partner', asset), abi: bridgedTokenAbi } as const;
    const held = await partner.client.readContract({
      ...token,
      functionName: 'balanceOf',
      args: [user.account.address],
    });
    if (held < amount) {
      const { originTxHash } = await user.deposit(asset, IN_STOCK * amount, user.account.address);
      await this.untilStatus(`originTxHash=${originTxHash}`, 'COMPLETED');
    }
    return user;
  }

  /** Returns the operation that `GET /bridge/status` finds by a query; null when there is none. */
  async find(query: string): Promise<BridgeOperationResponse | null> {
    const response = await fetch(`${this.environment.stack.apiUrl}/bridge/status?${query}`);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`The API answers ${response.status} to the status of ${query}`);
    return bridgeOperationResponseSchema.parse(await response.json());
  }

  /**
   * Waits until an operation meets a condition.
   *
   * @param wanted completes the error message "Timed out … until the operation … is".
   * @throws Error when it ends otherwise, or after 90 seconds.
   */
  async until(
    query: string,
    wanted: string,
    isWanted: (operation: BridgeOperationResponse) => boolean,
  ): Promise<BridgeOperationResponse> {
    let seen = 'no answer';
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_MS)) {
      const operation = await this.find(query).catch(() => null);
      if (operation === null) continue;
      if (isWanted(operation)) return operation;
      seen = [operation.status, operation.delayedReason ?? ''].join(' ').trim();
      if (isTerminal(operation.status)) throw new Error(`The operation of ${query} ended as ${seen}, not ${wanted}`);
    }
    throw new Error(
      `Timed out after ${PATIENCE_MS / 1_000} s: waited until the operation of ${query} is ${wanted}: ${seen}`,
    );
  }

  untilStatus(query: string, status: BridgeOperationResponse['status']): Promise<BridgeOperationResponse> {
    return this.until(query, status, (operation) => operation.status === status);
  }

  untilDelayed(query: string, reason: string): Promise<BridgeOperationResponse> {
    return this.until(query, `DELAYED ${reason}`, ({ delayedReason }) => delayedReason === reason);
  }

  /** Waits until a check returns true. */
  async wait(what: string, ask: () => Promise<boolean>): Promise<void> {
    await waitUntil(what, ask);
  }

  /** @throws Error when the transaction reverted. */
  async mined(chain: Side, hash: Hex): Promise<TransactionReceipt> {
    const receipt = await this.environment[chain].client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`Transaction ${hash} on ${chain} reverted`);
    return receipt;
  }

  /**
   * Runs an operator's command of the relayer.
   *
   * @throws Error with its output when it fails.
   */
  async command(...words: readonly string[]): Promise<void> {
    const { code, output } = await this.environment.relayerCommand(...words);
    if (code !== 0) throw new Error(`relayer ${words.join(' ')}: ${output}`);
  }

  /** Runs a statement in the database of the stack and returns its rows. */
  async query(statement: string): Promise<readonly object[]> {
    const client = new Client({ connectionString: this.environment.stack.databaseUrl });
    await client.connect();
    try {
      return (await client.query<object>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** Gives the user more of an asset on Ethereum. */
  async provide(asset: string, amount: bigint): Promise<void> {
    const { ethereum, book } = this.environment;
    const { address } = this.account;
    if (asset !== 'ETH') return this.mint(getToken(book, 'ethereum', asset), address, amount);
    await ethereum.test.setBalance({ address, value: (await ethereum.client.getBalance({ address })) + amount });
  }

  /** Mints test tokens on Ethereum. Any account can. */
  async mint(token: Address, to: Address, amount: bigint, nonce?: number): Promise<void> {
    const wallet = this.environment.ethereum.getWallet(this.account);
    const call = { address: token, abi: testXcnAbi, functionName: 'mint', args: [to, amount] } as const;
    const hash = await wallet.writeContract(nonce === undefined ? call : { ...call, nonce });
    await this.mined('ethereum', hash);
  }

  private async fundUser(): Promise<User> {
    const { ethereum, partner, accounts, book } = this.environment;
    const { address } = this.account;
    await ethereum.test.setBalance({ address, value: OWN_FUNDS.ETH });
    const transfer = { to: address, value: OWN_FUNDS.partnerXcn };
    const hash = await partner.getWallet(accounts.deployer).sendTransaction(transfer);
    const mints = (['USDC', 'XCN'] as const).map((asset, nonce) =>
      this.mint(book.ethereum.tokens[asset], address, OWN_FUNDS[asset], nonce),
    );
    await Promise.all([this.mined('partner', hash), ...mints]);
    return this.user;
  }
}
