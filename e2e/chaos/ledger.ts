import { assetInfo, getToken } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { BalanceSheet } from '@causeway/testbed';
import { parseEventLogs, type Address, type TransactionReceipt } from 'viem';
import { entryPoint07Abi, entryPoint07Address } from 'viem/account-abstraction';
import { deliverySide, type CheckedBridge, type Expectation } from './deliveries.ts';
import type { Side } from './network/service-links.ts';

const BRIDGED = ['ETH', 'USDC'] as const;

/** The expected holdings of users and bridge, to the unit, from sent operations and gas in receipts. */
export class Ledger {
  private readonly bridge: CheckedBridge;
  private readonly sheet: BalanceSheet;
  private readonly account: Address;
  private readonly supplies: readonly bigint[];
  private readonly accountFunds: bigint;
  readonly since: Readonly<Record<Side, bigint>>;

  private constructor(
    bridge: CheckedBridge,
    sheet: BalanceSheet,
    account: Address,
    since: Record<Side, bigint>,
    supplies: readonly bigint[],
    accountFunds: bigint,
  ) {
    this.bridge = bridge;
    this.sheet = sheet;
    this.account = account;
    this.since = since;
    this.supplies = supplies;
    this.accountFunds = accountFunds;
  }

  /**
   * Starts from the current balances. No operation may be in flight.
   *
   * @param account the users' smart account.
   */
  static async open(bridge: CheckedBridge, account: Address): Promise<Ledger> {
    const { accounts, book, ethereum, partner } = bridge;
    const since = {
      ethereum: (await ethereum.client.getBlockNumber()) + 1n,
      partner: (await partner.client.getBlockNumber()) + 1n,
    };
    const sheet = await BalanceSheet.open(bridge, {
      alice: accounts.alice.address,
      bob: accounts.bob.address,
      'the bundler': accounts.policyManager.address,
      'the relayer wallet': book.relayer,
      BridgeLock: book.ethereum.bridgeLock,
      BridgeMint: book.partner.bridgeMint,
    });
    const supplies = await readSupplies(bridge);
    return new Ledger(bridge, sheet, account, since, supplies, await readFunds(bridge, account));
  }

  /**
   * Compares every holding with its expected value.
   *
   * @returns a sentence for each difference.
   */
  async differences(expectations: readonly Expectation[]): Promise<string[]> {
    for (const expectation of expectations) this.expect(expectation);
    const accountSpent = await this.expectGas();
    const paidByAccount = expectations
      .filter(({ operation }) => operation.sender === this.account)
      .reduce((sum, { operation }) => sum + operation.amount, 0n);
    const funds = await readFunds(this.bridge, this.account);
    const expectedFunds = this.accountFunds - paidByAccount - accountSpent;
    const differences = await this.sheet.differences();
    return [
      ...differences.map(({ line, expected, actual }) => `${line} is ${actual}; expected ${expected}`),
      ...(await this.wrongSupplies(expectations)),
      ...(funds === expectedFunds ? [] : [`The smart account has ${funds} wei; expected ${expectedFunds}`]),
    ];
  }

  /** Number of holdings. */
  get size(): number {
    return this.sheet.size + BRIDGED.length + 1;
  }

  /** Checks the supply of bridged tokens, once all burned tokens are retired. */
  async wrongSupplies(expectations: readonly Expectation[]): Promise<string[]> {
    const supplies = await readSupplies(this.bridge);
    return BRIDGED.flatMap((asset, index) => {
      const change = expectations.reduce((sum, { operation: { kind, amount, ...operation } }) => {
        if (operation.asset !== asset || kind === 'mistake') return sum;
        return kind === 'deposit' ? sum + amount : sum - amount;
      }, 0n);
      const expected = (this.supplies[index] ?? 0n) + change;
      const actual = supplies[index] ?? 0n;
      return actual === expected ? [] : [`The supply of ${asset} is ${actual} units; expected ${expected}`];
    });
  }

  private expect({ operation, outputAmount }: Expectation): void {
    const { relayer, ethereum, partner } = this.bridge.book;
    const { kind, side, asset, amount, sender, recipient } = operation;
    const { sheet } = this;
    sheet.expect(sender, side, asset, -amount);
    if (kind === 'mistake') {
      sheet.expect(relayer, side, asset, amount - outputAmount);
      return sheet.expect(recipient, side, asset, outputAmount);
    }
    sheet.expectNew(
      `the recipient of ${operation.originTxHash}`,
      recipient,
      deliverySide(operation),
      asset,
      outputAmount,
    );
    if (kind === 'deposit') {
      sheet.expect(ethereum.bridgeLock, 'ethereum', asset, amount);
      // Native coin is paid from the float; bridged tokens are minted.
      if (asset === 'XCN') sheet.expect(partner.bridgeMint, 'partner', asset, -amount);
      return;
    }
    sheet.expect(ethereum.bridgeLock, 'ethereum', asset, -outputAmount);
    if (kind === 'withdrawal') sheet.expect(partner.bridgeMint, 'partner', asset, amount);
    if (kind === 'intent') sheet.expect(relayer, 'partner', asset, amount);
  }

  /**
   * Adds the gas of all transactions since the start, and the relayer's sweeps into the float, to the expected
   * holdings.
   *
   * @returns gas paid by the smart account, in wei.
   */
  private async expectGas(): Promise<bigint> {
    let paidByAccount = 0n;
    const { relayer, partner } = this.bridge.book;
    for (const side of ['ethereum', 'partner'] as const) {
      for (const receipt of await this.readReceipts(side)) {
        this.sheet.expectGas(side, [receipt]);
        if (side === 'ethereum') continue;
        for (const { args } of parseEventLogs({ abi: bridgeMintAbi, logs: receipt.logs, eventName: 'Swept' })) {
          this.sheet.expect(relayer, side, 'XCN', -args.amount);
          this.sheet.expect(partner.bridgeMint, side, 'XCN', args.amount);
        }
        const abi = entryPoint07Abi;
        for (const { args } of parseEventLogs({ abi, logs: receipt.logs, eventName: 'UserOperationEvent' })) {
          const cost = args.actualGasCost * assetInfo('XCN').granularity;
          this.sheet.expect(receipt.from, side, 'XCN', cost);
          paidByAccount += cost;
        }
      }
    }
    return paidByAccount;
  }

  private async readReceipts(side: Side): Promise<TransactionReceipt[]> {
    const { client } = this.bridge[side];
    const head = await client.getBlockNumber();
    const receipts: TransactionReceipt[] = [];
    for (let blockNumber = this.since[side]; blockNumber <= head; blockNumber += 1n) {
      const { transactions } = await client.getBlock({ blockNumber });
      receipts.push(...(await Promise.all(transactions.map((hash) => client.getTransactionReceipt({ hash })))));
    }
    return receipts;
  }
}

async function readSupplies({ partner, book }: CheckedBridge): Promise<bigint[]> {
  return Promise.all(
    BRIDGED.map((asset) =>
      partner.client.readContract({
        address: getToken(book, 'partner', asset),
        abi: bridgedTokenAbi,
        functionName: 'totalSupply',
      }),
    ),
  );
}

/** Reads the coin of a smart account and its deposit at its EntryPoint, in wei. */
async function readFunds({ partner: { client } }: CheckedBridge, address: Address): Promise<bigint> {
  const deposit = await client.readContract({
    address: entryPoint07Address,
    abi: entryPoint07Abi,
    functionName: 'balanceOf',
    args: [address],
  });
  return (await client.getBalance({ address })) + deposit * assetInfo('XCN').granularity;
}
