import { ChainError, readLogs, type AgreedLog, type ChainConnection } from '@causeway/chain';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import type { Side } from '@causeway/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { decodeEventLog, toEventSelector, type Abi, type Address, type Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, type Chains } from '../infrastructure.js';
import { Drain } from '../server/shutdown.js';

/** An event of a bridge contract, its Sentinel or its timelock. Its values are untrusted chain data. */
export interface ContractEvent {
  readonly name: string;
  /** Decoded arguments by name. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly blockNumber: bigint;
  readonly at: Date | null;
  readonly txHash: Hex;
}

/** The events of one side, oldest first, complete up to block `through`. */
export interface KnownEvents {
  readonly events: readonly ContractEvent[];
  /** Null until a block has been read. */
  readonly through: bigint | null;
}

interface Reading {
  readonly timelock: Address | null;
  /** The first block to read again; all blocks before it are final. */
  next: bigint;
  events: readonly ContractEvent[];
  through: bigint | null;
}

/** How long a page waits for events before it shows the known ones, in milliseconds. */
const PATIENCE_MS = 2_000;

const CHANGES: ReadonlySet<string> = new Set(
  [
    'RelayerChanged StandbyChanged GuardianChanged PolicyManagerChanged OwnershipTransferred OwnershipTransferStarted',
    'AttestersSet TokenListed ListingSet OutflowLimitSet MaxAmountSet LimitCeilingSet PauseSet FeePolicySet FeeCeilingSet',
    'TreasurySet FeesCollected CreditRedirected',
    'PausedBy PauserAdded PauserRemoved',
    'CallScheduled CallSalt CallExecuted Cancelled MinDelayChange Voted VoteWithdrawn VoteCarried OfficeReplaced',
  ].flatMap((names) => names.split(' ')),
);
const ABIS: Readonly<Record<Side, Abi>> = {
  ethereum: [...bridgeLockAbi, ...sentinelAbi, ...adminTimelockAbi],
  partner: [...bridgeMintAbi, ...sentinelAbi, ...adminTimelockAbi],
};

/**
 * Reads the change events of the contracts and their timelocks since the deployment. The relayer stores only operation
 * events. Change events are few, so each process keeps them in memory. A quorum of nodes must return equal logs.
 * Reading a long history continues in the background while responses show its progress.
 */
@Injectable()
export class ContractEvents {
  private readonly readings = new Map<Side, Reading>();
  private readonly running = new Map<Side, Promise<void>>();

  constructor(
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly drain: Drain,
    private readonly logger: PinoLogger,
  ) {}

  /**
   * Returns the events known after at most two seconds, even when the nodes do not agree on newer ones.
   *
   * @param timelock the contract's admin; null when it is an account without code.
   */
  async read(side: Side, timelock: Address | null, head: bigint): Promise<KnownEvents> {
    const known = this.readings.get(side);
    const reading = known?.timelock === timelock ? known : this.beginReading(side, timelock);
    this.readings.set(side, reading);
    const running = this.running.get(side) ?? this.follow(side, reading, head);
    this.running.set(side, running);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
    await Promise.race([running, patience]);
    clearTimeout(timer);
    return { events: reading.events, through: reading.through };
  }

  private beginReading(side: Side, timelock: Address | null): Reading {
    return { timelock, next: BigInt(this.configuration.addressBook[side].deployedAtBlock), events: [], through: null };
  }

  private async follow(side: Side, reading: Reading, head: bigint): Promise<void> {
    try {
      await this.readTo(side, reading, head);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.logger.warn({ problem: error.message }, `cannot read the change events of the contract on ${side} now`);
    } finally {
      this.running.delete(side);
    }
  }

  private async readTo(side: Side, reading: Reading, head: bigint): Promise<void> {
    const { ethereumConfirmations, partnerConfirmations } = this.configuration.timing;
    const final = head - BigInt(side === 'ethereum' ? ethereumConfirmations : partnerConfirmations);
    const { timelock, next } = reading;
    const { sentinel } = this.configuration.addressBook[side];
    const bridge = getBridgeAddress(this.configuration, side);
    const contracts = [bridge, sentinel, ...(timelock === null ? [] : [timelock])];
    const range = { contracts, topics: listTopics(side), from: next, to: head };
    for await (const { from, to, logs } of readLogs(this.chains[side], range)) {
      const found = await this.decodeEvents(side, logs);
      // A block that was not final may have been replaced.
      reading.events = [...reading.events.filter(({ blockNumber }) => blockNumber < from), ...found];
      reading.through = to;
      const settled = to < final ? to : final;
      if (settled >= reading.next) reading.next = settled + 1n;
      if (this.drain.signal.aborted) return;
    }
  }

  private async decodeEvents(side: Side, logs: readonly AgreedLog[]): Promise<ContractEvent[]> {
    const events: ContractEvent[] = [];
    const times = new Map<bigint, Date | null>();
    for (const { blockNumber, topics, data, transactionHash: txHash } of logs) {
      const [first, ...rest] = topics;
      if (first === undefined) continue;
      const at = times.get(blockNumber) ?? (await findTime(this.chains[side], blockNumber));
      times.set(blockNumber, at);
      const { eventName: name, args } = decodeEventLog({ abi: ABIS[side], topics: [first, ...rest], data });
      events.push({ name: name ?? '', args: toRecord(args), blockNumber, at, txHash });
    }
    return events;
  }
}

function getBridgeAddress({ addressBook }: Configuration, side: Side): Address {
  return side === 'ethereum' ? addressBook.ethereum.bridgeLock : addressBook.partner.bridgeMint;
}

function listTopics(side: Side): readonly Hex[] {
  const topics = ABIS[side].flatMap((item) =>
    item.type === 'event' && CHANGES.has(item.name) ? [toEventSelector(item)] : [],
  );
  return [...new Set(topics)];
}

async function findTime(connection: ChainConnection, number: bigint): Promise<Date | null> {
  const block = await connection.agreedBlock(number);
  return block === null ? null : new Date(Number(block.timestampSeconds) * 1_000);
}

function toRecord(args: unknown): Readonly<Record<string, unknown>> {
  return typeof args === 'object' && args !== null ? { ...args } : {};
}
