import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PostgresReady } from '@causeway/test-kit';
import type { TestAccount } from '../bridge/accounts.js';
import { chainClients, type EthereumClients } from '../bridge/clients.js';
import {
  chainVariables,
  describeApi,
  describeAttester,
  describeAttesterNodes,
  describeEthereum,
  describeGateway,
  describePostgres,
  describeRelayer,
  describeWatchtower,
  PROFILE,
  type BridgeFacts,
  type Variables,
} from '../bridge/descriptions.js';
import type { EnvironmentOptions } from '../bridge/options.js';
import type { AttesterNodes } from '../processes/attester-nodes.js';
import type { Child } from '../processes/child-process.js';
import type { RunRecord } from '../processes/run-record.js';
import type { ProcessDescription, Supervisor } from '../processes/supervisor.js';
import { roleUrl } from './database.js';
import type { StackFile } from './stack-file.js';

const require = createRequire(import.meta.url);
/** Longer than the lease, so that the passive relayer takes over before the killed relayer restarts. */
const START_AGAIN_MS = 6_000;
/** As systemd does. */
const TRY_AGAIN_MS = 1_000;
const MOST_TRIES = 5;
/** The last line of a relayer that a slow database ended, as on a busy machine. */
const DATABASE_IS_AWAY = 'PostgreSQL does not answer';
/** No load balancer has to notice the shutdown. */
const SHUTDOWN_DELAY_MS = 0;

/** A service that tests start beside those of the environment. */
export type StartedService = 'relayer' | 'api' | 'watchtower';

/** A running chain and its clients. */
export interface RunningChain {
  readonly url: string;
  readonly clients: EthereumClients;
}

/** Starts the services of an environment, each in its own process. */
export class Services {
  /** @param onStep receives a sentence when a relayer ends or starts again. */
  constructor(
    private readonly processes: Supervisor,
    private readonly record: RunRecord,
    private readonly options: EnvironmentOptions,
    private readonly onStep: (step: string) => void,
  ) {}

  /** The folder of the page for people, with its settings. */
  get webFolder(): string {
    return join(this.options.directory, 'web');
  }

  startEthereum(port: number, stateFile: string): RunningChain {
    const url = `http://127.0.0.1:${port}`;
    const wrapper = this.processes.start(describeEthereum(port, stateFile));
    void wrapper.message.then((message) => {
      const { pid } = message as { pid: number };
      const ethereum = { url, stateFile };
      this.record.add({ name: 'anvil', pid, command: 'anvil', wrapperPid: wrapper.pid, ethereum });
    });
    return { url, clients: chainClients('ethereum', PROFILE.ethereumChainId, url) };
  }

  /**
   * The partner chain in its gateway, with snapshots and time travel like Ethereum's node. Limits per client are off,
   * since all clients share one address here.
   */
  startPartnerChain(port: number, dataDirectory: string, genesisFile: string): RunningChain {
    const gateway = describeGateway('partner', port, SHUTDOWN_DELAY_MS, this.options);
    this.processes.start(
      change(gateway, {
        ...chainVariables(dataDirectory, genesisFile, this.options),
        DEVELOPMENT_METHODS: 'true',
        RATE_LIMIT_PER_SECOND: '0',
        RATE_LIMIT_PER_MINUTE: '0',
        WS_CONNECTIONS_PER_IP: '0',
      }),
    );
    const url = `http://127.0.0.1:${port}`;
    return { url, clients: chainClients('partner', PROFILE.partnerChainId, url) };
  }

  /** @returns the connection string of an embedded PostgreSQL server. */
  async startDatabase(dataDirectory: string): Promise<string> {
    const wrapper = this.processes.start(describePostgres(dataDirectory));
    const { pid, url, command } = (await this.processes.unlessBroken(wrapper.message)) as PostgresReady;
    this.record.add({ name: 'PostgreSQL server', pid, command, wrapperPid: wrapper.pid });
    return `${url}/causeway`;
  }

  /** The names and process ids of the relayers, in the order of the names. */
  listRelayers(): StackFile['relayers'] {
    const running = this.processes.list();
    return this.options.relayers.flatMap((name) => running.filter((each) => each.name === name));
  }

  /**
   * Starts all relayers: one is active, the others passive. As under a supervisor, a relayer without a database at its
   * start restarts a few times, and with a passive relayer a killed one restarts. Any other end ends the environment.
   *
   * @param changes environment variables that override those of the environment.
   * @param onAgain called when a relayer has restarted with another process id.
   */
  startRelayers(stack: StackFile, changes: Variables, onAgain: () => void): void {
    const { relayers } = this.options;
    for (const [index, name] of relayers.entries()) {
      const relayer = this.describeRelayer(name, stack, index);
      let tries = 1;
      this.processes.start({
        ...change(relayer, changes),
        startAgain: ({ isClean, how, sentence }) => {
          if (!isClean && sentence.includes(DATABASE_IS_AWAY) && tries < MOST_TRIES) {
            tries += 1;
            this.onStep(`${sentence}; it restarts in ${TRY_AGAIN_MS / 1_000} s`);
            return TRY_AGAIN_MS;
          }
          if (!isClean || relayers.length === 1) return null;
          this.onStep(`${how}; it restarts in ${START_AGAIN_MS / 1_000} s`);
          return START_AGAIN_MS;
        },
        onAgain: ({ pid }) => {
          this.onStep(`${name} has restarted as process ${pid}`);
          onAgain();
        },
      });
    }
  }

  /** Starts the API, and waits until it answers. */
  async startApi(stack: StackFile, changes: Variables = {}): Promise<void> {
    const console = { ADMIN_PORT: new URL(stack.consoleUrl).port };
    this.processes.start(change(this.describeApi('api', stack), { ...console, ...changes }));
    await this.processes.ready('api');
  }

  /**
   * Starts a relayer, an API or a watchtower under a name.
   *
   * @param changes environment variables that override those of the environment.
   * @param rules whether it restarts.
   */
  startService(
    service: StartedService,
    name: string,
    stack: StackFile,
    changes: Variables = {},
    rules: Pick<ProcessDescription, 'startAgain'> = {},
  ): Child {
    const describe = {
      relayer: () => this.describeRelayer(name, stack, 0),
      api: () => this.describeApi(name, stack),
      // Beside the state of the chains, which it must fit.
      watchtower: () =>
        describeWatchtower(name, this.gatherFacts(stack), join(dirname(stack.addressBookFile), 'watchtower')),
    };
    return this.processes.start({ ...change(describe[service](), changes), ...rules });
  }

  /** @returns the URL of the faucet. Limits per client are off, since all clients share one address here. */
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

  async startAttesterNodes(name: string, { ethereum, partner }: StackFile): Promise<AttesterNodes> {
    const nodes = this.processes.start(describeAttesterNodes(name, ethereum.rpcUrl, partner.rpcUrl));
    return (await this.processes.unlessBroken(nodes.message)) as AttesterNodes;
  }

  /**
   * Starts the attester of a key, which connects to the relayer.
   *
   * @param record directory of its record.
   * @param changes environment variables that override those of the environment.
   */
  startAttester(
    name: string,
    key: TestAccount,
    stack: StackFile,
    { nodes, record }: { readonly nodes: AttesterNodes; readonly record: string },
    changes: Variables,
  ): void {
    const its = { key, nodes, record, exchangeUrls: stack.exchangeUrls ?? [] };
    this.processes.start(change(describeAttester(name, this.gatherFacts(stack), its), changes));
  }

  /** The environment variables of the relayer, and of its commands. */
  relayerVariables(stack: StackFile): Variables {
    return this.describeRelayer('relayer', stack, 0).env;
  }

  private describeRelayer(name: string, stack: StackFile, index: number): ProcessDescription {
    const { ethereumBlockSeconds, partnerBlockSeconds } = this.options;
    // Eight blocks: on these chains a transaction waits for at most one.
    const replaceAfterMs = 8_000 * Math.max(1, ethereumBlockSeconds, partnerBlockSeconds);
    const facts = this.gatherFacts(stack);
    // The nodes announce blocks over WebSocket.
    const withHeads = (url: string) => `${url},${url.replace(/^http/, 'ws')}`;
    const { ethereum, partner, mirror } = facts.nodes;
    const nodes = { ethereum: withHeads(ethereum), partner: withHeads(partner), mirror };
    return change(describeRelayer(name, { ...facts, nodes }, stack.exchangeUrls?.[index]), {
      REPLACE_AFTER_MS: `${replaceAfterMs}`,
    });
  }

  private describeApi(name: string, stack: StackFile): ProcessDescription {
    const described = describeApi(name, this.gatherFacts(stack), {
      port: Number(new URL(stack.apiUrl).port),
      publicNodes: { ethereum: stack.ethereum.rpcUrl, partner: stack.partner.rpcUrl },
      shutdownDelayMs: SHUTDOWN_DELAY_MS,
      exemptClients: this.options.exemptClients,
    });
    return this.options.web ? change(described, { WEB_FOLDER: this.webFolder }) : described;
  }

  private gatherFacts({ accounts, addressBookFile, databaseUrl, ethereum, partner }: StackFile): BridgeFacts {
    const isOurs = this.options.databaseUrl === undefined;
    const login = (role: 'relayer' | 'api') => (isOurs ? roleUrl(databaseUrl, `causeway_${role}`) : databaseUrl);
    return {
      terms: this.options,
      accounts,
      addressBookFile,
      databaseUrls: { relayer: login('relayer'), api: login('api') },
      nodes: { ethereum: ethereum.rpcUrl, partner: partner.rpcUrl, mirror: partner.rpcUrl },
    };
  }
}

function change(described: ProcessDescription, changes: Variables): ProcessDescription {
  return { ...described, env: { ...described.env, ...changes } };
}
