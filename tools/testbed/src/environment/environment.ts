import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { readAddressBook } from '@causeway/contracts/deploy';
import { getToken, type AddressBook } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi } from '@causeway/protocol/abi';
import { waitUntil } from '@causeway/test-kit/test-run';
import {
  attesterAccounts,
  faucetAccount,
  SMART_ACCOUNT,
  testAccounts,
  type TestAccount,
  type TestAccounts,
} from '../bridge/accounts.js';
import { deployAndFund, untilChainsAnswer, writeGenesis } from '../bridge/chains.js';
import type { ChainClients, EthereumClients } from '../bridge/clients.js';
import { PROFILE, type Variables } from '../bridge/descriptions.js';
import { FIRST_DEPOSITS, fundFaucet } from '../bridge/initial-state.js';
import type { EnvironmentOptions } from '../bridge/options.js';
import { User } from '../bridge/user.js';
import type { AttesterNodes } from '../processes/attester-nodes.js';
import { runCommand, type Child, type CommandResult } from '../processes/child-process.js';
import { saveEthereumState } from '../processes/ethereum-state.js';
import { RunRecord } from '../processes/run-record.js';
import { Supervisor, type ProcessDescription } from '../processes/supervisor.js';
import { prepareDatabase } from './database.js';
import { EXCHANGES, ReservedPorts } from './reserved-ports.js';
import { rotateLogs, SavedState } from './saved-state.js';
import { Services, type RunningChain, type StartedService } from './services.js';
import type { StackFile } from './stack-file.js';
import { assertDatabaseIsUnused, assertStateFits } from './state-check.js';
import { writeWebFolder } from './web-folder.js';

const require = createRequire(import.meta.url);

/** A running bridge with everything that it needs. */
export interface Environment {
  readonly options: EnvironmentOptions;
  readonly stack: StackFile;
  /** Adds the URL of a server that controls the stack to `stack.json`. */
  readonly writeControlUrl: (controlUrl: string) => void;
  readonly book: AddressBook;
  readonly accounts: TestAccounts;
  readonly ethereum: EthereumClients;
  readonly partner: ChainClients;
  /** By name: `relayer`, `api`, `attester-1`, or one given to `startService`. */
  readonly processes: Supervisor;
  /** Kills the relayers with SIGKILL, and restarts them with changed environment variables. */
  readonly restartRelayer: (changes?: Variables) => Promise<void>;
  /** The environment variables of the relayer, and of its commands. */
  readonly relayerVariables: () => Variables;
  /** Runs an operator's command of the relayer in its own process. */
  readonly relayerCommand: (...words: readonly string[]) => Promise<CommandResult>;
  /** Runs a command of the relayer with an operator's key and without the relayer's. */
  readonly operatorCommand: (operator: TestAccount, ...words: readonly string[]) => Promise<CommandResult>;
  /** As `relayerCommand`, but sends SIGINT once standard error contains a text. */
  readonly interruptedRelayerCommand: (at: string, ...words: readonly string[]) => Promise<CommandResult>;
  readonly killRelayer: () => Promise<void>;
  /** Starts another relayer or API, or a watchtower, under a name, with changed environment variables. */
  readonly startService: (
    service: StartedService,
    name: string,
    changes: Variables,
    rules?: Pick<ProcessDescription, 'startAgain'>,
  ) => Child;
  /**
   * Starts an attester with changed environment variables: one that was killed, or one of `attester-1` to `-9` that
   * is not a member yet.
   */
  readonly startAttester: (name: string, changes?: Variables) => Promise<void>;
  /** Kills the API, and restarts it with changed environment variables. Resolves when it answers. */
  readonly restartApi: (changes?: Variables) => Promise<void>;
  /**
   * Kills the relayer, and switches the API and all later relayers and commands to another database, which must have
   * the tables.
   */
  readonly useDatabase: (databaseUrl: string) => Promise<void>;
  /** Switches relayers that start later, and their commands, to another wallet, as after a rotation. */
  readonly useWallet: (wallet: TestAccount) => void;
  /** Stops every process, services first. `onProblem` receives a sentence for each process that failed to stop. */
  readonly stop: (onProblem?: (sentence: string) => void) => Promise<void>;
}

/** Receives a sentence about each step, to show progress. */
type OnStep = (step: string) => void;

/**
 * Starts the whole bridge: Ethereum, the partner chain in its gateway, PostgreSQL, API and relayer, each in its own
 * process, with contracts and funds. Nothing is mocked; only Ethereum is a development node.
 *
 * @param signal stops the boot.
 * @throws Error naming the part that did not start, and its log. Parts that had started are stopped.
 */
export async function bootEnvironment(
  options: EnvironmentOptions,
  onStep: OnStep,
  signal?: AbortSignal,
): Promise<Environment> {
  const directory = resolve(options.directory);
  const record = await RunRecord.open(directory, onStep);
  // An earlier run that was killed leaves it behind.
  rmSync(join(directory, 'stack.json'), { force: true });
  const logs = rotateLogs(directory);
  const processes = new Supervisor(logs, onStep, record);
  let ports: ReservedPorts | undefined;
  try {
    ports = await ReservedPorts.reserve(options.portBase, options.faucet, options.attesters > 0);
    const boot = new Boot({ ...options, directory }, logs, processes, record, ports, onStep);
    return await Promise.race([processes.unlessBroken(boot.run()), aborted(signal)]);
  } catch (error) {
    await processes.stop('api', ...options.relayers);
    record.clear();
    await ports?.releaseAll();
    throw error;
  }
}

async function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Error('Interrupted'));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** The contracts' limit. */
const MOST_ATTESTERS = 9;

/** Maps the names of attester processes to their accounts. */
function nameAttesters(count: number): ReadonlyMap<string, TestAccount> {
  return new Map(attesterAccounts(count).map((account, index) => [`attester-${index + 1}`, account]));
}

class Boot {
  private readonly accounts = testAccounts();
  private readonly state: SavedState;
  private readonly services: Services;
  /** By the name of the attester. */
  private readonly attesterNodes = new Map<string, AttesterNodes>();
  /** Null until the environment is ready. */
  private stack: StackFile | null = null;

  constructor(
    private readonly options: EnvironmentOptions,
    private readonly logs: string,
    private readonly processes: Supervisor,
    private readonly record: RunRecord,
    private readonly ports: ReservedPorts,
    private readonly onStep: OnStep,
  ) {
    this.state = new SavedState(options.directory);
    this.services = new Services(processes, record, options, onStep);
  }

  async run(): Promise<Environment> {
    const { options, state, services, onStep } = this;
    const isResumed = state.open(options.fresh, onStep);
    onStep(`starting Ethereum, the partner chain and PostgreSQL${isResumed ? ', where the last run stopped' : ''}`);
    const ethereum = services.startEthereum(await this.ports.release('ethereum'), state.path('ethereum.json'));
    const genesisFile = state.path('partner-genesis.json');
    writeGenesis(genesisFile, options);
    const partner = services.startPartnerChain(await this.ports.release('partner'), state.path('partner'), genesisFile);
    // In parallel, since each mostly waits for another process.
    const [databaseUrl] = await Promise.all([
      this.prepareDatabase(isResumed),
      this.prepareChains(ethereum, partner, isResumed),
    ]);
    if (isResumed) {
      await assertStateFits(databaseUrl, [
        { name: 'Ethereum', chainId: PROFILE.ethereumChainId, client: ethereum.clients.client },
        { name: 'the partner chain', chainId: PROFILE.partnerChainId, client: partner.clients.client },
      ]);
    } else {
      await saveEthereumState(ethereum.url, state.path('ethereum.json'));
      state.complete();
    }
    await ethereum.clients.test.setIntervalMining({ interval: options.ethereumBlockSeconds });

    onStep('starting the relayer and the API');
    const apiPort = await this.ports.release('api');
    const consolePort = await this.ports.release('console');
    const exchangePorts: number[] = [];
    for (const part of options.attesters > 0 ? EXCHANGES : []) exchangePorts.push(await this.ports.release(part));
    const described = this.describeStack(ethereum.url, partner.url, databaseUrl, {
      apiPort,
      consolePort,
      exchangePorts,
    });
    if (options.web) writeWebFolder(services.webFolder, described, options);
    this.startRelayers(described);
    const { clients } = partner;
    const untilReady = async () => {
      await services.startApi(described);
      if (!isResumed && options.firstDeposits) await this.firstDepositsArrived(described.addressBook, clients);
      await waitUntil('the API reports healthy', async () => (await fetch(described.healthUrl)).ok);
    };
    const startRest = async () => {
      await this.startAttesters(described, ethereum.clients);
      if (options.watchtower) services.startService('watchtower', 'watchtower', described);
      return options.faucet ? this.startFaucet(described, ethereum.clients, clients) : {};
    };
    const [, faucet] = await Promise.all([untilReady(), startRest()]);
    const stack = { ...described, ...faucet, relayers: services.listRelayers() };
    this.stack = stack;
    this.writeStackFile();
    return this.toEnvironment(stack, ethereum.clients, clients);
  }

  /** @throws Error when the saved state has other attesters. */
  private async startAttesters(stack: StackFile, { client }: EthereumClients): Promise<void> {
    const { options, onStep } = this;
    const lock = { address: stack.addressBook.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const [, members, threshold] = await client.readContract({ ...lock, functionName: 'attesters' });
    if (members.length !== options.attesters || Number(threshold) !== options.threshold)
      throw new Error(
        `The contracts in ${options.directory} need ${threshold} of ${members.length} attesters: ` +
          `use --attesters ${members.length} --threshold ${threshold}, or --fresh`,
      );
    if (options.attesters > 0) onStep(`starting ${options.attesters} attesters; ${options.threshold} must sign`);
    const names = [...nameAttesters(options.attesters).keys()];
    await Promise.all(names.map(async (name) => this.startAttester(name, stack)));
  }

  private async startAttester(name: string, stack: StackFile, changes: Variables = {}): Promise<void> {
    const account = nameAttesters(MOST_ATTESTERS).get(name);
    if (account === undefined)
      throw new Error(`Unknown attester ${name}; use attester-1 to attester-${MOST_ATTESTERS}`);
    const nodes = this.attesterNodes.get(name) ?? (await this.services.startAttesterNodes(`${name}-nodes`, stack));
    this.attesterNodes.set(name, nodes);
    const record = join(this.state.path('attesters'), name);
    this.services.startAttester(name, account, stack, { nodes, record }, changes);
  }

  private async startFaucet(
    stack: StackFile,
    ethereum: EthereumClients,
    partner: ChainClients,
  ): Promise<Pick<StackFile, 'faucetUrl'>> {
    const { services, state, accounts, ports } = this;
    this.onStep('starting the faucet');
    await fundFaucet(stack.addressBook, accounts, ethereum, partner);
    const keyFile = state.path('faucet-key');
    writeFileSync(keyFile, `${faucetAccount().privateKey}\n`, { mode: 0o600 });
    const faucetUrl = await services.startFaucet(stack, await ports.release('faucet'), keyFile);
    return { faucetUrl };
  }

  private get stackFile(): string {
    return join(this.options.directory, 'stack.json');
  }

  private writeStackFile(): void {
    if (this.stack === null) return;
    const stack = { ...this.stack, relayers: this.services.listRelayers() };
    writeFileSync(this.stackFile, `${JSON.stringify(stack, null, 2)}\n`);
  }

  /** @returns the connection string of a database that has the tables and fits the chains. */
  private async prepareDatabase(isResumed: boolean): Promise<string> {
    const { options, state, services } = this;
    const databaseUrl = options.databaseUrl ?? (await services.startDatabase(state.path('postgres')));
    this.onStep('preparing the database');
    await prepareDatabase(databaseUrl, options.databaseUrl === undefined);
    if (!isResumed) await assertDatabaseIsUnused(databaseUrl, PROFILE.ethereumChainId);
    return databaseUrl;
  }

  /**
   * Waits for the chains. On new chains, deploys the contracts and funds the users; meanwhile Ethereum makes a block
   * for each transaction.
   */
  private async prepareChains(ethereum: RunningChain, partner: RunningChain, isResumed: boolean): Promise<void> {
    const { accounts, state, onStep, options } = this;
    const { clients } = ethereum;
    await untilChainsAnswer(clients, partner.clients);
    if (isResumed) return;
    const book = await deployAndFund(clients, partner.clients, options, state.path('address-book.json'), onStep);
    if (options.firstDeposits) {
      onStep('depositing ETH, USDC and XCN for Alice');
      const alice = new User({ book, ethereum: clients, partner: partner.clients }, accounts.alice);
      for (const [asset, amount] of Object.entries(FIRST_DEPOSITS)) {
        await alice.deposit(asset, amount, accounts.alice.address);
      }
      await clients.test.mine({ blocks: options.ethereumConfirmations });
    }
  }

  private async firstDepositsArrived(book: AddressBook, { client }: ChainClients): Promise<void> {
    const owner = this.accounts.alice.address;
    for (const asset of ['ETH', 'USDC'] as const) {
      const address = getToken(book, 'partner', asset);
      const token = { address, abi: bridgedTokenAbi, functionName: 'balanceOf', args: [owner] } as const;
      await waitUntil(`${asset} arrived`, async () => (await client.readContract(token)) >= FIRST_DEPOSITS[asset]);
    }
    const before = await client.getBalance({ address: owner, blockNumber: 0n });
    const arrived = async () => (await client.getBalance({ address: owner })) >= before + FIRST_DEPOSITS.XCN;
    await waitUntil('XCN arrived', arrived);
  }

  private describeStack(
    ethereumUrl: string,
    partnerUrl: string,
    databaseUrl: string,
    ports: { readonly apiPort: number; readonly consolePort: number; readonly exchangePorts: readonly number[] },
  ): StackFile {
    const { apiPort, consolePort, exchangePorts } = ports;
    const origin = `http://127.0.0.1:${apiPort}`;
    const addressBookFile = this.state.path('address-book.json');
    return {
      pid: process.pid,
      ...(this.options.web ? { webUrl: `${origin}/` } : {}),
      apiUrl: `${origin}/api/v1`,
      healthUrl: `${origin}/health`,
      consoleUrl: `http://127.0.0.1:${consolePort}`,
      ...(exchangePorts.length === 0
        ? {}
        : { exchangeUrls: exchangePorts.map((exchangePort) => `http://127.0.0.1:${exchangePort}`) }),
      ethereum: { chainId: PROFILE.ethereumChainId, rpcUrl: ethereumUrl },
      partner: {
        chainId: PROFILE.partnerChainId,
        rpcUrl: partnerUrl,
        wsUrl: `${partnerUrl.replace(/^http/, 'ws')}/ws`,
      },
      databaseUrl,
      relayers: [],
      holdSeconds: this.options.holdSeconds,
      addressBook: readAddressBook(addressBookFile),
      addressBookFile,
      accounts: this.accounts,
      smartAccount: SMART_ACCOUNT,
      logs: this.logs,
    };
  }

  private toEnvironment(stack: StackFile, ethereum: EthereumClients, partner: ChainClients): Environment {
    const { processes, services, record, stackFile } = this;
    let used = stack;
    const relayerVariables = () => services.relayerVariables(used);
    const commands = require.resolve('@causeway/relayer/main');
    const killRelayer = async () => {
      await Promise.all(this.options.relayers.map((name) => processes.kill(name)));
    };
    return {
      options: this.options,
      stack,
      writeControlUrl: (controlUrl) => {
        this.stack = { ...stack, controlUrl };
        this.writeStackFile();
      },
      book: stack.addressBook,
      accounts: this.accounts,
      ethereum,
      partner,
      processes,
      relayerVariables,
      relayerCommand: (...words) => runCommand(commands, words, relayerVariables()),
      operatorCommand: ({ privateKey }, ...words) => {
        const { RELAYER_PRIVATE_KEY: _, ...variables } = relayerVariables();
        return runCommand(commands, words, { ...variables, OPERATOR_PRIVATE_KEY: privateKey });
      },
      interruptedRelayerCommand: (at, ...words) => runCommand(commands, words, relayerVariables(), at),
      killRelayer,
      startService: (service, name, changes, rules) => services.startService(service, name, used, changes, rules),
      startAttester: async (name, changes) => this.startAttester(name, used, changes),
      restartApi: async (changes) => {
        await processes.kill('api');
        await services.startApi(used, changes);
      },
      useDatabase: async (databaseUrl) => {
        await Promise.all([killRelayer(), processes.kill('api')]);
        used = { ...used, databaseUrl };
        await services.startApi(used);
      },
      useWallet: (wallet) => {
        used = { ...used, accounts: { ...used.accounts, relayer: wallet } };
      },
      restartRelayer: async (changes) => {
        await killRelayer();
        this.startRelayers(used, changes);
      },
      stop: async (onProblem = () => undefined) => {
        const problems = await processes.stop('api', ...this.options.relayers);
        rmSync(stackFile, { force: true });
        record.clear();
        await this.ports.releaseAll();
        problems.forEach(onProblem);
      },
    };
  }

  private startRelayers(stack: StackFile, changes: Variables = {}): void {
    this.services.startRelayers(stack, changes, () => this.writeStackFile());
  }
}
