import type { ReservesProposal } from '@causeway/protocol';
import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { zeroHash, type Hex } from 'viem';
import type { BridgeChain, BridgeChains } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, STORE, type Clock } from '../infrastructure.js';
import type { Stage } from '../pipeline/scheduler.js';
import { Attesters, readSetAt } from './attesters.js';
import { isMajority } from './quorum.js';

const DAY_SECONDS = 86_400n;
/** How long attesters can state the reserves at one pair of blocks. Nodes keep the state of a block a little longer. */
const PATIENCE_MS = 600_000;

interface FinalBlock {
  readonly number: bigint;
  readonly hash: Hex;
  readonly timestampSeconds: bigint;
}

/**
 * Publishes one statement of the reserves a day. It proposes a pair of final blocks, and the attesters state the
 * numbers. Without enough equal statements it proposes a newer pair.
 */
@Injectable()
export class ReservesStage implements Stage {
  readonly name = 'reserves';
  /** The day of the newest stored statement, as last read. */
  private statedDay = -1n;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: { readonly reserves: Pick<Store['reserves'], 'newest' | 'publish'> },
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'exchange'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'warn'>,
    @Inject(Attesters) private readonly attesters: Pick<Attesters, 'board' | 'readSet'>,
  ) {}

  async run(fence: Fence): Promise<void> {
    const { board } = this.attesters;
    const nowMs = this.clock.now();
    if (this.configuration.exchange === null || this.statedDay >= BigInt(Math.floor(nowMs / 86_400_000))) return;
    const round = board.reserves;
    const agreed = round?.findAgreed() ?? null;
    if (agreed !== null) {
      const { statement, digest, setNumber, signatures } = agreed;
      // If the write fails, the next run proposes a newer pair.
      board.endReserves();
      await this.store.reserves.publish(fence, agreed);
      const facts = { digest, setNumber: `${setNumber}`, signatures: signatures.length };
      this.logger.info({ day: `${statement.day}`, ...facts }, 'published the reserves');
      return;
    }
    if (round !== null) {
      if (nowMs - round.sinceMs < PATIENCE_MS) return;
      this.logger.warn({ stated: round.countDigests() }, 'too few attesters state the same reserves');
      board.endReserves();
    }
    await this.propose();
  }

  private async propose(): Promise<void> {
    const { ethereum, partner } = this.chains;
    if ((await this.attesters.readSet(ethereum)).threshold === 0) return;
    const newest = await this.store.reserves.newest();
    this.statedDay = newest?.statement.day ?? -1n;
    // Ethereum's block last: then it has the deposits of all mints up to the partner block.
    const partnerBlock = await readFinalBlock(partner);
    const ethereumBlock = await readFinalBlock(ethereum);
    if (partnerBlock === null || ethereumBlock === null) return;
    const day = partnerBlock.timestampSeconds / DAY_SECONDS;
    if (day <= this.statedDay) return;
    const set = await readSetAt(ethereum, ethereumBlock.number);
    if (set.threshold === 0 || !isMajority(set)) return;
    const proposal: ReservesProposal = {
      day,
      previous: newest?.digest ?? zeroHash,
      ethereumBlock: ethereumBlock.number,
      ethereumHash: ethereumBlock.hash,
      partnerBlock: partnerBlock.number,
      partnerHash: partnerBlock.hash,
    };
    this.attesters.board.proposeReserves(proposal, set);
  }
}

/** @throws QuorumError */
async function readFinalBlock({ finality, confirmations }: BridgeChain): Promise<FinalBlock | null> {
  const number = (await finality.head()) - BigInt(confirmations) + 1n;
  const block = number < 0n ? null : await finality.blockAt(number);
  return block === null ? null : { number, hash: block.hash, timestampSeconds: block.timestampSeconds };
}
