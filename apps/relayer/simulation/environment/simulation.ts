import type { NodeClock } from '@causeway/chain';
import type { Side } from '@causeway/protocol';
import type { Store } from '@causeway/store';
import type { Logger } from 'pino';
import type { Address, Hex } from 'viem';
import type { BridgeChain, BridgeChains } from '../../dist/bridge-chain.js';
import { FinalBlocks } from '../../dist/final-blocks.js';
import { BOOK, ROLES, simulatedBridge, START_MS, type SimulatedBridge } from '../bridge.ts';
import { simulatedConnection } from '../chain/connection.ts';
import { SimulatedMirror, simulatedMirrors } from '../chain/mirror.ts';
import { SimulatedNode } from '../chain/simulated-node.ts';
import type { SimulatedServer } from '../database/simulated-server.ts';
import { SimulatedDatabase } from '../database/simulated-database.ts';
import { simulatedStore } from '../database/simulated-store.ts';
import type { Step } from '../step.ts';
import { BLOCK_MS, CONFIGURATION, CONFIRMATIONS } from './configuration.ts';
import { Kernel, type Process } from './kernel.ts';
import type { Random } from './random.ts';
import { startRelayer } from './relayer-process.ts';

const NODES_PER_CHAIN = 3;
const MIRRORS = 3;
const NODE_TIMEOUT_MS = 4_000;
/** Heads are polled less often than in a real process, by this factor. */
const HEAD_POLLS = 20;
const SIDES = ['ethereum', 'partner'] as const;

/** An intent that the API was asked to accept. Times in epoch milliseconds. */
export interface Accepted {
  readonly id: Hex;
  readonly sender: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly outputAmount: bigint;
  readonly askedAtMs: number;
  /** Null without an answer; the intent may be accepted nevertheless. */
  acceptedAtMs: number | null;
  readonly expiresAtMs: number;
}

/** The chains, their nodes, the database and the processes of one schedule. */
export class Simulation {
  readonly kernel: Kernel;
  readonly bridge: SimulatedBridge;
  readonly nodes: Readonly<Record<Side, readonly SimulatedNode[]>>;
  /** Of the partner chain. */
  readonly mirrors: readonly SimulatedMirror[];
  readonly database: SimulatedDatabase;
  /** The events so far, one per line. */
  readonly story: string[] = [];
  /** Lines of the relayers' logs at level `fatal`. */
  readonly alarms: string[] = [];
  /** The intents that users registered or tried to register. */
  readonly intents: Accepted[] = [];
  /** The smart accounts whose owners revoked their signatures. */
  readonly revokers = new Set<Address>();
  /** Hashes of transactions that pay for something that never happened. */
  readonly forgeries = new Set<Hex>();
  /** Hashes of transactions that pay a few units for a number, so that its operation cannot be paid. */
  readonly useless = new Set<Hex>();
  /** Whether a reorg removed final blocks, which makes alarms legitimate. */
  hasFinalReorg = false;
  isDatabaseDown = false;
  isDatabaseSlow = false;
  /** The spending limits of the wallet on the partner chain. The reserve is higher while coin is short. */
  readonly partnerLimits = { ...CONFIGURATION.spendingLimits.partner };
  /** Since when coin has been short, in epoch milliseconds; null when it is not. */
  shortSinceMs: number | null = null;
  private readonly relayers: Process[] = [];

  /** @param server stores the rows. */
  constructor(seed: number, server: SimulatedServer) {
    this.kernel = new Kernel(seed, START_MS, (label, random) => this.drawLatency(label, random));
    const now = () => this.kernel.now();
    this.bridge = simulatedBridge();
    const makeNodes = (side: Side) =>
      Array.from({ length: NODES_PER_CHAIN }, (_, index) => new SimulatedNode(`${side}-${index}`, this.bridge[side]));
    this.nodes = { ethereum: makeNodes('ethereum'), partner: makeNodes('partner') };
    this.mirrors = Array.from(
      { length: MIRRORS },
      (_, index) => new SimulatedMirror(`partner-mirror-${index}`, this.bridge.partner),
    );
    this.database = new SimulatedDatabase(server, now);
  }

  /** Mines the submitted transactions and makes them final, before time starts. */
  async mineBefore(): Promise<void> {
    for (const side of SIDES) {
      const chain = this.bridge[side];
      for (let mined = 0; mined < 2 * CONFIRMATIONS[side]; mined++) await chain.mine(chain.head.timestamp + 1);
    }
  }

  /** Starts mining blocks. */
  startChains(): void {
    for (const side of SIDES) {
      const mine = async () => {
        await this.bridge[side].mine(Math.floor(this.kernel.now() / 1_000));
        this.kernel.at(this.kernel.now() + BLOCK_MS[side], mine, null);
      };
      this.kernel.at(this.kernel.now() + this.kernel.random.int(0, BLOCK_MS[side]), mine, null);
    }
  }

  /** Starts a relayer, also after a crash. */
  startRelayer(index: number): void {
    const process = this.kernel.process(`relayer ${index}`);
    this.relayers[index] = process;
    this.tell(`${process.name} starts`);
    const logger = this.makeLogger(process);
    this.kernel.as(process, () =>
      startRelayer({
        chains: this.makeChains(process),
        mirror: simulatedMirrors(this.mirrors, this.kernel.makeStep(process)),
        store: this.makeStore(process),
        signer: ROLES.relayer.signer,
        configuration: {
          ...CONFIGURATION,
          spendingLimits: { ...CONFIGURATION.spendingLimits, partner: this.partnerLimits },
        },
        clock: { now: () => this.kernel.now() + process.clockAheadMs },
        logger,
      }),
    );
  }

  /** The current process of a relayer. */
  relayer(index: number): Process {
    const process = this.relayers[index];
    if (process === undefined) throw new RangeError(`There is no relayer ${index}`);
    return process;
  }

  /** The store as a process sees it. */
  makeStore(process: Process): Store {
    const step = this.kernel.makeStep(process);
    const unreliable: Step = (label, work) =>
      step(label, async () => {
        // A commit may succeed although its answer is lost.
        if (this.isDatabaseDown && this.kernel.random.chance(0.5)) throw new Error('the connection is lost');
        const answer = await work();
        if (this.isDatabaseDown) throw new Error('the connection is lost after the commit');
        return answer;
      });
    return simulatedStore(this.database, unreliable);
  }

  /** Both chains as a process sees them. */
  makeChains(process: Process): BridgeChains {
    const { ethereum, partner } = BOOK;
    return {
      ethereum: this.makeChain(process, 'ethereum', ethereum.chainId, ethereum.bridgeLock),
      partner: this.makeChain(process, 'partner', partner.chainId, partner.bridgeMint),
    };
  }

  /** Adds a line to the story. */
  tell(line: string): void {
    const seconds = ((this.kernel.now() - START_MS) / 1_000).toFixed(1).padStart(6);
    this.story.push(`${seconds} s  ${line}`);
  }

  /** Nodes are slower to reach than the database, which is slow at times. */
  private drawLatency(label: string, random: Random): number {
    if (label.includes(' ')) return random.int(20, 200);
    return this.isDatabaseSlow ? random.int(100, 3_000) : random.int(1, 10);
  }

  private makeChain(process: Process, side: Side, chainId: number, bridge: BridgeChain['bridge']): BridgeChain {
    const { kernel } = this;
    const now = () => kernel.now();
    const clock: NodeClock = {
      now,
      // Blocks are also less frequent.
      every: (ms, work) => {
        let cancel = () => {};
        const again = () => {
          cancel = kernel.at(
            now() + HEAD_POLLS * ms,
            () => {
              again();
              work();
            },
            process,
          );
        };
        again();
        return () => cancel();
      },
      sleep: (ms) => new Promise((resolve) => kernel.at(now() + ms, resolve, process)),
    };
    const confirmations = CONFIRMATIONS[side];
    const connection = simulatedConnection({
      name: side,
      chainId,
      quorum: 2,
      confirmations,
      nodes: this.nodes[side],
      clock,
      step: kernel.makeStep(process),
      timeoutMs: NODE_TIMEOUT_MS,
      report: ({ node, message }) => this.tell(`${process.name}: ${node ?? side}: ${message}`),
    });
    const finality = new FinalBlocks(connection, now);
    return { side, chainId, connection, bridge, deployedAtBlock: 1n, confirmations, finality };
  }

  /** Turns the relayers' pino calls into lines of the story. */
  private makeLogger(process: Process): Logger {
    const write = (level: string) => (fields: object, message: string) => {
      const text = `${process.name}: ${level === 'info' ? '' : `${level}: `}${message} ${JSON.stringify(fields, shown)}`;
      this.tell(text);
      if (level === 'fatal') this.alarms.push(text);
    };
    const levels = ['debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, write(level)] as const);
    return Object.fromEntries(levels) as unknown as Logger;
  }
}

/** Shows errors by their message, and bigints as decimals. */
function shown(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Error ? `${value.name}: ${value.message.replaceAll(/\s+/g, ' ').slice(0, 300)}` : value;
}
