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
/** By this factor heads are asked for less often than in a process. */
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
  /** Null without an answer: it may be accepted nevertheless. */
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
  /** The events so far, a line each. */
  readonly story: string[] = [];
  /** Lines of the relayers' logs at level `fatal`. */
  readonly alarms: string[] = [];
  /** The intents that users have registered, or tried to. */
  readonly intents: Accepted[] = [];
  /** The smart accounts whose owners have revoked what they signed. */
  readonly revokers = new Set<Address>();
  /** Hashes of transactions that pay for something that never happened. */
  readonly forgeries = new Set<Hex>();
  /** Hashes of transactions that pay a few units for a number, so that its operation cannot be paid. */
  readonly useless = new Set<Hex>();
  /** Whether a reorg has removed final blocks: then alarms are right. */
  hasFinalReorg = false;
  isDatabaseDown = false;
  isDatabaseSlow = false;
  /** The spending limits of the wallet on the partner chain. Its reserve is higher while its coin is short. */
  readonly partnerLimits = { ...CONFIGURATION.spendingLimits.partner };
  /** Since when its coin is short, in epoch milliseconds; null when it is not. */
  shortSinceMs: number | null = null;
  private readonly relayers: Process[] = [];

  /** @param server where the rows are. */
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

  /** Makes a block of what was sent, and makes it final, before time begins. */
  async mineBefore(): Promise<void> {
    for (const side of SIDES) {
      const chain = this.bridge[side];
      for (let mined = 0; mined < 2 * CONFIRMATIONS[side]; mined++) await chain.mine(chain.head.timestamp + 1);
    }
  }

  /** Lets blocks come. */
  startChains(): void {
    for (const side of SIDES) {
      const mine = async () => {
        await this.bridge[side].mine(Math.floor(this.kernel.now() / 1_000));
        this.kernel.at(this.kernel.now() + BLOCK_MS[side], mine, null);
      };
      this.kernel.at(this.kernel.now() + this.kernel.random.int(0, BLOCK_MS[side]), mine, null);
    }
  }

  /** Starts a relayer, or starts it again after a crash. */
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
        pauser: null,
        configuration: {
          ...CONFIGURATION,
          spendingLimits: { ...CONFIGURATION.spendingLimits, partner: this.partnerLimits },
        },
        clock: { now: () => this.kernel.now() + process.clockAheadMs },
        logger,
      }),
    );
  }

  /** The process of a relayer that runs now. */
  relayer(index: number): Process {
    const process = this.relayers[index];
    if (process === undefined) throw new RangeError(`There is no relayer ${index}`);
    return process;
  }

  /** The store as a process has it. */
  makeStore(process: Process): Store {
    const step = this.kernel.makeStep(process);
    const unreliable: Step = (label, work) =>
      step(label, async () => {
        // A commit may be done although its answer is lost.
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

  /** Nodes are farther away than the database, which is slow at times. */
  private drawLatency(label: string, random: Random): number {
    if (label.includes(' ')) return random.int(20, 200);
    return this.isDatabaseSlow ? random.int(100, 3_000) : random.int(1, 10);
  }

  private makeChain(process: Process, side: Side, chainId: number, bridge: BridgeChain['bridge']): BridgeChain {
    const { kernel } = this;
    const now = () => kernel.now();
    const clock: NodeClock = {
      now,
      // Blocks come less often, too.
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

  /** The relayers write pino's calls; here they become lines of the story. */
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

/** Errors by their message, numbers of any size. */
function shown(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Error ? `${value.name}: ${value.message.replaceAll(/\s+/g, ' ').slice(0, 300)}` : value;
}
