import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bridgeMintAbi, testXcnAbi } from '@causeway/contracts/abi';
import { deployBridge, deploymentConfigSchema, type AddressBook } from '@causeway/contracts/deploy';
import { PREDEPLOYS } from '@causeway/partner-chain';
import { startAnvil, startGateway, testAccount } from '@causeway/test-kit';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  numberToHex,
  parseEther,
  type Account,
  type Address,
  type Chain,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
  type WalletClient,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import {
  attestationDigest,
  createVerifier,
  MemoryRecord,
  type AttestedCall,
  type Node,
  type Side,
  type Verifier,
  type VerifierOptions,
  type VerifierSettings,
} from '../src/index.js';

// The bridge of these tests: anvil as Ethereum, the partner chain in its gateway, and the contracts with one attester.

export const [DEPLOYER, RELAYER] = [testAccount(0), testAccount(1)];
export const [ALICE, BOB] = [testAccount(10), testAccount(11)];
const ATTESTER = testAccount(5);
/** The operators sign with accounts that hold no funds here. */
export const OPERATORS = [testAccount(7), testAccount(8)] as const;
export const MAXIMUM_FEE = 2n ** 96n;
const CONFIG_FILE = new URL('../../../contracts/deploy/config/local.json', import.meta.url);
const FLOAT = parseEther('400000');

/** A chain of the tests. */
interface TestChain {
  readonly url: string;
  readonly client: PublicClient;
  readonly getWallet: (account: PrivateKeyAccount) => WalletClient<Transport, Chain, Account>;
}

/** Changes a node's answer for a test. It can also throw. */
export type Lie = (method: string, result: unknown, params: readonly unknown[]) => unknown;

/** The running bridge. */
export interface TestBridge {
  readonly book: AddressBook;
  readonly settings: VerifierSettings;
  readonly chains: Readonly<Record<Side, TestChain>>;
  /** Sends a transaction of an account, and waits for its receipt. */
  readonly send: (
    side: Side,
    account: PrivateKeyAccount,
    call: { readonly to?: Address; readonly data?: Hex; readonly value?: bigint },
  ) => Promise<TransactionReceipt>;
  /** Three nodes of a chain. The first ones apply the given lies; `null`: unavailable. */
  readonly nodes: (side: Side, lies?: readonly (Lie | null)[]) => readonly Node[];
  /** A verifier with three honest nodes per chain, and with these options changed. */
  readonly verifier: (over?: Partial<VerifierOptions>) => Verifier;
  /** Attests a call for the contract of a side. */
  readonly attest: (side: Side, call: AttestedCall) => Promise<Attestation>;
  /** Mines a block on Ethereum. */
  readonly mine: () => Promise<void>;
  /** Advances the clocks of both chains, and mines a block on each. */
  readonly travel: (seconds: number) => Promise<void>;
  /** Sets a balance on Ethereum, from the next block on. */
  readonly setBalance: (address: Address, value: bigint) => Promise<void>;
  /** Saves the state of Ethereum. The result restores it. */
  readonly snapshot: () => Promise<() => Promise<void>>;
  readonly stop: () => Promise<void>;
}

/** In the form of the contracts. */
interface Attestation {
  readonly setNumber: bigint;
  readonly validUntil: bigint;
  readonly attesters: readonly Address[];
  readonly signatures: readonly { readonly r: Hex; readonly yParityAndS: Hex }[];
}

export async function startBridge(): Promise<TestBridge> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-verifier-'));
  const genesis = join(folder, 'genesis.json');
  const balances = Array.from({ length: 12 }, (_, index) => [
    testAccount(index).address,
    { balance: parseEther('1000000').toString() },
  ]);
  writeFileSync(genesis, JSON.stringify({ alloc: { ...PREDEPLOYS, ...Object.fromEntries(balances) } }));
  const anvil = await startAnvil({ chainId: 31_337 });
  const gateway = await startGateway({
    CHAIN_ID: '8901',
    GENESIS: genesis,
    DATA_DIRECTORY: join(folder, 'chain'),
    BLOCK_INTERVAL_MS: '0',
    DEVELOPMENT_METHODS: 'true',
  }).catch(async (error: unknown) => {
    await anvil.stop();
    throw error;
  });
  const chains = { ethereum: makeChain(31_337, anvil.url), partner: makeChain(8_901, gateway.httpUrl) };
  const config = deploymentConfigSchema.parse({
    ...(JSON.parse(readFileSync(fileURLToPath(CONFIG_FILE), 'utf8')) as object),
    adminDelaySeconds: 0,
    attesters: [ATTESTER.address],
    threshold: 1,
  });
  const book = await deployBridge({
    config,
    ethereum: { client: chains.ethereum.client, wallet: chains.ethereum.getWallet(DEPLOYER) },
    partner: { client: chains.partner.client, wallet: chains.partner.getWallet(DEPLOYER) },
  });
  const settings = toSettings(book);
  const bridge: TestBridge = {
    book,
    settings,
    chains,
    send: async (side, account, call) => {
      const { client, getWallet } = chains[side];
      const hash = await getWallet(account).sendTransaction(call);
      const receipt = await client.waitForTransactionReceipt({ hash });
      if (receipt.status !== 'success') throw new Error(`${hash} reverted`);
      return receipt;
    },
    nodes: (side, lies = []) =>
      [0, 1, 2].map((index) => makeNode(`${side}-${index}`, chains[side].client, lies[index])),
    verifier: (over = {}) => {
      const chain = (side: Side) => ({ nodes: bridge.nodes(side), quorum: 2, confirmations: 1, timeoutMs: 5_000 });
      const given = { settings, ethereum: chain('ethereum'), partner: chain('partner'), record: new MemoryRecord() };
      return createVerifier({ ...given, ...over });
    },
    attest: async (side, call) => {
      const { timestamp } = await chains[side].client.getBlock();
      const consent = { setNumber: 1n, validUntil: timestamp + 300n };
      const hash = attestationDigest(call, consent, settings[side]);
      const signature = await ATTESTER.sign({ hash });
      const [r, s] = [`0x${signature.slice(2, 66)}`, BigInt(`0x${signature.slice(66, 130)}`)] as const;
      const parity = signature.endsWith('1c') ? 1n << 255n : 0n;
      const yParityAndS = `0x${(parity | s).toString(16).padStart(64, '0')}` as const;
      return { ...consent, attesters: [ATTESTER.address], signatures: [{ r, yParityAndS }] };
    },
    mine: async () => anvil.test.mine({ blocks: 1 }),
    travel: async (seconds) => {
      for (const { client } of Object.values(chains)) {
        await client.request({ method: 'evm_increaseTime', params: [numberToHex(seconds)] } as never);
        await client.request({ method: 'evm_mine', params: [] } as never);
      }
    },
    setBalance: async (address, value) => anvil.test.setBalance({ address, value }),
    snapshot: async () => {
      const id = await anvil.test.snapshot();
      return async () => anvil.test.revert({ id });
    },
    stop: async () => {
      await Promise.all([anvil.stop(), gateway.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await fund(bridge);
  return bridge;
}

/** Gives Alice every token on Ethereum, and BridgeMint a float. */
async function fund({ book, chains }: TestBridge): Promise<void> {
  const wallet = chains.ethereum.getWallet(ALICE);
  for (const address of [book.ethereum.tokens.USDC, book.ethereum.tokens.XCN]) {
    const token = { address, abi: testXcnAbi } as const;
    const mint = await wallet.writeContract({ ...token, functionName: 'mint', args: [ALICE.address, 10n ** 27n] });
    await chains.ethereum.client.waitForTransactionReceipt({ hash: mint });
    const args = [book.ethereum.bridgeLock, 10n ** 27n] as const;
    const approve = await wallet.writeContract({ ...token, functionName: 'approve', args });
    await chains.ethereum.client.waitForTransactionReceipt({ hash: approve });
  }
  const topUp = { address: book.partner.bridgeMint, abi: bridgeMintAbi, functionName: 'topUp', value: FLOAT } as const;
  const hash = await chains.partner.getWallet(DEPLOYER).writeContract(topUp);
  await chains.partner.client.waitForTransactionReceipt({ hash });
}

function toSettings({ ethereum, partner }: AddressBook): VerifierSettings {
  const coin: Address = '0x0000000000000000000000000000000000000000';
  const { chainId, bridgeLock, tokens } = ethereum;
  return {
    ethereum: { chainId, contract: bridgeLock, deployedAtBlock: BigInt(ethereum.deployedAtBlock) },
    partner: {
      chainId: partner.chainId,
      contract: partner.bridgeMint,
      deployedAtBlock: BigInt(partner.deployedAtBlock),
    },
    assets: [
      { symbol: 'ETH', decimals: 18, tokens: { ethereum: coin, partner: partner.tokens.ETH } },
      { symbol: 'USDC', decimals: 6, tokens: { ethereum: tokens.USDC, partner: partner.tokens.USDC } },
      { symbol: 'XCN', decimals: 18, tokens: { ethereum: tokens.XCN, partner: coin } },
    ],
    holdSeconds: 0,
    isLocal: true,
    operators: { addresses: OPERATORS.map(({ address }) => address.toLowerCase() as Address), needed: 2 },
  };
}

function makeChain(id: number, url: string): TestChain {
  const transport = http(url, { retryCount: 0 });
  const chain = defineChain({
    id,
    name: `chain ${id}`,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  return {
    url,
    client: createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 }),
    getWallet: (account) => createWalletClient({ chain, transport, account }),
  };
}

function makeNode(name: string, client: PublicClient, lie?: Lie | null): Node {
  const request = async ({ method, params }: { method: string; params: never }): Promise<unknown> => {
    if (lie === null) throw new Error('connection refused');
    const result: unknown = await client.request({ method, params } as never);
    return lie === undefined ? result : lie(method, structuredClone(result), params);
  };
  return { name, client: { request } };
}
