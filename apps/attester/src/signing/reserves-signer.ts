import type { Signer } from '@causeway/chain/signers';
import { reservesTypedData, type ReservesProposal, type ReservesStatement } from '@causeway/protocol';
import { readFinalPair, readReserves, reservesDigest, type FinalHeaders, type Verifier } from '@causeway/verifier';
import { hashTypedData, type Hex } from 'viem';

/** A statement of the reserves with this attester's signature. */
export interface SignedStatement {
  readonly statement: ReservesStatement;
  readonly signature: Hex;
}

/** Not signed: the proposal's blocks are not of today. */
class WrongDayError extends Error {
  override readonly name = 'WrongDayError';
}

const DAY_SECONDS = 86_400n;
/** How much older than the partner block Ethereum's can be. */
const MOST_APART_SECONDS = 3_600n;
/** Tolerance for the clocks of the chains. */
const AHEAD_SECONDS = 60n;

/** States the reserves from this attester's own nodes. A relayer only names the blocks. */
export class ReservesSigner {
  constructor(
    private readonly verifier: Verifier,
    private readonly signer: Pick<Signer, 'signTypedData'>,
  ) {}

  /**
   * States the reserves at the proposed blocks, and signs them.
   *
   * @throws WrongDayError for blocks of another day.
   * @throws WrongPairError for blocks that are not final, or that the chains do not have.
   * @throws NoQuorumError
   */
  async sign(proposal: ReservesProposal): Promise<SignedStatement> {
    const { verifier } = this;
    const { chainId, contract } = verifier.settings.ethereum;
    const [ethereum, partner] = await Promise.all([
      verifier.finality.finalBlock('ethereum'),
      verifier.finality.finalBlock('partner'),
    ]);
    const pair = await readFinalPair(verifier, proposal, {
      ethereum: { number: ethereum },
      partner: { number: partner },
    });
    await this.checkDay(proposal.day, pair, partner);
    const statement = { ...proposal, assets: await readReserves(verifier, pair) };
    const typed = reservesTypedData({ chainId, bridgeLock: contract }, statement);
    if (hashTypedData(typed) !== reservesDigest(statement, verifier.settings.ethereum))
      throw new Error("The typed data of the reserves differ from the verifier's digest");
    return { statement, signature: await this.signer.signTypedData(typed) };
  }

  private async checkDay(day: bigint, pair: FinalHeaders, newest: bigint): Promise<void> {
    const { settings, readers, now } = this.verifier;
    const { ethereum, partner } = pair;
    if (partner.timestamp / DAY_SECONDS !== day)
      throw new WrongDayError(
        `Partner block ${partner.number} is of day ${partner.timestamp / DAY_SECONDS}, not ${day}.`,
      );
    // Tools move the clocks of development chains.
    const seconds = settings.isLocal ? (await readers.partner.headerAt(newest)).timestamp : BigInt(now());
    if (seconds / DAY_SECONDS !== day) throw new WrongDayError(`Today is day ${seconds / DAY_SECONDS}, not ${day}.`);
    const apart = partner.timestamp - ethereum.timestamp;
    if (!settings.isLocal && (apart < -AHEAD_SECONDS || apart > MOST_APART_SECONDS))
      throw new WrongDayError(`The blocks are ${apart} seconds apart.`);
  }
}
