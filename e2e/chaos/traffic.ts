import { setTimeout as sleep } from 'node:timers/promises';
import { assetInfo, listAssets, pickAsset, getToken, type Asset } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { SmartAccounts, type OwnedAccount } from '@causeway/test-kit';
import type { Environment } from '@causeway/testbed';
import { encodeFunctionData, erc20Abi, keccak256, maxUint256, parseUnits, toHex, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { SentOperation } from './operation.ts';
import { patiently, type PublicApi } from './public-api.ts';
import type { Random } from './random.ts';
import type { Side } from './network/service-links.ts';
import { Wallet } from './wallet.ts';

const PAUSE_MS = [300, 900] as const;
const SEND_AGAIN_MS = 1_000;
const GAS = 400_000n;
/** Above each minimum. Each operation adds a few units, so that amounts are unique. */
const AMOUNTS = { ETH: parseUnits('0.02', 18), USDC: parseUnits('20', 6), XCN: parseUnits('5010', 18) } as const;
const STEP = { ETH: 10n ** 10n, USDC: 1n, XCN: 10n ** 10n } as const;
/** The users' funds on the partner chain before withdrawals. */
const FIRST_FUNDS = {
  ETH: parseUnits('50', 18),
  USDC: parseUnits('100000', 6),
  XCN: parseUnits('2500000', 18),
} as const;
const ACCOUNT_FUNDS = parseUnits('1200000', 18);
/** For its deployment. */
const ACCOUNT_GAS = parseUnits('100', 18);
/** The number of operations that the funds cover. A run of 300 kills sends fewer. */
const MOST_OPERATIONS = 3_200;
/** How a plain account names the intent of a payment. */
type Pairing = 'by data' | 'by bind' | 'by nothing';
/** Every kind of operation by its share. Each mistake needs several operator requests. */
const DECK = [
  ...(['ETH', 'USDC', 'XCN', 'USDC', 'XCN'] as const).map((asset) => ({ kind: 'deposit', asset }) as const),
  ...(['ETH', 'USDC', 'USDC'] as const).map((asset) => ({ kind: 'burn', asset }) as const),
  { kind: 'withdrawal' },
  { kind: 'withdrawal' },
  ...(['by data', 'by bind', 'by nothing'] as const).map((pairing) => ({ kind: 'intent', pairing }) as const),
  { kind: 'smart account' },
  { kind: 'mistake' },
] as const;
const MISTAKES = [
  ['partner', 'XCN'],
  ['ethereum', 'USDC'],
  ['ethereum', 'ETH'],
  ['partner', 'USDC'],
] as const satisfies readonly (readonly [Side, Asset])[];

/** Users who send operations of every kind while the bridge is broken. */
export class Traffic {
  readonly sent: SentOperation[] = [];
  /** Failures to send an operation. */
  readonly failures: string[] = [];
  private readonly environment: Environment;
  private readonly api: PublicApi;
  private readonly random: Random;
  private readonly seed: number;
  private readonly wallets: Readonly<Record<Side, Wallet>>;
  private readonly payer: Wallet;
  private readonly accounts: SmartAccounts;
  readonly account: OwnedAccount;
  private readonly running = new Set<Promise<void>>();
  private bundle: Promise<unknown> = Promise.resolve();
  private count = 0;
  private mistakes = 0;
  private isOver = false;

  private constructor(
    environment: Environment,
    api: PublicApi,
    random: Random,
    seed: number,
    wallets: Record<Side | 'payer', Wallet>,
    accounts: SmartAccounts,
    account: OwnedAccount,
  ) {
    this.environment = environment;
    this.api = api;
    this.random = random;
    this.seed = seed;
    this.wallets = wallets;
    this.payer = wallets.payer;
    this.accounts = accounts;
    this.account = account;
  }

  /** Opens the wallets, approves the tokens, and deploys a smart account with coin. */
  static async prepare(environment: Environment, api: PublicApi, random: Random, seed: number): Promise<Traffic> {
    const { ethereum, partner, stack, book } = environment;
    const { alice, bob, policyManager } = environment.accounts;
    const wallets = {
      ethereum: await Wallet.open(ethereum, stack.ethereum.chainId, alice.privateKey),
      partner: await Wallet.open(partner, stack.partner.chainId, alice.privateKey),
      payer: await Wallet.open(partner, stack.partner.chainId, bob.privateKey),
    };
    for (const asset of ['USDC', 'XCN'] as const) {
      const args = [book.ethereum.bridgeLock, maxUint256] as const;
      const data = encodeFunctionData({ abi: bridgedTokenAbi, functionName: 'approve', args });
      await wallets.ethereum.send({ to: getToken(book, 'ethereum', asset), data, gas: GAS });
    }
    const bundler = partner.getWallet(policyManager);
    const accounts = new SmartAccounts(partner.client, bundler, assetInfo('XCN').granularity);
    const account = await accounts.ownedBy(privateKeyToAccount(keccak256(toHex(`owner ${seed}`))));
    await accounts.fund(account.address, ACCOUNT_GAS);
    await accounts.handleOps([{ account, call: { to: bob.address, value: STEP.XCN } }]);
    return new Traffic(environment, api, random, seed, wallets, accounts, account);
  }

  /** Deposits what users withdraw later, before the ledger is opened. Resolves when all deposits have arrived. */
  async fund(): Promise<void> {
    const { alice, bob } = this.environment.accounts;
    const hashes = [
      ...(await Promise.all(
        listAssets().map((asset) => this.sendDeposit(asset, pickAsset(FIRST_FUNDS, asset), alice.address)),
      )),
      await this.sendDeposit('XCN', FIRST_FUNDS.XCN, bob.address),
      await this.sendDeposit('XCN', ACCOUNT_FUNDS, this.account.address),
    ];
    for (const hash of hashes) {
      const hasArrived = async () => (await this.api.operation(hash))?.status === 'COMPLETED' || null;
      await patiently('the first deposits have arrived', hasArrived);
    }
  }

  /**
   * Sends operations until `end`, except while the bridge is busy, so that the rest drains quickly at the end. Resolves
   * when each was sent.
   */
  async run(isBusy: () => Promise<boolean>): Promise<void> {
    const next = this.random.dealer(DECK);
    for (; !this.isOver; await sleep(this.random.between(...PAUSE_MS))) {
      if (this.count === MOST_OPERATIONS || (await isBusy())) continue;
      const card = next();
      const work = this.begin(card)
        .catch((error: unknown) => void this.failures.push(`${card.kind}: ${String(error)}`))
        .then(() => void this.running.delete(work));
      this.running.add(work);
    }
    await Promise.all(this.running);
  }

  end(): void {
    this.isOver = true;
  }

  /** Resends transactions that did not arrive or that reorgs removed from Ethereum, until a signal. */
  async sendAgain(signal: AbortSignal): Promise<void> {
    const wallets = [this.wallets.ethereum, this.wallets.partner, this.payer];
    for (; !signal.aborted; await sleep(SEND_AGAIN_MS)) await Promise.all(wallets.map((wallet) => wallet.sendAgain()));
  }

  private async begin(card: (typeof DECK)[number]): Promise<void> {
    this.count += 1;
    const number = this.count;
    const recipient = this.recipient(number);
    if (card.kind === 'deposit') return this.deposit(card.asset, this.amount(card.asset), recipient);
    if (card.kind === 'burn') return this.burn(card.asset, this.amount(card.asset), recipient);
    if (card.kind === 'withdrawal') return this.withdraw(this.amount('XCN'), recipient);
    if (card.kind === 'intent') return this.payIntent(number, this.amount('XCN'), recipient, card.pairing);
    if (card.kind === 'smart account') return this.payByAccount(number, this.amount('XCN'), recipient);
    const [side, asset] = MISTAKES[this.mistakes++ % MISTAKES.length] ?? MISTAKES[0];
    return this.mistake(side, asset, this.amount(asset));
  }

  private amount(asset: Asset): bigint {
    return pickAsset(AMOUNTS, asset) + BigInt(this.count) * pickAsset(STEP, asset);
  }

  /** An unused address. */
  private recipient(number: number): Address {
    return `0x${keccak256(toHex(`recipient ${this.seed} ${number}`)).slice(-40)}`;
  }

  private async deposit(asset: Asset, amount: bigint, recipient: Address): Promise<void> {
    const { address: sender } = this.wallets.ethereum;
    const originTxHash = await this.sendDeposit(asset, amount, recipient);
    this.sent.push({ kind: 'deposit', asset, side: 'ethereum', amount, sender, recipient, originTxHash });
  }

  private async sendDeposit(asset: Asset, amount: bigint, recipient: Address): Promise<Hex> {
    const { book } = this.environment;
    const abi = bridgeLockAbi;
    const args = [getToken(book, 'ethereum', asset), amount, recipient] as const;
    const data =
      asset === 'ETH'
        ? encodeFunctionData({ abi, functionName: 'depositNative', args: [recipient] })
        : encodeFunctionData({ abi, functionName: 'deposit', args });
    const value = asset === 'ETH' ? amount : 0n;
    return this.wallets.ethereum.send({ to: book.ethereum.bridgeLock, data, value, gas: GAS });
  }

  private async burn(asset: 'ETH' | 'USDC', amount: bigint, recipient: Address): Promise<void> {
    const { book } = this.environment;
    const args = [getToken(book, 'partner', asset), amount, recipient, amount] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'burn', args });
    const wallet = this.wallets.partner;
    const originTxHash = await wallet.send({ to: book.partner.bridgeMint, data, gas: GAS });
    this.sent.push({ kind: 'burn', asset, side: 'partner', amount, sender: wallet.address, recipient, originTxHash });
  }

  private async withdraw(amount: bigint, recipient: Address): Promise<void> {
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'withdrawNative', args: [recipient, amount] });
    const wallet = this.wallets.partner;
    const to = this.environment.book.partner.bridgeMint;
    const originTxHash = await wallet.send({ to, data, value: amount, gas: GAS });
    this.sent.push({
      kind: 'withdrawal',
      asset: 'XCN',
      side: 'partner',
      amount,
      sender: wallet.address,
      recipient,
      originTxHash,
    });
  }

  private async payIntent(number: number, amount: bigint, recipient: Address, pairing: Pairing): Promise<void> {
    const { payer, api } = this;
    const terms = { sender: payer.address, recipient, amount, nonce: `chaos ${number}` };
    const owner = privateKeyToAccount(this.environment.accounts.bob.privateKey);
    const intentId = await api.registerIntent(terms, (hash) => owner.sign({ hash }));
    const to = this.environment.book.relayer;
    const data = pairing === 'by data' ? intentId : '0x';
    const originTxHash = await payer.send({ to, value: amount, data, gas: GAS });
    this.sent.push({
      kind: 'intent',
      asset: 'XCN',
      side: 'partner',
      amount,
      sender: payer.address,
      recipient,
      originTxHash,
      intentId,
    });
    if (pairing === 'by bind') await api.bindOrigin(intentId, payer.address, originTxHash);
  }

  private async payByAccount(number: number, amount: bigint, recipient: Address): Promise<void> {
    const { account, api } = this;
    const { address, owner } = account;
    const terms = { sender: address, recipient, amount, nonce: `chaos ${number}` };
    const intentId = await api.registerIntent(terms, async (hash) => (await owner.sign?.({ hash })) ?? '0x');
    const call = { to: this.environment.book.relayer, value: amount };
    // The bundler reads its nonces from the chain, so bundles are sent one at a time.
    const bundled = this.bundle.then(() => this.accounts.handleOps([{ account, call }]));
    this.bundle = bundled.catch(() => undefined);
    const { transactionHash: originTxHash } = await bundled;
    this.sent.push({
      kind: 'intent',
      asset: 'XCN',
      side: 'partner',
      amount,
      sender: address,
      recipient,
      originTxHash,
      intentId,
    });
    await api.bindOrigin(intentId, address, originTxHash);
  }

  private async mistake(side: Side, asset: Asset, amount: bigint): Promise<void> {
    const { relayer } = this.environment.book;
    const wallet = this.wallets[side];
    const isCoin = asset === (side === 'ethereum' ? 'ETH' : 'XCN');
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [relayer, amount] });
    const token = getToken(this.environment.book, side, asset);
    const originTxHash = await wallet.send(
      isCoin ? { to: relayer, value: amount, gas: GAS } : { to: token, data, gas: GAS },
    );
    this.sent.push({
      kind: 'mistake',
      asset,
      side,
      amount,
      sender: wallet.address,
      recipient: wallet.address,
      originTxHash,
    });
  }
}
