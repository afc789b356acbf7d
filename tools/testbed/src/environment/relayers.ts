import { createRequire } from 'node:module';
import type { Child } from '../processes/child-process.js';
import type { ProcessGroup } from '../processes/process-group.js';
import type { Services } from './services.js';
import type { StackFile } from './stack-file.js';

const require = createRequire(import.meta.url);
/** Longer than the lease, so that the passive relayer takes over before the killed relayer is back. */
const START_AGAIN_MS = 6_000;

/** Settings of the relayer that tests change when they restart it. */
export interface RelayerChanges {
  /** One address, or several separated by commas. */
  readonly ethereumRpcUrl?: string;
  readonly partnerRpcUrl?: string;
  /** The number of Ethereum nodes that must agree. */
  readonly ethereumQuorum?: number;
  readonly retireAfterSeconds?: number;
  /** Whole XCN that the wallet keeps for gas. */
  readonly workingBalanceXcn?: number;
  /** Mirrors of the partner chain, separated by commas. */
  readonly mirrorUrl?: string;
  /** Former relayer wallets, separated by commas. */
  readonly formerWallets?: string;
  /** Those of them that the wallet pays for. */
  readonly payForWallets?: string;
  /** How long a transaction waits for a block before the relayer replaces it with higher fees. */
  readonly replaceAfterSeconds?: number;
  /** Whether the watch has a pauser's key, to pause the contracts. */
  readonly hasPauser?: boolean;
  /** Port of 127.0.0.1 on which the relayer serves its metrics. */
  readonly metricsPort?: number;
  /** Port of 127.0.0.1 to which attesters dial. */
  readonly attestPort?: number;
  /** How long an attestation holds. */
  readonly attestValidSeconds?: number;
  /** The address of a collector of OpenTelemetry. */
  readonly collectorUrl?: string;
}

/**
 * The relayers of an environment: one is active, and the others are passive. With a passive one, a relayer that was
 * killed starts again, as under a supervisor; without one, its end is the end of the environment.
 */
export class Relayers {
  private readonly children = new Map<string, Child>();

  /**
   * @param onRestart called when a relayer has another process id.
   * @param onStep receives a sentence when a relayer ends or starts again.
   */
  constructor(
    private readonly processes: ProcessGroup,
    private readonly services: Services,
    private readonly names: readonly string[],
    private readonly onRestart: () => void,
    private readonly onStep: (step: string) => void,
  ) {}

  /** Their names and process ids, in the order of the names. */
  get running(): StackFile['relayers'] {
    return [...this.children.values()].map(({ name, pid }) => ({ name, pid }));
  }

  /** Starts all of them with the settings of the environment, except for the changes. */
  start(stack: StackFile, changes: RelayerChanges = {}): void {
    for (const [index, name] of this.names.entries()) {
      const shared = { ...this.services.relayerVariables(stack), ...this.services.exchangeVariables(stack, index) };
      this.startOne(name, { ...shared, ...toVariables(stack, changes) });
    }
  }

  /** Sends SIGKILL to all of them. */
  async kill(): Promise<void> {
    await Promise.all(this.names.map((name) => this.processes.kill(name)));
  }

  private startOne(name: string, env: Readonly<Record<string, string>>): void {
    const module = require.resolve('@causeway/relayer/main');
    const input = { name, module, env: { ...env, RELAYER_NAME: name } };
    const hasPassive = this.names.length > 1;
    const child = this.processes.start(input, hasPassive ? (how) => this.startAgain(name, how, env) : undefined);
    this.children.set(name, child);
  }

  private startAgain(name: string, how: string, env: Readonly<Record<string, string>>): void {
    this.onStep(`${how}; it starts again in ${START_AGAIN_MS / 1_000} s`);
    setTimeout(() => {
      if (this.processes.isStopping) return;
      this.startOne(name, env);
      this.onStep(`${name} runs again, as process ${this.children.get(name)?.pid}`);
      this.onRestart();
    }, START_AGAIN_MS).unref();
  }
}

function toVariables(stack: StackFile, changes: RelayerChanges): Record<string, string> {
  const { ethereumRpcUrl, partnerRpcUrl, ethereumQuorum } = changes;
  const { replaceAfterSeconds, retireAfterSeconds, workingBalanceXcn } = changes;
  const {
    hasPauser = false,
    metricsPort,
    attestPort,
    attestValidSeconds,
    collectorUrl,
    formerWallets,
    payForWallets,
    mirrorUrl,
  } = changes;
  return {
    ...(ethereumRpcUrl === undefined ? {} : { ETHEREUM_RPC_URLS: ethereumRpcUrl }),
    ...(partnerRpcUrl === undefined ? {} : { PARTNER_RPC_URLS: partnerRpcUrl }),
    ...(ethereumQuorum === undefined ? {} : { ETHEREUM_QUORUM: `${ethereumQuorum}` }),
    ...(replaceAfterSeconds === undefined ? {} : { REPLACE_AFTER_MS: `${1_000 * replaceAfterSeconds}` }),
    ...(retireAfterSeconds === undefined ? {} : { RETIRE_AFTER_MS: `${1_000 * retireAfterSeconds}` }),
    ...(workingBalanceXcn === undefined ? {} : { WORKING_BALANCE_XCN: `${workingBalanceXcn}` }),
    ...(mirrorUrl === undefined ? {} : { MIRROR_URL: mirrorUrl }),
    ...(formerWallets === undefined ? {} : { FORMER_WALLETS: formerWallets }),
    ...(payForWallets === undefined ? {} : { PAY_FOR_WALLETS: payForWallets }),
    ...(hasPauser ? { PAUSER_PRIVATE_KEY: stack.accounts.pauser.privateKey } : {}),
    ...(collectorUrl === undefined
      ? {}
      : { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl, OTEL_BSP_SCHEDULE_DELAY: '100' }),
    ...(attestPort === undefined ? {} : { ATTEST_PORT: `${attestPort}` }),
    ...(attestValidSeconds === undefined ? {} : { ATTEST_VALID_SECONDS: `${attestValidSeconds}` }),
    ...(metricsPort === undefined ? {} : { METRICS_PORT: `${metricsPort}` }),
  };
}
