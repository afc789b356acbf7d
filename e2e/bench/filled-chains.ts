import { setTimeout as sleep } from 'node:timers/promises';
import { computeRefundId, getToken, intentDomain, intentNonceHash, xcnWithdrawIntentTypes } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi, testXcnAbi } from '@causeway/protocol/abi';
import { waitUntil } from '@causeway/test-kit';
import { User, type Environment } from '@causeway/testbed';
import {
  encodeFunctionData,
  pad,
  parseAbi,
  parseEther,
  toHex,
  zeroAddress,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

// Fills both chains with completed operations faster than the relayer could: a contract begins many in a transaction,
// and the relayer's key delivers, retires and sweeps without the relayer. The contracts have no attesters.

/** The predeploy of the partner chain; Ethereum gets its code. */
const MULTICALL: Address = '0xca11bde05977b3631167028862be2a173976ca11';
const MULTICALL_ABI = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
]);
/** Operations of each kind in a step. */
const COUNTS = { deposits: 50, burns: 45, intents: 5 } as const;
export const PER_STEP = COUNTS.deposits + COUNTS.burns + COUNTS.intents;
/** Below both chains' limit of a transaction, 2^24. */
const GAS = { batch: 16_500_000n, call: 400_000n } as const;
/** The partner chain charges about 600,000 of gas for a new account. */
const MINTS_TOGETHER = 25;
/** Steps between an operation and its delivery. */
const LAG = 4;
/** Two steps share a block of one second: 200 operations, which begin or end in it. */
const STEPS_PER_BLOCK = 2;
/** Steps whose burns are retired together, and whose payments are swept together. */
const UPKEEP_STEPS = 20;
const DEPOSIT = 10n ** 13n;
/** The smallest withdrawal of ETH, and its fee. */
const BURN = { amount: 10n ** 16n, fee: 3n * 10n ** 15n } as const;
/** The smallest intent, in 18-decimal units. Each is larger than the previous one, so that all amounts differ. */
const INTENT = { amount: parseEther('5000'), step: 10n ** 10n, fee: parseEther('1000') } as const;
const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] } as const;

type Side = 'ethereum' | 'partner';
type Senders = Readonly<Record<Side, Sender>>;

/** An intent with its payment. */
interface PaidIntent {
  readonly terms: {
    sender: Address;
    recipient: Address;
    amount: bigint;
    deadline: bigint;
    nonceHash: Hex;
    signature: Hex;
  };
  readonly transferId: Hex;
}

/**
 * Kills the relayer, and fills the chains with completed operations until all are final.
 *
 * @param operations a multiple of `PER_STEP`.
 */
export async function fillChains(
  environment: Environment,
  operations: number,
  onProgress: (line: string) => void,
): Promise<void> {
  const steps = operations / PER_STEP;
  await fundSenders(environment, BigInt(steps));
  await environment.killRelayer();
  const filling = await Filling.open(environment);
  const intents: (readonly PaidIntent[])[] = [];
  for (let step = 0; step < steps + LAG; step++) {
    if (step < steps) intents.push(await filling.begin(step));
    const due = step - LAG;
    if (due >= 0) await filling.deliver(due, intents[due] ?? []);
    if (due >= 0 && (due + 1) % UPKEEP_STEPS === 0)
      await filling.maintain(intents.slice(due + 1 - UPKEEP_STEPS, due + 1).flat());
    if (step % STEPS_PER_BLOCK === 0) await filling.untilMined();
    if (step % 50 === 0) onProgress(`${step * PER_STEP} of ${operations} operations begun`);
  }
  await filling.untilMined();
  const { ethereumConfirmations, partnerConfirmations } = environment.options;
  await sleep(1_000 * (2 + Math.max(ethereumConfirmations, partnerConfirmations)));
}

/** Makes deposits from which the burns and the intents are paid. */
async function fundSenders(environment: Environment, steps: bigint): Promise<void> {
  const { ethereum, partner, book, accounts } = environment;
  const { alice, bob } = accounts;
  const code = await partner.client.getCode({ address: MULTICALL });
  await ethereum.test.setCode({ address: MULTICALL, bytecode: code ?? '0x' });
  const funds = {
    eth: steps * BigInt(COUNTS.burns) * BURN.amount,
    xcn: steps * BigInt(COUNTS.intents) * (INTENT.amount + parseEther('1')),
  };
  const minting = await ethereum.getWallet(alice).writeContract({
    address: book.ethereum.tokens.XCN,
    abi: testXcnAbi,
    functionName: 'mint',
    args: [alice.address, funds.xcn],
  });
  await ethereum.client.waitForTransactionReceipt({ hash: minting });
  const user = new User(environment, alice);
  for (const sent of [
    await user.deposit('ETH', funds.eth, MULTICALL),
    await user.deposit('XCN', funds.xcn, bob.address),
  ]) {
    const isCompleted = async () => (await user.status(sent.originTxHash))?.status === 'COMPLETED';
    await waitUntil('the funds arrive', isCompleted, { timeoutMs: 120_000 });
  }
}

/** Sends transactions of an account with local nonces. */
class Sender {
  private readonly client: PublicClient;
  private readonly account: PrivateKeyAccount;
  private readonly terms: {
    readonly chainId: number;
    readonly maxFeePerGas: bigint;
    readonly maxPriorityFeePerGas: bigint;
  };
  private nonce: number;

  private constructor(client: PublicClient, account: PrivateKeyAccount, terms: Sender['terms'], nonce: number) {
    this.client = client;
    this.account = account;
    this.terms = terms;
    this.nonce = nonce;
  }

  static async open(client: PublicClient, privateKey: Hex): Promise<Sender> {
    const account = privateKeyToAccount(privateKey);
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    const terms = { chainId: await client.getChainId(), maxFeePerGas: 5n * maxFeePerGas, maxPriorityFeePerGas };
    return new Sender(client, account, terms, await client.getTransactionCount({ address: account.address }));
  }

  async send(call: { to: Address; data?: Hex; value?: bigint; gas: bigint }): Promise<Hex> {
    const { terms, account, nonce } = this;
    this.nonce++;
    const serializedTransaction = await account.signTransaction({ ...call, ...terms, nonce, type: 'eip1559' });
    return this.client.sendRawTransaction({ serializedTransaction });
  }

  async mined(hash: Hex): Promise<void> {
    const { status } = await this.client.waitForTransactionReceipt({ hash, timeout: 30_000 });
    if (status !== 'success') throw new Error(`The transaction ${hash} of ${this.account.address} reverted`);
  }
}

class Filling {
  private last: Partial<Record<Side, Hex>> = {};

  private readonly environment: Environment;
  private readonly users: Senders;
  private readonly relayer: Senders;
  /** The numbers of the first operations. */
  private readonly first: { readonly deposit: bigint; readonly burn: bigint };

  private constructor(environment: Environment, users: Senders, relayer: Senders, first: Filling['first']) {
    this.environment = environment;
    this.users = users;
    this.relayer = relayer;
    this.first = first;
  }

  static async open(environment: Environment): Promise<Filling> {
    const { ethereum, partner, accounts, book } = environment;
    const open = async (side: Side, key: Hex) => Sender.open(environment[side].client, key);
    const both = async (key: Hex) => ({ ethereum: await open('ethereum', key), partner: await open('partner', key) });
    const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
    return new Filling(environment, await both(accounts.bob.privateKey), await both(accounts.relayer.privateKey), {
      deposit: await ethereum.client.readContract({ ...lock, functionName: 'depositNonce' }),
      burn: await partner.client.readContract({ ...mint, functionName: 'withdrawNonce' }),
    });
  }

  /** Begins the operations of a step, and returns its intents. */
  async begin(step: number): Promise<readonly PaidIntent[]> {
    const { book } = this.environment;
    const target = { ethereum: book.ethereum.bridgeLock, partner: book.partner.bridgeMint };
    const deposits = this.deposits(step).map(({ recipient, amount }) => ({
      target: target.ethereum,
      allowFailure: false,
      value: amount,
      callData: encodeFunctionData({ abi: bridgeLockAbi, functionName: 'depositNative', args: [recipient] }),
    }));
    const burns = this.burns(step).map(({ recipient }) => ({
      target: target.partner,
      allowFailure: false,
      value: 0n,
      callData: encodeFunctionData({
        abi: bridgeMintAbi,
        functionName: 'burn',
        args: [this.bridgedEth, BURN.amount, recipient, BURN.fee],
      }),
    }));
    await this.users.ethereum.send({
      to: MULTICALL,
      value: DEPOSIT * BigInt(deposits.length),
      gas: GAS.batch,
      data: encodeFunctionData({ abi: MULTICALL_ABI, functionName: 'aggregate3Value', args: [deposits] }),
    });
    await this.users.partner.send({
      to: MULTICALL,
      gas: GAS.batch,
      data: encodeFunctionData({ abi: MULTICALL_ABI, functionName: 'aggregate3Value', args: [burns] }),
    });
    const intents: PaidIntent[] = [];
    for (let index = 0; index < COUNTS.intents; index++)
      intents.push(await this.payIntent(step * COUNTS.intents + index));
    return intents;
  }

  /** Delivers the operations of a step. */
  async deliver(step: number, intents: readonly PaidIntent[]): Promise<void> {
    const { book } = this.environment;
    const mints = this.deposits(step).map((each) => ({ ...each, token: this.bridgedEth }));
    for (let first = 0; first < mints.length; first += MINTS_TOGETHER) {
      const args = [mints.slice(first, first + MINTS_TOGETHER), NO_ATTESTATION] as const;
      const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args });
      this.last.partner = await this.relayer.partner.send({ to: book.partner.bridgeMint, gas: GAS.batch, data });
    }
    const to = book.ethereum.bridgeLock;
    const releases = this.burns(step);
    this.last.ethereum = await this.relayer.ethereum.send({
      to,
      gas: GAS.batch,
      data: encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseMany', args: [releases, NO_ATTESTATION] }),
    });
    for (const { terms, transferId } of intents) {
      const args = [terms, transferId, INTENT.fee, NO_ATTESTATION] as const;
      const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseIntent', args });
      this.last.ethereum = await this.relayer.ethereum.send({ to, gas: GAS.call, data });
    }
  }

  /** Retires the burns of the last steps, and sweeps their payments. */
  async maintain(paid: readonly PaidIntent[]): Promise<void> {
    const to = this.environment.book.partner.bridgeMint;
    const amount = BigInt(UPKEEP_STEPS * COUNTS.burns) * BURN.amount;
    await this.relayer.partner.send({
      to,
      gas: GAS.call,
      data: encodeFunctionData({ abi: bridgeMintAbi, functionName: 'retire', args: [this.bridgedEth, amount] }),
    });
    const swept = paid.map(({ transferId, terms }) => ({ transferId, amount: terms.amount }));
    this.last.partner = await this.relayer.partner.send({
      to,
      gas: GAS.batch,
      value: swept.reduce((sum, each) => sum + each.amount, 0n),
      data: encodeFunctionData({ abi: bridgeMintAbi, functionName: 'sweep', args: [swept] }),
    });
  }

  /** Waits until the newest deliveries are mined. */
  async untilMined(): Promise<void> {
    for (const side of ['ethereum', 'partner'] as const) {
      const hash = this.last[side];
      if (hash !== undefined) await this.relayer[side].mined(hash);
    }
  }

  private get bridgedEth(): Address {
    return getToken(this.environment.book, 'partner', 'ETH');
  }

  private deposits(step: number) {
    const first = this.first.deposit + BigInt(step * COUNTS.deposits);
    return Array.from({ length: COUNTS.deposits }, (_, index) => {
      const depositNonce = first + BigInt(index);
      return { depositNonce, recipient: makeRecipient(depositNonce), amount: DEPOSIT };
    });
  }

  private burns(step: number) {
    const first = this.first.burn + BigInt(step * COUNTS.burns);
    return Array.from({ length: COUNTS.burns }, (_, index) => {
      const withdrawNonce = first + BigInt(index);
      const { amount, fee } = BURN;
      return { withdrawNonce, token: zeroAddress, recipient: makeRecipient(withdrawNonce), amount: amount - fee, fee };
    });
  }

  private async payIntent(index: number): Promise<PaidIntent> {
    const { book, accounts, partner } = this.environment;
    const { address: sender } = accounts.bob;
    const amount = INTENT.amount + BigInt(index) * INTENT.step;
    const nonce = `filled-${index}`;
    const deadline = BigInt(Math.floor(Date.now() / 1_000) + 1_800);
    const recipient = makeRecipient(BigInt(index));
    const signature = await partner.getWallet(accounts.bob).signTypedData({
      domain: intentDomain(book.partner),
      types: xcnWithdrawIntentTypes,
      primaryType: 'XcnWithdrawIntent',
      message: { sender, recipient, amount, deadline, nonce },
    });
    const txHash = await this.users.partner.send({ to: book.relayer, value: amount, gas: GAS.call });
    const transferId = computeRefundId({ chainId: book.partner.chainId, txHash, asset: 'XCN', callIndex: 0 });
    return { terms: { sender, recipient, amount, deadline, nonceHash: intentNonceHash(nonce), signature }, transferId };
  }
}

/** An address of its own for each number. */
function makeRecipient(number: bigint): Address {
  return pad(toHex(0xb000_0000n + number), { size: 20 });
}
