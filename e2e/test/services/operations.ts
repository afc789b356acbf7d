import { setTimeout as sleep } from 'node:timers/promises';
import { getToken, listAssets, parseAmount, pickAsset, type Asset } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import type { Fleet } from '@causeway/testbed/services';
import { encodeFunctionData, keccak256, maxUint256, toHex, type Address, type Hex } from 'viem';
import { computeExpectation, wrongDeliveries, type Expectation } from '../../chaos/deliveries.ts';
import { Ledger } from '../../chaos/ledger.ts';
import type { SentOperation } from '../../chaos/operation.ts';
import { Wallet } from '../../chaos/wallet.ts';

const GAS = 400_000n;
const PAUSE_MS = 200;
const PATIENCE = { timeoutMs: 240_000, intervalMs: 500 };
/** Operations polled together, oldest first. */
const WATCHED = 25;
/** Above each minimum. Each operation adds a few units, so that amounts are unique. */
const AMOUNTS = {
  ETH: parseAmount('ETH', '0.02'),
  USDC: parseAmount('USDC', '20'),
  XCN: parseAmount('XCN', '5010'),
} as const;
const STEPS = { ETH: 10n ** 10n, USDC: 1n, XCN: 10n ** 10n } as const;
const WITHDRAWALS = 400n;
/** Operations whose transactions are read together. */
const READ_TOGETHER = 100;
const KINDS = [
  ['deposit', 'ETH'],
  ['burn', 'USDC'],
  ['deposit', 'USDC'],
  ['withdrawal', 'XCN'],
  ['deposit', 'XCN'],
  ['burn', 'ETH'],
] as const;

/** Users' deposits and withdrawals while services change, and their expected results. */
export class Operations {
  readonly sent: SentOperation[] = [];
  private readonly pending = new Set<SentOperation>();
  private readonly user: User;
  private sending: Promise<void> = Promise.resolve();

  private constructor(
    private readonly fleet: Fleet,
    private readonly wallets: Readonly<Record<'ethereum' | 'partner', Wallet>>,
    private readonly ledger: Ledger,
    /** Transaction of a completed deposit. */
    readonly firstTxHash: Hex,
  ) {
    this.user = makeUser(fleet);
  }

  /**
   * Makes deposits for later withdrawals, waits until they have arrived, and opens the ledger.
   *
   * @param withdrawals number of withdrawals of each asset that the deposits must cover.
   */
  static async prepare(fleet: Fleet, withdrawals = WITHDRAWALS): Promise<Operations> {
    const { ethereum, partner, book, accounts } = fleet;
    const { address, privateKey } = accounts.alice;
    const wallets = {
      ethereum: await Wallet.open(ethereum, await ethereum.client.getChainId(), privateKey),
      partner: await Wallet.open(partner, await partner.client.getChainId(), privateKey),
    };
    for (const asset of ['USDC', 'XCN'] as const) {
      const args = [book.ethereum.bridgeLock, maxUint256] as const;
      const data = encodeFunctionData({ abi: bridgedTokenAbi, functionName: 'approve', args });
      await wallets.ethereum.mined(
        await wallets.ethereum.send({ to: getToken(book, 'ethereum', asset), data, gas: GAS }),
      );
    }
    const user = makeUser(fleet);
    const hashes = await Promise.all(
      listAssets().map(async (asset) =>
        wallets.ethereum.send(depositCall(fleet, asset, withdrawals * pickAsset(AMOUNTS, asset), address)),
      ),
    );
    for (const hash of hashes) await untilCompleted(user, hash);
    const ledger = await Ledger.open(fleet, accounts.auditor.address);
    return new Operations(fleet, wallets, ledger, hashes[0] ?? '0x');
  }

  get inFlight(): number {
    return this.pending.size;
  }

  /** Keeps a number of operations in flight until the signal. Resolves when the number is reached. */
  async keepInFlight(count: number, signal: AbortSignal): Promise<void> {
    while (this.pending.size < count) await this.begin();
    for (const { originTxHash } of this.pending)
      await waitUntil(`${originTxHash} is known`, async () => this.user.status(originTxHash));
    this.sending = this.goOn(count, signal);
  }

  /** Waits until every operation has ended. Returns a sentence for each that was not paid exactly once, as expected. */
  async findFaults(): Promise<string[]> {
    await this.sending;
    const { fleet, ledger } = this;
    await this.untilCompleted();
    const expectations: Expectation[] = [];
    for (let first = 0; first < this.sent.length; first += READ_TOGETHER) {
      const some = this.sent.slice(first, first + READ_TOGETHER);
      expectations.push(...(await Promise.all(some.map(async (each) => computeExpectation(fleet, each, null)))));
    }
    // Tokens of completed withdrawals are retired later.
    await waitUntil('all is retired', async () => (await ledger.wrongSupplies(expectations)).length === 0, PATIENCE);
    return [...(await wrongDeliveries(fleet, expectations, ledger.since)), ...(await ledger.differences(expectations))];
  }

  /** Waits until every operation is COMPLETED. */
  async untilCompleted(): Promise<void> {
    for (const { originTxHash } of this.sent) await untilCompleted(this.user, originTxHash);
  }

  private async goOn(count: number, signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await sleep(PAUSE_MS)) {
      await this.dropEnded();
      if (this.pending.size < count) await this.begin();
    }
  }

  private async dropEnded(): Promise<void> {
    const oldest = [...this.pending].slice(0, WATCHED);
    await Promise.all(
      oldest.map(async (each) => {
        // A killed service can fail to answer; then the request is repeated.
        const operation = await this.user.status(each.originTxHash).catch(() => null);
        if (operation?.status === 'COMPLETED') this.pending.delete(each);
      }),
    );
  }

  /** Sends the next operation. */
  async begin(): Promise<void> {
    const number = this.sent.length;
    const [kind, asset] = KINDS[number % KINDS.length] ?? KINDS[0];
    const amount = pickAsset(AMOUNTS, asset) + BigInt(number) * pickAsset(STEPS, asset);
    const recipient: Address = `0x${keccak256(toHex(`recipient ${number} after ${this.firstTxHash}`)).slice(-40)}`;
    const side = kind === 'deposit' ? 'ethereum' : 'partner';
    const call =
      kind === 'deposit'
        ? depositCall(this.fleet, asset, amount, recipient)
        : withdrawalCall(this.fleet, asset, amount, recipient);
    const wallet = this.wallets[side];
    const originTxHash = await wallet.send(call);
    const operation = { kind, asset, side, amount, sender: wallet.address, recipient, originTxHash } as const;
    this.sent.push(operation);
    this.pending.add(operation);
  }
}

function makeUser(fleet: Fleet): User {
  return new User({ ...fleet, stack: { apiUrl: `${fleet.apiUrl}/api/v1` } }, fleet.accounts.alice);
}

async function untilCompleted(user: User, originTxHash: Hex): Promise<void> {
  const isCompleted = async () => (await user.status(originTxHash))?.status === 'COMPLETED';
  await waitUntil(`the operation of ${originTxHash} is COMPLETED`, isCompleted, PATIENCE);
}

function depositCall({ book }: Fleet, asset: Asset, amount: bigint, recipient: Address) {
  const abi = bridgeLockAbi;
  const data =
    asset === 'ETH'
      ? encodeFunctionData({ abi, functionName: 'depositNative', args: [recipient] })
      : encodeFunctionData({
          abi,
          functionName: 'deposit',
          args: [getToken(book, 'ethereum', asset), amount, recipient],
        });
  return { to: book.ethereum.bridgeLock, data, value: asset === 'ETH' ? amount : 0n, gas: GAS };
}

function withdrawalCall({ book }: Fleet, asset: Asset, amount: bigint, destination: Address) {
  const abi = bridgeMintAbi;
  const data =
    asset === 'XCN'
      ? encodeFunctionData({ abi, functionName: 'withdrawNative', args: [destination, amount] })
      : encodeFunctionData({
          abi,
          functionName: 'burn',
          args: [getToken(book, 'partner', asset), amount, destination, amount],
        });
  return { to: book.partner.bridgeMint, data, value: asset === 'XCN' ? amount : 0n, gas: GAS };
}
