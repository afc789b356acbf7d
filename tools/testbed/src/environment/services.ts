import { createRequire } from 'node:module';
import { chainProfile } from '@causeway/protocol';
import type { Role } from '@causeway/store/schema';
import type { PostgresReady } from '@causeway/test-kit';
import type { AttesterNodes } from '../processes/attester-nodes.js';
import type { Child } from '../processes/child-process.js';
import type { ProcessGroup } from '../processes/process-group.js';
import type { RunRecord } from '../processes/run-record.js';
import { testAccounts, type TestAccount } from './accounts.js';
import { chainClients, type EthereumClients } from './clients.js';
import { roleUrl } from './database.js';
import type { EnvironmentOptions } from './options.js';
import type { StackFile } from './stack-file.js';

const require = createRequire(import.meta.url);
/** How long an attestation holds. An attester waits as long at its start, and allows for clocks that differ. */
const ATTEST_SECONDS = { relayer: 10, attester: 12 } as const;
/** The two chains of every environment. */
export const PROFILE = chainProfile('local');

/** A running chain and its clients. */
export interface RunningChain {
  readonly url: string;
  readonly clients: EthereumClients;
}

/** Starts the services of an environment, each in a process of its own. */
export class Services {
  constructor(
    private readonly processes: ProcessGroup,
    private readonly record: RunRecord,
    private readonly options: EnvironmentOptions,
  ) {}

  /** A development node with Ethereum's rules. It makes blocks only on demand until its mining interval is set. */
  startEthereum(port: number, stateFile: string): RunningChain {
    const url = `http://127.0.0.1:${port}`;
    const chainId = PROFILE.ethereumChainId;
    const accounts = `${Object.keys(testAccounts()).length}`;
    const flags = ['--chain-id', `${chainId}`, '--accounts', accounts, '--no-mining', '--silent'];
    const wrapper = this.processes.start({
      name: 'ethereum',
      module: require.resolve('@causeway/testbed/anvil-process'),
      args: [`${port}`, stateFile, ...flags],
      env: {},
    });
    void wrapper.message.then((message) => {
      const { pid } = message as { pid: number };
      const ethereum = { url, stateFile };
      this.record.add({ name: 'anvil', pid, command: 'anvil', wrapperPid: wrapper.pid, ethereum });
    });
    return { url, clients: chainClients('ethereum', chainId, url) };
  }

  /**
   * The partner chain in its gateway, with snapshots and time travel as Ethereum's node has them. All clients share one
   * address here, so the limits per client are off.
   */
  startPartnerChain(port: number, dataDirectory: string, genesisFile: string): RunningChain {
    const chainId = PROFILE.partnerChainId;
    const env = {
      CHAIN_ID: `${chainId}`,
      PORT: `${port}`,
      DATA_DIRECTORY: dataDirectory,
      GENESIS: genesisFile,
      BLOCK_INTERVAL_MS: `${this.options.partnerBlockSeconds * 1000}`,
      CONFIRMATIONS: `${this.options.partnerConfirmations}`,
      DEVELOPMENT_METHODS: 'true',
      RATE_LIMIT_PER_SECOND: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      WS_CONNECTIONS_PER_IP: '0',
      // No load balancer has to notice.
      SHUTDOWN_DELAY_MS: '0',
    };
    this.processes.start({ name: 'partner', module: require.resolve('@causeway/gateway/main'), env });
    const url = `http://127.0.0.1:${port}`;
    return { url, clients: chainClients('partner', chainId, url) };
  }

  /** @returns the connection string of an embedded PostgreSQL server. */
  async startDatabase(dataDirectory: string): Promise<string> {
    const module = require.resolve('@causeway/test-kit/postgres-process');
    const wrapper = this.processes.start({ name: 'postgres', module, args: [dataDirectory], env: {} });
    const { pid, url, command } = (await this.processes.unlessBroken(wrapper.message)) as PostgresReady;
    this.record.add({ name: 'PostgreSQL server', pid, command, wrapperPid: wrapper.pid });
    return `${url}/causeway`;
  }

  startApi(stack: StackFile, changes: Readonly<Record<string, string>> = {}): void {
    this.startService('api', 'api', stack, { ADMIN_PORT: new URL(stack.consoleUrl).port, ...changes });
  }

  /**
   * Starts a relayer or an API under a name.
   *
   * @param changes environment variables that differ from those of the environment.
   */
  startService(
    service: 'relayer' | 'api',
    name: string,
    stack: StackFile,
    changes: Readonly<Record<string, string>>,
  ): Child {
    const isRelayer = service === 'relayer';
    const module = isRelayer ? require.resolve('@causeway/relayer/main') : require.resolve('@causeway/api/main');
    const env = isRelayer ? { ...this.relayerVariables(stack), RELAYER_NAME: name } : this.apiVariables(stack);
    return this.processes.start({ name, module, env: { ...env, ...changes } });
  }

  /** @returns the address at which the faucet answers. All clients share one address here, so they are not limited. */
  async startFaucet(stack: StackFile, port: number, keyFile: string): Promise<string> {
    const env = {
      PORT: `${port}`,
      ETHEREUM_RPC_URL: stack.ethereum.rpcUrl,
      PARTNER_RPC_URL: stack.partner.rpcUrl,
      ADDRESS_BOOK: stack.addressBookFile,
      FAUCET_KEY_FILE: keyFile,
      DRIPS_PER_CLIENT: '0',
    };
    const faucet = this.processes.start({ name: 'faucet', module: require.resolve('@causeway/testbed/faucet'), env });
    return (await this.processes.unlessBroken(faucet.message)) as string;
  }

  /** Starts the nodes of an attester, in one process. */
  async startAttesterNodes(name: string, { ethereum, partner }: StackFile): Promise<AttesterNodes> {
    const module = require.resolve('@causeway/testbed/attester-nodes');
    const nodes = this.processes.start({ name, module, args: [ethereum.rpcUrl, partner.rpcUrl], env: {} });
    return (await this.processes.unlessBroken(nodes.message)) as AttesterNodes;
  }

  /**
   * Starts the attester of a key, which dials the relayer.
   *
   * @param record directory of its record.
   * @param changes environment variables that differ from those of the environment.
   */
  startAttester(
    name: string,
    { address, privateKey }: TestAccount,
    stack: StackFile,
    { nodes, record }: { readonly nodes: AttesterNodes; readonly record: string },
    changes: Readonly<Record<string, string>>,
  ): Child {
    const { firstOperator, secondOperator } = stack.accounts;
    const env = {
      ENVIRONMENT: 'local',
      ADDRESS_BOOK: stack.addressBookFile,
      ATTESTER_ADDRESS: address,
      ATTESTER_PRIVATE_KEY: privateKey,
      ETHEREUM_RPC_URLS: `${name}=${nodes.ethereum}`,
      PARTNER_RPC_URLS: `${name}=${nodes.partner}`,
      ETHEREUM_CONFIRMATIONS: `${this.options.ethereumConfirmations}`,
      PARTNER_CONFIRMATIONS: `${this.options.partnerConfirmations}`,
      HOLD_SECONDS: `${this.options.holdSeconds}`,
      OPERATORS: [firstOperator.address, secondOperator.address].join(','),
      EXCHANGE_URLS: (stack.exchangeUrls ?? []).join(','),
      DATA_DIRECTORY: record,
      // Also batches that are not signed yet.
      LOG_LEVEL: 'debug',
      ATTEST_VALIDITY_SECONDS: `${ATTEST_SECONDS.attester}`,
      ...changes,
    };
    return this.processes.start({ name, module: require.resolve('@causeway/attester/main'), env });
  }

  /** The environment variables of the relayer, and of its commands. */
  relayerVariables(stack: StackFile): Record<string, string> {
    const { retireAfterSeconds, ethereumBlockSeconds, partnerBlockSeconds } = this.options;
    return {
      ...this.sharedVariables(stack, 'causeway_relayer'),
      ETHEREUM_RPC_URLS: withHeads(stack.ethereum.rpcUrl),
      PARTNER_RPC_URLS: withHeads(stack.partner.rpcUrl),
      RELAYER_PRIVATE_KEY: stack.accounts.relayer.privateKey,
      OPERATORS: [stack.accounts.firstOperator.address, stack.accounts.secondOperator.address].join(','),
      LEASE_MS: '3000',
      ...this.exchangeVariables(stack, 0),
      RETIRE_AFTER_MS: `${1_000 * retireAfterSeconds}`,
      // Eight blocks: on these chains a transaction waits for one at most.
      REPLACE_AFTER_MS: `${8_000 * Math.max(1, ethereumBlockSeconds, partnerBlockSeconds)}`,
    };
  }

  /** Where the relayer of an index meets the attesters. */
  exchangeVariables({ exchangeUrls = [] }: StackFile, index: number): Record<string, string> {
    const url = exchangeUrls[index];
    if (url === undefined) return {};
    return { ATTEST_PORT: new URL(url).port, ATTEST_VALID_SECONDS: `${ATTEST_SECONDS.relayer}` };
  }

  private apiVariables(stack: StackFile): Record<string, string> {
    return {
      ...this.sharedVariables(stack, 'causeway_api'),
      PORT: new URL(stack.apiUrl).port,
      ADMIN_NAMES: memberNames(stack.accounts),
      SHUTDOWN_DELAY_MS: '0',
      RATE_LIMIT_EXEMPT_IPS: this.options.exemptClients,
    };
  }

  private sharedVariables(stack: StackFile, role: Role): Record<string, string> {
    const isOurs = this.options.databaseUrl === undefined;
    return {
      ADMIN_ALLOW_LIST: allowList(stack.accounts),
      ENVIRONMENT: 'local',
      DATABASE_URL: isOurs ? roleUrl(stack.databaseUrl, role) : stack.databaseUrl,
      ADDRESS_BOOK: stack.addressBookFile,
      ETHEREUM_RPC_URLS: stack.ethereum.rpcUrl,
      PARTNER_RPC_URLS: stack.partner.rpcUrl,
      PUBLIC_ETHEREUM_RPC_URLS: stack.ethereum.rpcUrl,
      PUBLIC_PARTNER_RPC_URLS: stack.partner.rpcUrl,
      MIRROR_URL: stack.partner.rpcUrl,
      HOLD_SECONDS: `${this.options.holdSeconds}`,
      ETHEREUM_CONFIRMATIONS: `${this.options.ethereumConfirmations}`,
      PARTNER_CONFIRMATIONS: `${this.options.partnerConfirmations}`,
      ETHEREUM_BLOCK_SECONDS: `${this.options.ethereumBlockSeconds}`,
      PARTNER_BLOCK_SECONDS: `${this.options.partnerBlockSeconds}`,
    };
  }
}

/** The members of the console, in the form of ADMIN_ALLOW_LIST. */
export function allowList(accounts: StackFile['accounts']): string {
  const { deployer, treasury, guardian, recovery, policyManager, firstOperator, secondOperator, auditor } = accounts;
  const operators = [firstOperator, secondOperator, guardian, recovery, policyManager];
  return [
    ...[deployer, treasury].map(({ address }) => `${address}:admin`),
    ...operators.map(({ address }) => `${address}:operator`),
    `${auditor.address}:viewer`,
  ].join(',');
}

/** Their names, in the form of ADMIN_NAMES. */
function memberNames(accounts: StackFile['accounts']): string {
  const { deployer, treasury, guardian, recovery, policyManager, firstOperator, secondOperator, auditor } = accounts;
  const names = [
    [deployer, 'Deployer'],
    [treasury, 'Treasury'],
    [guardian, 'Guardian'],
    [recovery, 'Recovery'],
    [policyManager, 'Policy manager'],
    [firstOperator, 'First operator'],
    [secondOperator, 'Second operator'],
    [auditor, 'Auditor'],
  ] as const;
  return names.map(([{ address }, name]) => `${address}:${name}`).join(',');
}

/** A node's address, and the WebSocket address at which the same node announces its blocks. */
function withHeads(rpcUrl: string): string {
  return `${rpcUrl},${rpcUrl.replace(/^http/, 'ws')}`;
}
