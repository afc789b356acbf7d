import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { testUsdcBytecode, testXcnBytecode } from '@causeway/contracts/bytecode';
import { deployBridge, deploymentConfigSchema, writeAddressBook } from '@causeway/contracts/deploy';
import { PREDEPLOYS } from '@causeway/partner-chain';
import type { AddressBook } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi } from '@causeway/protocol/abi';
import {
  encryptKeystore,
  REMOTE_SIGNER_CLIENT,
  startAnvil,
  startGateway,
  startKms,
  startRemoteSigner,
  temporaryDatabase,
  testAccount,
  testKey,
  waitUntil,
  type Anvil,
  type GatewayProcess,
  type PostgresServer,
} from '@causeway/test-kit';
import { makeTables, roleUrl } from '@causeway/testbed';
import { createPublicClient, createWalletClient, defineChain, http, parseEther, type Address, type Hex } from 'viem';

// The relayer with the chain ids, roles and timelocks of testnet and mainnet, and each kind of signer allowed there. A
// deposit of ETH shows that it signs.

const require = createRequire(import.meta.url);
const main = require.resolve('@causeway/relayer/main');
const DEPLOYER = testAccount(0);
const RELAYER_KEY = testKey(1);
const PASSWORD = 'correct horse';
const AMOUNT = parseEther('1');

interface PublicEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly ethereum: Anvil;
  readonly book: AddressBook;
  readonly partnerUrl: string;
  readonly stop: () => Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-public-'));
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

/** Deliveries need no attesters here. */
const WITHOUT_ATTESTERS = { attesters: [], threshold: 0, minimumThreshold: 0 };

/** Deploys an environment's example configuration, with its placeholders filled in. */
async function deploy(environment: string, ethereum: Anvil, partner: GatewayProcess, partnerChainId: number) {
  const token = async (data: Hex): Promise<Address> => {
    const hash = await ethereum.wallet.sendTransaction({ data });
    const { contractAddress } = await ethereum.client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('The token was not deployed');
    return contractAddress;
  };
  const tokens = { USDC: await token(testUsdcBytecode), XCN: await token(testXcnBytecode) };
  const example = new URL(`../../contracts/deploy/config/${environment}.example.json`, import.meta.url);
  const roles = ['RELAYER', 'STANDBY', 'ADMIN', 'RECOVERY', 'POLICY_MANAGER', 'GUARDIAN', 'PAUSER', 'TREASURY'];
  const text = readFileSync(example, 'utf8').replaceAll(/<([A-Z_]+)>/g, (_, name: string) => {
    if (name.startsWith('USDC')) return tokens.USDC;
    if (name.startsWith('XCN')) return tokens.XCN;
    return testAccount(1 + roles.findIndex((role) => name.startsWith(role))).address;
  });
  const chain = defineChain({
    id: partnerChainId,
    name: 'partner',
    nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
    rpcUrls: { default: { http: [partner.httpUrl] } },
  });
  return deployBridge({
    config: deploymentConfigSchema.parse({ ...JSON.parse(text), ...WITHOUT_ATTESTERS }),
    ethereum,
    partner: {
      client: createPublicClient({ chain, transport: http(), pollingInterval: 50, cacheTime: 0 }),
      wallet: createWalletClient({ chain, transport: http(), account: DEPLOYER }),
    },
  });
}

/** Starts both chains and a database, deploys the bridge, and returns a relayer's variables without the signer. */
async function start(environment: string, ethereumChainId: number, partnerChainId: number): Promise<PublicEnvironment> {
  const balance = parseEther('1000000').toString();
  const accounts = [DEPLOYER, testAccount(1)].map(({ address }) => [address, { balance }] as const);
  const genesis = file(
    `${environment}-genesis.json`,
    JSON.stringify({ alloc: { ...PREDEPLOYS, ...Object.fromEntries(accounts) } }),
  );
  const [ethereum, partner, database] = await Promise.all([
    startAnvil({ chainId: ethereumChainId }),
    startGateway({
      CHAIN_ID: `${partnerChainId}`,
      GENESIS: genesis,
      BLOCK_INTERVAL_MS: '200',
      DATA_DIRECTORY: join(folder, environment),
    }),
    temporaryDatabase(),
  ]);
  const stop = async () => {
    await Promise.all(
      [ethereum, partner, database].map((part: Anvil | GatewayProcess | PostgresServer) => part.stop()),
    );
  };
  await makeTables(database.url);
  const book = await deploy(environment, ethereum, partner, partnerChainId);
  // A mint's backing is read at an Ethereum block that is not older than the partner chain's block.
  await ethereum.test.setIntervalMining({ interval: 1 });
  const path = join(folder, `${environment}-book.json`);
  writeAddressBook(path, book);
  // One node under two names, since two must agree outside `local`.
  const twice = (url: string) => `${url},${url.replace('127.0.0.1', 'localhost')}`;
  const variables = {
    ENVIRONMENT: environment,
    DATABASE_URL: roleUrl(database.url, 'causeway_relayer'),
    ADDRESS_BOOK: path,
    ETHEREUM_RPC_URLS: twice(ethereum.url),
    PARTNER_RPC_URLS: twice(partner.httpUrl),
    ETHEREUM_CONFIRMATIONS: '2',
    PARTNER_CONFIRMATIONS: '1',
    POLL_MS: '100',
    LOG_LEVEL: 'warn',
  };
  return { variables, ethereum, book, partnerUrl: partner.httpUrl, stop };
}

/** Runs doctor, then the relayer until a deposit of ETH has arrived. Returns doctor's errors. */
async function deliverOnce(environment: PublicEnvironment, signer: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...environment.variables, ...signer };
  const report = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--no-warnings', main, 'doctor'], { env }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  const { ethereum, book, partnerUrl } = environment;
  const recipient = testAccount(8).address;
  const token = createPublicClient({ transport: http(partnerUrl), cacheTime: 0 });
  const balance = async () =>
    token.readContract({
      address: book.partner.tokens.ETH,
      abi: bridgedTokenAbi,
      functionName: 'balanceOf',
      args: [recipient],
    });
  const before = await balance();
  const relayer = fork(main, [], { env, execArgv: ['--no-warnings'], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let printed = '';
  for (const stream of [relayer.stdout, relayer.stderr])
    stream?.on('data', (chunk: Buffer) => (printed += String(chunk)));
  const ended = once(relayer, 'exit');
  try {
    await ethereum.wallet.writeContract({
      address: book.ethereum.bridgeLock,
      abi: bridgeLockAbi,
      functionName: 'depositNative',
      args: [recipient],
      value: AMOUNT,
    });
    await waitUntil(
      'the deposit arrives',
      async () => {
        if (relayer.exitCode !== null) throw new Error(`The relayer ended: ${printed}`);
        return (await balance()) === before + AMOUNT;
      },
      { timeoutMs: 90_000 },
    ).catch((error: unknown) => {
      throw new Error(`The relayer printed: ${printed}`, { cause: error });
    });
  } finally {
    relayer.kill('SIGHUP');
    await ended;
  }
  expect(await ended).toEqual([0, null]);
  expect(printed).not.toContain(RELAYER_KEY.slice(2));
  return report;
}

describe('the relayer on testnet', () => {
  it('delivers with a keystore', async () => {
    const environment = await start('testnet', 11_155_111, 8_901);
    stops.push(environment.stop);
    const report = await deliverOnce(environment, {
      RELAYER_KEYSTORE: file('relayer.json', encryptKeystore(RELAYER_KEY, PASSWORD, 'scrypt')),
      RELAYER_KEYSTORE_PASSWORD_FILE: file('password', `${PASSWORD}\n`),
    });
    expect(report).toMatch(/^ok +signer +keystore: signs for /m);
    expect(report).toMatch(/\n0 errors, \d+ warnings\n$/);
  });
});

describe('the relayer on mainnet', () => {
  let environment: PublicEnvironment;
  beforeAll(async () => {
    environment = await start('mainnet', 1, 327);
  });
  afterAll(async () => environment?.stop());

  it('delivers with a remote signer for each chain', async () => {
    const signers = await Promise.all([startRemoteSigner(RELAYER_KEY, 1), startRemoteSigner(RELAYER_KEY, 327)]);
    for (const { stop } of signers) stops.push(stop);
    const report = await deliverOnce(environment, {
      RELAYER_SIGNER_ETHEREUM_URL: signers[0].url,
      RELAYER_SIGNER_PARTNER_URL: signers[1].url,
      RELAYER_SIGNER_CERTIFICATE: file('client.crt', REMOTE_SIGNER_CLIENT.certificate),
      RELAYER_SIGNER_CERTIFICATE_KEY: file('client.key', REMOTE_SIGNER_CLIENT.key),
      RELAYER_SIGNER_CA: file('ca.crt', REMOTE_SIGNER_CLIENT.authority),
    });
    expect(report).toMatch(/^ok +signer +remote: signs for /m);
    expect(report).toMatch(/\n0 errors, \d+ warnings\n$/);
  });

  it('delivers with AWS KMS', async () => {
    const kms = await startKms(RELAYER_KEY);
    stops.push(kms.stop);
    const report = await deliverOnce(environment, {
      RELAYER_KMS_KEY_ID: kms.keyId,
      AWS_ENDPOINT_URL_KMS: kms.url,
      AWS_ACCESS_KEY_ID: 'AKIATEST',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
    expect(report).toMatch(/^ok +signer +kms: signs for /m);
    expect(report).toMatch(/\n0 errors, \d+ warnings\n$/);
  });
});
