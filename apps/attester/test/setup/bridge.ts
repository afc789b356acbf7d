import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lower } from '@causeway/chain';
import { bridgeLockAbi, bridgeMintAbi, testXcnAbi } from '@causeway/contracts/abi';
import { deployBridge, deploymentConfigSchema, type AddressBook } from '@causeway/contracts/deploy';
import { PREDEPLOYS } from '@causeway/partner-chain';
import { requestDeployment, requestDigest } from '@causeway/protocol/admin';
import type { AttestItem } from '@causeway/protocol/attest';
import { startAnvil, startGateway, testAccount } from '@causeway/test-kit';
import { computeIntentId, computeRefundId, type Intent, type Side, type TransferOrigin } from '@causeway/verifier';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  http,
  keccak256,
  parseEther,
  parseEventLogs,
  stringToHex,
  zeroAddress,
  type Address,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

// The bridge of these tests: anvil as Ethereum, the partner chain in its gateway, and the contracts with one attester.

const DEPLOYER = testAccount(0);
export const RELAYER = testAccount(1);
const [ALICE, BOB] = [testAccount(10), testAccount(11)];
const POLICY_MANAGER = testAccount(6);
const OPERATORS = [testAccount(7), testAccount(8)] as const;
const CONFIG = fileURLToPath(new URL('../../../../contracts/deploy/config/local.json', import.meta.url));
const MOST = 2n ** 96n;

/** An item of a kind. */
export type Item<K extends AttestItem['kind']> = Extract<AttestItem, { kind: K }>;

export interface TestBridge {
  readonly book: AddressBook;
  /** Path of the address book. */
  readonly bookFile: string;
  /** For data of a test. */
  readonly folder: string;
  readonly urls: Readonly<Record<Side, string>>;
  readonly clients: Readonly<Record<Side, PublicClient>>;
  readonly send: (
    side: Side,
    account: PrivateKeyAccount,
    call: { readonly to: Address; readonly data?: Hex; readonly value?: bigint },
  ) => Promise<TransactionReceipt>;
  readonly deposit: (amount: bigint, recipient?: Address) => Promise<Item<'MINT'>>;
  readonly withdraw: (amount: bigint) => Promise<Item<'RELEASE'>>;
  /** Pays native XCN to the relayer wallet. */
  readonly pay: (amount: bigint) => Promise<TransferOrigin>;
  /** Sweeps the coin of such a payment into the float, which an intent requires. */
  readonly sweep: (origin: TransferOrigin, amount: bigint) => Promise<void>;
  /** Pays and sweeps. */
  readonly payAndSweep: (amount: bigint) => Promise<TransferOrigin>;
  /** The refund of such a payment, approved by the operators. */
  readonly approveRefund: (arrival: TransferOrigin, amount: bigint) => Promise<Item<'REFUND'>>;
  /** An intent of Alice, accepted at the newest block. */
  readonly signIntent: (amount: bigint, nonce: string, fee: bigint) => Promise<Item<'INTENT'>>;
  /** Signs a withdrawal of native XCN by Bob. The result sends it, and can be called again on another branch. */
  readonly signWithdrawal: (amount: bigint) => Promise<() => Promise<Item<'RELEASE'>>>;
  /** Sets the minimum fee of native XCN. */
  readonly setLeastFee: (fee: bigint) => Promise<void>;
  /**
   * Saves the state of a chain. The result replaces all later blocks; `redo` makes new ones, up to a greater height.
   */
  readonly keepState: (side: Side) => Promise<(redo: () => Promise<void>) => Promise<void>>;
  readonly mine: (side: Side, blocks?: bigint) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** @param attesters the members of both sets; more than half must sign. */
export async function startBridge(attesters: readonly Address[]): Promise<TestBridge> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-attester-'));
  const genesis = join(folder, 'genesis.json');
  const balances = [0, 1, 6, 10, 11].map((index) => [
    testAccount(index).address,
    { balance: parseEther('100000000').toString() },
  ]);
  writeFileSync(genesis, JSON.stringify({ alloc: { ...PREDEPLOYS, ...Object.fromEntries(balances) } }));
  const [anvil, gateway] = await Promise.all([
    startAnvil({ chainId: 31_337 }),
    startGateway({
      CHAIN_ID: '8901',
      GENESIS: genesis,
      DATA_DIRECTORY: join(folder, 'chain'),
      BLOCK_INTERVAL_MS: '0',
      DEVELOPMENT_METHODS: 'true',
    }),
  ]);
  const urls = { ethereum: anvil.url, partner: gateway.httpUrl };
  const chains = { ethereum: makeChain(31_337, urls.ethereum), partner: makeChain(8_901, urls.partner) };
  const clients = { ethereum: chains.ethereum.client, partner: chains.partner.client };
  const config = deploymentConfigSchema.parse({
    ...(JSON.parse(readFileSync(CONFIG, 'utf8')) as object),
    adminDelaySeconds: 0,
    attesters,
    threshold: Math.floor(attesters.length / 2) + 1,
  });
  const book = await deployBridge({
    config,
    ethereum: { client: clients.ethereum, wallet: chains.ethereum.getWallet(DEPLOYER) },
    partner: { client: clients.partner, wallet: chains.partner.getWallet(DEPLOYER) },
  });
  const bookFile = join(folder, 'book.json');
  writeFileSync(bookFile, JSON.stringify(book));
  const [lock, mint] = [book.ethereum.bridgeLock, book.partner.bridgeMint];
  const domain = { chainId: 8_901, contract: mint };
  const { USDC, XCN } = book.ethereum.tokens;
  const alice = lower(ALICE.address);
  const send: TestBridge['send'] = async (side, account, call) => {
    const hash = await chains[side].getWallet(account).sendTransaction(call);
    const receipt = await clients[side].waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`${hash} reverted`);
    return receipt;
  };
  for (const token of [USDC, XCN]) {
    const abi = testXcnAbi;
    const args = [ALICE.address, 10n ** 27n] as const;
    await send('ethereum', ALICE, { to: token, data: encodeFunctionData({ abi, functionName: 'mint', args }) });
    const approval = encodeFunctionData({ abi, functionName: 'approve', args: [lock, 10n ** 27n] });
    await send('ethereum', ALICE, { to: token, data: approval });
  }
  // Collateral for releases of XCN, and a float for mints of it.
  const locked = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'deposit', args: [XCN, 10n ** 23n, alice] });
  await send('ethereum', ALICE, { to: lock, data: locked });
  const topUp = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'topUp' });
  await send('partner', DEPLOYER, { to: mint, data: topUp, value: parseEther('400000') });
  const askNode = async (side: Side, method: string, params: readonly unknown[]): Promise<unknown> =>
    clients[side].request({ method, params } as never);
  const pay: TestBridge['pay'] = async (value) => {
    const { blockNumber, transactionHash } = await send('partner', ALICE, { to: RELAYER.address, value });
    return { blockNumber, transactionHash, callIndex: 0 };
  };
  const sweep: TestBridge['sweep'] = async (origin, amount) => {
    const transfer = { transferId: computeRefundId({ chainId: 8_901, asset: 'XCN', ...origin }), amount };
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'sweep', args: [[transfer]] });
    await send('partner', RELAYER, { to: mint, data, value: amount });
  };
  const mine: TestBridge['mine'] = async (side, blocks = 1n) => {
    for (let made = 0n; made < blocks; made += 1n) await askNode(side, 'evm_mine', []);
  };
  return {
    book,
    bookFile,
    folder,
    urls,
    clients,
    send,
    deposit: async (amount, recipient = alice) => {
      const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'deposit', args: [USDC, amount, recipient] });
      const { logs, blockNumber, transactionHash } = await send('ethereum', ALICE, { to: lock, data });
      const [event] = parseEventLogs({ abi: bridgeLockAbi, eventName: 'Deposit', logs });
      const { depositId: id, nonce: depositNonce } = event!.args;
      const payment = { depositNonce, token: book.partner.tokens.USDC, recipient, amount };
      return { kind: 'MINT', id, origin: { blockNumber, transactionHash }, payment };
    },
    withdraw: async (amount) => {
      const args = [book.partner.tokens.USDC, amount, alice, MOST] as const;
      const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'burn', args });
      return toRelease(await send('partner', ALICE, { to: mint, data }), USDC);
    },
    signWithdrawal: async (value) => {
      const data = encodeFunctionData({
        abi: bridgeMintAbi,
        functionName: 'withdrawNative',
        args: [BOB.address, MOST],
      });
      const wallet = chains.partner.getWallet(BOB);
      const request = await wallet.prepareTransactionRequest({ to: mint, data, value, gas: 300_000n });
      const serializedTransaction = await wallet.signTransaction(request);
      return async () => {
        const hash = await wallet.sendRawTransaction({ serializedTransaction });
        return toRelease(await clients.partner.waitForTransactionReceipt({ hash }), XCN);
      };
    },
    setLeastFee: async (minFee) => {
      const args = [zeroAddress, { bps: 25, minFee, minAmount: parseEther('5000') }] as const;
      const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'setFeePolicy', args });
      await send('partner', POLICY_MANAGER, { to: mint, data });
    },
    mine,
    keepState: async (side) => {
      const snapshot = await askNode(side, 'evm_snapshot', []);
      return async (redo) => {
        const former = await clients[side].getBlockNumber();
        await askNode(side, 'evm_revert', [snapshot]);
        // Restoring anvil's state also resets its clock.
        if (side === 'ethereum') await askNode(side, 'evm_setTime', [Math.floor(Date.now() / 1_000)]);
        await redo();
        const left = former - (await clients[side].getBlockNumber()) + 1n;
        await mine(side, left < 1n ? 1n : left);
      };
    },
    pay,
    sweep,
    payAndSweep: async (amount) => {
      const origin = await pay(amount);
      await sweep(origin, amount);
      return origin;
    },
    approveRefund: async (arrival, amount) => {
      const id = computeRefundId({ chainId: 8_901, asset: 'XCN', ...arrival });
      const about = { status: 'REQUESTED', operationId: id, chainId: 8_901, asset: 'XCN', recipient: null } as const;
      const request = {
        id,
        reason: 'sent by mistake',
        validUntil: 1_800_000_000,
        terms: { kind: 'REFUND_APPROVE', refundId: id, recipient: alice, amount: `${amount}` },
        decidedOn: { about: 'refund', ...about, amount: `${amount}`, payer: alice },
      } as const;
      const hash = requestDigest(requestDeployment(book), request);
      const { reason, validUntil } = request;
      const signatures = await Promise.all(OPERATORS.map(async (operator) => operator.sign({ hash })));
      const terms = { status: 'REQUESTED', formerRecipient: null, operationId: id };
      const approval = { requestId: id, reason, validUntil, ...terms, signatures };
      const payment = { wallet: lower(RELAYER.address), token: zeroAddress, recipient: alice, amount };
      return { kind: 'REFUND', id, arrival, ...payment, approval };
    },
    signIntent: async (amount, nonce, fee) => {
      const deadline = BigInt(Math.floor(Date.now() / 1_000) + 1_800);
      const terms = { sender: alice, recipient: alice, amount, deadline, nonceHash: keccak256(stringToHex(nonce)) };
      const id = computeIntentId(domain, terms);
      const intent: Intent = { ...terms, signature: await ALICE.sign({ hash: id }) };
      const judgedAtBlock = await clients.partner.getBlockNumber();
      return { kind: 'INTENT', id, origin: null, intent, fee, judgedAtBlock };
    },
    stop: async () => {
      await Promise.all([anvil.stop(), gateway.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The configuration of an attester on this bridge, without exchanges and record. */
export function makeEnvironment(
  { bookFile, urls }: TestBridge,
  key: Hex,
  validitySeconds: number,
): Readonly<Record<string, string>> {
  return {
    ENVIRONMENT: 'local',
    ADDRESS_BOOK: bookFile,
    ATTESTER_ADDRESS: privateKeyToAccount(key).address,
    ATTESTER_PRIVATE_KEY: key,
    ETHEREUM_RPC_URLS: `own=${urls.ethereum}`,
    PARTNER_RPC_URLS: `own=${urls.partner}`,
    ETHEREUM_CONFIRMATIONS: '1',
    PARTNER_CONFIRMATIONS: '1',
    HOLD_SECONDS: '0',
    OPERATORS: OPERATORS.map(({ address }) => address).join(','),
    LIMITS_PER_HOUR: 'ETH=10,USDC=1000,XCN=100000',
    LIMITS_PER_DELIVERY: 'ETH=1,USDC=400,XCN=50000',
    ATTEST_VALIDITY_SECONDS: String(validitySeconds),
  };
}

/** The delivery that a withdrawal is owed. */
function toRelease({ logs, blockNumber, transactionHash }: TransactionReceipt, token: Address): Item<'RELEASE'> {
  const [event] = parseEventLogs({ abi: bridgeMintAbi, eventName: 'Withdraw', logs });
  const { withdrawId: id, nonce: withdrawNonce, destination, amount, fee } = event!.args;
  const payment = { withdrawNonce, token, recipient: lower(destination), amount: amount - fee, fee };
  return { kind: 'RELEASE', id, origin: { blockNumber, transactionHash }, payment };
}

function makeChain(id: number, url: string) {
  const transport = http(url, { retryCount: 0 });
  const nativeCurrency = { name: 'native', symbol: 'native', decimals: 18 };
  const chain = defineChain({ id, name: `${id}`, nativeCurrency, rpcUrls: { default: { http: [url] } } });
  return {
    client: createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 }) as PublicClient,
    getWallet: (account: PrivateKeyAccount) => createWalletClient({ chain, transport, account }),
  };
}
