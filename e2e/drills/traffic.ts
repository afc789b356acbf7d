import {
  getToken,
  isTerminal,
  parseAmount,
  pickAsset,
  type Asset,
  type BridgeOperationResponse,
} from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { encodeFunctionData, keccak256, maxUint256, toHex, type Address, type Hex } from 'viem';
import {
  computeExpectation,
  describe,
  wrongDeliveries,
  type CheckedBridge,
  type Expectation,
} from '../chaos/deliveries.ts';
import { Ledger } from '../chaos/ledger.ts';
import type { DecidedRefund, SentOperation } from '../chaos/operation.ts';
import { Random } from '../chaos/random.ts';
import { Wallet } from '../chaos/wallet.ts';

const GAS = 400_000n;
const PATIENCE = { timeoutMs: 240_000, intervalMs: 250 };
/** Above each minimum. Each operation adds a few units, so that amounts are unique. */
const AMOUNTS = {
  ETH: parseAmount('ETH', '0.02'),
  USDC: parseAmount('USDC', '20'),
  XCN: parseAmount('XCN', '5010'),
} as const;
const STEPS = { ETH: 10n ** 10n, USDC: 1n, XCN: 10n ** 10n } as const;
const FUNDS = [
  ['ETH', parseAmount('ETH', '2')],
  ['USDC', parseAmount('USDC', '5000.000001')],
  ['XCN', parseAmount('XCN', '600000')],
] as const;
/** Operations that need no API. */
const ON_CHAIN = [
  ['deposit', 'ETH'],
  ['burn', 'USDC'],
  ['deposit', 'USDC'],
  ['withdrawal', 'XCN'],
  ['deposit', 'XCN'],
  ['burn', 'ETH'],
] as const;
const ALL = [...ON_CHAIN, ['intent', 'XCN'], ['mistake', 'XCN']] as const;

/** The parts of a bridge that users and checks see. */
export type PublicBridge = CheckedBridge & { readonly stack: { readonly apiUrl: string } };

/** Users' operations of every kind, and their expected results to the unit. */
export class Traffic {
  readonly sent: SentOperation[] = [];
  /** Decided refunds by the transaction of the mistake. */
  readonly refunds = new Map<Hex, DecidedRefund>();
  readonly user: User;
  private readonly bridge: PublicBridge;
  private readonly wallets: Readonly<Record<'ethereum' | 'partner' | 'payer', Wallet>>;
  private readonly random: Random;
  private ledger!: Ledger;

  private constructor(bridge: PublicBridge, wallets: Traffic['wallets'], seed: number) {
    this.bridge = bridge;
    this.wallets = wallets;
    this.random = new Random(seed, 'traffic');
    this.user = new User(bridge, bridge.accounts.alice);
  }

  /** Deposits what users withdraw later, waits until it has arrived, and opens the ledger. */
  static async open(bridge: PublicBridge, seed: number): Promise<Traffic> {
    const { accounts, ethereum, partner, book } = bridge;
    const ids = { ethereum: await ethereum.client.getChainId(), partner: await partner.client.getChainId() };
    const wallets = {
      ethereum: await Wallet.open(ethereum, ids.ethereum, accounts.alice.privateKey),
      partner: await Wallet.open(partner, ids.partner, accounts.alice.privateKey),
      payer: await Wallet.open(partner, ids.partner, accounts.bob.privateKey),
    };
    const traffic = new Traffic(bridge, wallets, seed);
    for (const asset of ['USDC', 'XCN'] as const) {
      const args = [book.ethereum.bridgeLock, maxUint256] as const;
      const data = encodeFunctionData({ abi: bridgedTokenAbi, functionName: 'approve', args });
      await wallets.ethereum.send({ to: getToken(book, 'ethereum', asset), data, gas: GAS });
    }
    for (const [asset, amount] of FUNDS) await traffic.deposit(asset, amount, accounts.alice.address);
    // The recipient can never receive it.
    await traffic.deposit('ETH', 5n, book.partner.tokens.ETH);
    await traffic.untilEnded();
    // The ledger begins here.
    traffic.sent.length = 0;
    traffic.ledger = await Ledger.open(bridge, accounts.auditor.address);
    return traffic;
  }

  async deposit(asset: Asset, amount: bigint, recipient = this.recipient()): Promise<SentOperation> {
    const { bridgeLock } = this.bridge.book.ethereum;
    const args = [getToken(this.bridge.book, 'ethereum', asset), amount, recipient] as const;
    const data =
      asset === 'ETH'
        ? encodeFunctionData({ abi: bridgeLockAbi, functionName: 'depositNative', args: [recipient] })
        : encodeFunctionData({ abi: bridgeLockAbi, functionName: 'deposit', args });
    const call = { to: bridgeLock, data, value: asset === 'ETH' ? amount : 0n, gas: GAS };
    return this.send('ethereum', 'deposit', asset, amount, recipient, call);
  }

  async burn(asset: Asset, amount: bigint): Promise<SentOperation> {
    const recipient = this.recipient();
    const args = [getToken(this.bridge.book, 'partner', asset), amount, recipient, amount] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'burn', args });
    const call = { to: this.bridge.book.partner.bridgeMint, data, gas: GAS };
    return this.send('partner', 'burn', asset, amount, recipient, call);
  }

  async withdraw(amount: bigint): Promise<SentOperation> {
    const recipient = this.recipient();
    const args = [recipient, amount] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'withdrawNative', args });
    const call = { to: this.bridge.book.partner.bridgeMint, data, value: amount, gas: GAS };
    return this.send('partner', 'withdrawal', 'XCN', amount, recipient, call);
  }

  /** Registers an intent, pays it and binds the payment. */
  async intent(amount: bigint, nonce = `drill ${this.sent.length}`): Promise<SentOperation> {
    const recipient = this.recipient();
    const { intentId } = await this.user.registerIntent(amount, recipient, nonce);
    const call = { to: this.bridge.book.relayer, value: amount, gas: GAS };
    const sent = await this.send('partner', 'intent', 'XCN', amount, recipient, call, intentId);
    await this.user.bindOrigin(intentId, sent.originTxHash);
    return sent;
  }

  /** Pays the relayer wallet without an intent. */
  async mistake(amount: bigint): Promise<SentOperation> {
    const call = { to: this.bridge.book.relayer, value: amount, gas: GAS };
    return this.send('payer', 'mistake', 'XCN', amount, this.wallets.payer.address, call);
  }

  /** Sends operations of every kind in a seeded order. */
  async mix(count: number, kinds: 'all' | 'on chain' = 'all'): Promise<void> {
    const next = this.random.dealer<readonly [SentOperation['kind'], Asset]>(kinds === 'all' ? ALL : ON_CHAIN);
    for (let done = 0; done < count; done += 1) {
      const [kind, asset] = next();
      const amount = pickAsset(AMOUNTS, asset) + BigInt(this.sent.length) * pickAsset(STEPS, asset);
      if (kind === 'deposit') await this.deposit(asset, amount);
      else if (kind === 'burn') await this.burn(asset, amount);
      else if (kind === 'withdrawal') await this.withdraw(amount);
      else if (kind === 'intent') await this.intent(amount);
      else await this.mistake(amount);
    }
  }

  /** Waits until operations have ended, mistakes as FAILED and all others as COMPLETED. */
  async untilEnded(sent: readonly SentOperation[] = this.sent): Promise<void> {
    for (const operation of sent) await this.ended(operation);
  }

  /** @throws Error when the operation ends wrongly. */
  async ended(operation: SentOperation): Promise<BridgeOperationResponse> {
    const right = operation.kind === 'mistake' ? 'FAILED' : 'COMPLETED';
    const ended = await waitUntil(
      `${describe(operation)} is ${right}`,
      async () => {
        const shown = await this.user.status(operation.originTxHash);
        // On a busy machine a node can time out before it has the transaction.
        if (shown === null) for (const wallet of Object.values(this.wallets)) await wallet.sendAgain();
        return shown !== null && isTerminal(shown.status) ? shown : null;
      },
      PATIENCE,
    );
    if (ended.status !== right) throw new Error(`${describe(operation)} is ${ended.status}, but must be ${right}`);
    return ended;
  }

  /**
   * Waits until every operation has ended. Returns a sentence for each whose row differs from the chains, and for each
   * holding that differs by a unit.
   */
  async findFaults(): Promise<string[]> {
    const expectations: Expectation[] = [];
    const faults: string[] = [];
    for (const operation of this.sent) {
      const { refundId, outputAmount } = await this.ended(operation);
      const unpaid = operation.kind === 'mistake' ? { id: refundId ?? '0x', paid: 0n } : null;
      const refund = this.refunds.get(operation.originTxHash) ?? unpaid;
      const expectation = await computeExpectation(this.bridge, operation, refund);
      expectations.push(expectation);
      if (refund === null && outputAmount !== `${expectation.outputAmount}`)
        faults.push(`The database says that ${describe(operation)} paid ${outputAmount}: ${expectation.outputAmount}`);
    }
    const { ledger } = this;
    // Tokens of completed withdrawals are retired later; `differences` names those that were not.
    const isRetired = async () => (await ledger.wrongSupplies(expectations)).length === 0;
    await waitUntil('all is retired', isRetired, PATIENCE).catch(() => undefined);
    return [
      ...faults,
      ...(await wrongDeliveries(this.bridge, expectations, ledger.since)),
      ...(await ledger.differences(expectations)),
    ];
  }

  private async send(
    from: keyof Traffic['wallets'],
    kind: SentOperation['kind'],
    asset: Asset,
    amount: bigint,
    recipient: Address,
    call: Parameters<Wallet['send']>[0],
    intentId?: Hex,
  ): Promise<SentOperation> {
    const wallet = this.wallets[from];
    const originTxHash = await wallet.send(call);
    const side = from === 'ethereum' ? 'ethereum' : 'partner';
    const terms = { kind, asset, side, amount, sender: wallet.address, recipient, originTxHash } as const;
    const sent = intentId === undefined ? terms : { ...terms, intentId };
    this.sent.push(sent);
    return sent;
  }

  /** An address that had nothing before. */
  private recipient(): Address {
    return `0x${keccak256(toHex(`recipient ${this.random.next()}`)).slice(-40)}`;
  }
}
