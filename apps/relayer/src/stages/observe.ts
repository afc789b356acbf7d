import {
  QuorumError,
  readFeePolicies,
  ReorgTooDeepError,
  type ChainReader,
  type NodeFault,
  type ReadPosition,
  type ReadStep,
} from '@causeway/chain';
import type { AddressBook, FeePolicy, PerAsset } from '@causeway/protocol';
import { FinalityBrokenError, type Fence, type Halt, type ScannedBlock, type Store } from '@causeway/store';
import type { Logger } from 'pino';
import type { Address } from 'viem';
import type { BridgeChain, BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { createReader, readPosition } from '../pipeline/chain-reading.js';
import type { Stage } from '../pipeline/scheduler.js';
import { decodeBlocks, firstWithdrawal, type ScanContext } from './decode-block.js';

/** How often a halt is logged again, so that the log of any hour shows it. */
const HALT_NOTICE_MS = 60_000;
/** How often the cursor's age is renewed at the head while there are no new blocks. */
const CONFIRM_MS = 5_000;
/**
 * Maximum events and transfers per database transaction, unless one block has more. Takes far less than the timeout.
 */
const CHUNK_EVENTS = 2_000;
/** Maximum blocks per database transaction. */
const CHUNK_BLOCKS = 1_000;

type ExtendStep = Extract<ReadStep, { kind: 'extend' }>;
type DecodedStep = Exclude<ReadStep, ExtendStep> | (ExtendStep & { readonly scanned: readonly ScannedBlock[] });

type Reader = Pick<ChainReader, 'read'>;

interface ObserveStore {
  readonly halts: Pick<Store['halts'], 'list' | 'halt'>;
  readonly scan: Pick<Store['scan'], 'cursor' | 'block' | 'begin' | 'extend' | 'rollBack' | 'confirmHead'>;
}

interface ObserveOptions {
  readonly chain: Pick<BridgeChain, 'side' | 'chainId' | 'deployedAtBlock' | 'confirmations'>;
  /** @param report called for a node that provably hid or invented logs. */
  readonly createReader: (report: (fault: NodeFault) => void) => Reader;
  readonly decode: (step: ExtendStep) => Promise<ScannedBlock[]>;
  readonly store: ObserveStore;
  readonly logger: Logger;
  /** Injectable clock, in epoch milliseconds. */
  readonly now: () => number;
}

/** A step that was started while the previous one is being stored. */
interface ReadAhead {
  readonly position: ReadPosition;
  readonly step: Promise<DecodedStep>;
}

/**
 * Stage 1, one instance per chain, so that neither chain waits for the other. Reads the next blocks and stores their
 * events. Rolls back blocks that a reorg removed. A reorg of a final block halts the chain.
 */
export class ObserveStage implements Stage {
  readonly name: string;
  private reader: Reader | null = null;
  private ahead: ReadAhead | null = null;
  private haltLoggedAtMs = -Infinity;
  private confirmedAtMs = -Infinity;

  /** @param options evaluated in the first run, since a process without the lease needs no reader. */
  constructor(
    side: BridgeChain['side'],
    private readonly options: () => ObserveOptions,
  ) {
    this.name = `observe-${side}`;
  }

  async run(fence: Fence): Promise<boolean> {
    const options = this.options();
    const { chain, store } = options;
    const halt = (await store.halts.list()).find(({ chainId }) => chainId === chain.chainId);
    if (halt !== undefined) return this.logHalt(options, halt);
    try {
      return await this.observe(fence, options);
    } catch (error) {
      if (!(error instanceof FinalityBrokenError || error instanceof ReorgTooDeepError)) throw error;
      return store.halts.halt(chain.chainId, error.message);
    }
  }

  private logHalt({ logger, now }: ObserveOptions, { chainId, since, reason }: Halt): false {
    if (now() - this.haltLoggedAtMs < HALT_NOTICE_MS) return false;
    this.haltLoggedAtMs = now();
    logger.fatal({ chainId, since, reason }, 'the chain is halted until an operator resumes it');
    return false;
  }

  private async observe(fence: Fence, options: ObserveOptions): Promise<boolean> {
    const { chain, store, logger } = options;
    const { chainId } = chain;
    const position = await readPosition(store, chainId);
    if (position === null) {
      await store.scan.begin(fence, chainId, chain.deployedAtBlock);
      return true;
    }
    const reader = (this.reader ??= options.createReader((fault) => this.logFault(options, fault)));
    const step = await this.next(reader, options, position);
    switch (step.kind) {
      case 'idle':
        return this.confirm(fence, options, position, step.head);
      case 'reorg':
        logger.warn({ chainId, ancestor: step.ancestor.toString() }, 'reorg: rolling back to the common ancestor');
        await store.scan.rollBack(fence, chainId, step.ancestor);
        return true;
      case 'extend':
        this.readAhead(reader, options, step);
        await this.store(fence, options, step);
        return true;
    }
  }

  /**
   * Returns the step that was read ahead if it continues from this position; otherwise reads one. Steps are read one at
   * a time.
   */
  private async next(reader: Reader, options: ObserveOptions, position: ReadPosition): Promise<DecodedStep> {
    const ahead = this.ahead;
    this.ahead = null;
    if (ahead === null) return readAndDecode(reader, options, position);
    const isNext = ahead.position.nextBlock === position.nextBlock && ahead.position.lastHash === position.lastHash;
    if (isNext) return ahead.step;
    await ahead.step.catch(() => undefined);
    return readAndDecode(reader, options, position);
  }

  /** Far behind the head, reading the next step overlaps with storing this one. */
  private readAhead(reader: Reader, options: ObserveOptions, { blocks, head }: ExtendStep): void {
    const last = blocks.at(-1);
    if (last === undefined || last.number + BigInt(options.chain.confirmations) >= head) return;
    const position = { nextBlock: last.number + 1n, lastHash: last.hash };
    const step = readAndDecode(reader, options, position);
    // The next run throws a failure.
    step.catch(() => undefined);
    this.ahead = { position, step };
  }

  private async store(
    fence: Fence,
    { chain: { chainId }, store, logger }: ObserveOptions,
    { from: first, head, scanned }: Extract<DecodedStep, ExtendStep>,
  ): Promise<void> {
    let from = first;
    for (const chunk of splitIntoChunks(scanned)) {
      await store.scan.extend(fence, chainId, chunk, head, from);
      from = (chunk.at(-1)?.number ?? from) + 1n;
      for (const { operationId, txHash, name } of chunk.flatMap(({ events }) => events)) {
        logger.info({ operationId, chainId, txHash }, `${name} seen`);
      }
    }
  }

  /** At the head nothing is missing, so the cursor's age is renewed. Lagging nodes confirm nothing. */
  private async confirm(
    fence: Fence,
    { chain: { chainId }, store, now }: ObserveOptions,
    { nextBlock }: ReadPosition,
    head: bigint,
  ): Promise<false> {
    if (head + 1n !== nextBlock || now() - this.confirmedAtMs < CONFIRM_MS) return false;
    this.confirmedAtMs = now();
    await store.scan.confirmHead(fence, chainId, { nextBlock, headBlock: head });
    return false;
  }

  private logFault({ chain: { chainId }, logger }: ObserveOptions, { node, block, hidden, invented }: NodeFault): void {
    logger.error({ chainId, node, block: block.toString(), hidden, invented }, 'a node hides or invents logs');
  }
}

async function readAndDecode(reader: Reader, options: ObserveOptions, position: ReadPosition): Promise<DecodedStep> {
  const step = await reader.read(position);
  return step.kind === 'extend' ? { ...step, scanned: await options.decode(step) } : step;
}

/** Splits blocks into parts of about `CHUNK_EVENTS` events and transfers. Never splits a block. Pure. */
export function splitIntoChunks(blocks: readonly ScannedBlock[]): ScannedBlock[][] {
  const chunks: ScannedBlock[][] = [];
  let events = Infinity;
  for (const block of blocks) {
    const added = block.events.length + block.transfers.length + block.dust.length;
    const current = chunks.at(-1);
    if (current === undefined || events + added > CHUNK_EVENTS || current.length === CHUNK_BLOCKS) {
      chunks.push([block]);
      events = added;
    } else {
      current.push(block);
      events += added;
    }
  }
  return chunks;
}

interface ObserveSetting {
  readonly chains: BridgeChains;
  readonly store: Store;
  readonly configuration: Configuration;
  readonly logger: Logger;
  /** The relayer wallets whose transfers are read. Default: the wallets of the configuration. */
  readonly wallets?: readonly Address[];
}

/** Creates the stage of one chain, with its reader and the real clock. */
export function createObserveStage(side: BridgeChain['side'], setting: ObserveSetting): ObserveStage {
  const { store, configuration, logger } = setting;
  const { addressBook: book } = configuration;
  return new ObserveStage(side, () => {
    const chain = setting.chains[side];
    return {
      chain,
      store,
      logger,
      now: Date.now,
      createReader: (report) =>
        createReader(store, chain, { wallets: setting.wallets ?? configuration.wallets, book }, report),
      decode: async (step) => {
        const policies = await policiesBefore(step, chain, configuration);
        return decodeBlocks(step.blocks, { book, side, timing: configuration, policies });
      },
    };
  });
}

/**
 * Reads the fee policies before the first withdrawal of a step, by a quorum; null when there is none. They give the
 * displayed rate; the contract itself computed the fee.
 */
async function policiesBefore(
  { blocks }: ExtendStep,
  chain: BridgeChain,
  { addressBook }: Configuration,
): Promise<ScanContext['policies']> {
  const first = chain.side === 'partner' ? firstWithdrawal(blocks) : null;
  return first === null ? null : feePoliciesAt(chain, addressBook, first - 1n);
}

/**
 * Reads the fee policies of the partner chain after a block, by a quorum. If the nodes have dropped that state, reads
 * the current policies.
 *
 * @throws QuorumError
 */
export async function feePoliciesAt(
  { connection, finality }: Pick<BridgeChain, 'connection' | 'finality'>,
  book: AddressBook,
  block: bigint,
): Promise<PerAsset<FeePolicy>> {
  const policiesAt = (blockNumber: bigint) =>
    connection.agree((client) => readFeePolicies(client, book, { blockNumber }));
  try {
    return await policiesAt(block);
  } catch (error) {
    if (!(error instanceof QuorumError)) throw error;
    return policiesAt(await finality.head());
  }
}
