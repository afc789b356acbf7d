import { setTimeout as sleep } from 'node:timers/promises';
import type { ReservesProposal } from '@causeway/protocol';
import type { Logger } from 'pino';
import type { ReservesSigner } from '../signing/reserves-signer.js';
import type { ExchangeClient } from './exchange-client.js';

const FIRST_PAUSE_MS = 1_000;
/** The relayer proposes a newer pair of blocks before that. */
const LONGEST_PAUSE_MS = 60_000;

/** Answers the newest proposal of one exchange, one at a time. */
export class ReservesAnswers {
  private proposal: ReservesProposal | null = null;
  private isRunning = false;

  constructor(
    private readonly client: Pick<ExchangeClient, 'name' | 'sendReserves'>,
    private readonly signer: Pick<ReservesSigner, 'sign'>,
    private readonly logger: Pick<Logger, 'info' | 'warn'>,
    private readonly end: AbortSignal,
  ) {}

  receive(proposal: ReservesProposal): void {
    this.proposal = proposal;
    if (!this.isRunning) void this.run();
  }

  /** Retries, since a block can be final here later than at the relayer. */
  private async run(): Promise<void> {
    this.isRunning = true;
    let pauseMs = FIRST_PAUSE_MS;
    for (let proposal = this.proposal; proposal !== null && !this.end.aborted; proposal = this.proposal) {
      const isDone = (await this.answer(proposal)) || pauseMs > LONGEST_PAUSE_MS;
      if (!isDone) await sleep(pauseMs, undefined, { signal: this.end }).catch(() => undefined);
      if (isDone && this.proposal === proposal) this.proposal = null;
      pauseMs = this.proposal === proposal ? 2 * pauseMs : FIRST_PAUSE_MS;
    }
    this.isRunning = false;
  }

  /** Returns false while the reserves cannot be signed. */
  private async answer(proposal: ReservesProposal): Promise<boolean> {
    const { client, signer, logger } = this;
    const facts = { exchange: client.name, day: `${proposal.day}` };
    try {
      const signed = await signer.sign(proposal);
      logger.info(facts, 'signed the reserves');
      // Enough others may have signed before. Otherwise the exchange shows the proposal again.
      await client.sendReserves(signed).catch((error: unknown) => {
        logger.info({ ...facts, err: error }, 'the exchange did not accept the reserves');
      });
      return true;
    } catch (error) {
      logger.warn({ ...facts, err: error }, 'the reserves are not signed');
      return false;
    }
  }
}
