import type { ReservesResponse, ReservesStatementResponse } from '@causeway/protocol';
import { parseRequest, reservesQuerySchema } from '@causeway/protocol/rest';
import type { PublishedReserves, Store } from '@causeway/store';
import { Controller, Get, Header, Inject, Query } from '@nestjs/common';
import { STORE } from '../infrastructure.js';
import { OnChainParameters } from '../on-chain-parameters.js';

const PAGE = 20;

@Controller('api/v1/bridge/reserves')
export class ReservesController {
  constructor(
    @Inject(STORE) private readonly store: Store,
    private readonly parameters: OnChainParameters,
  ) {}

  /** `GET /bridge/reserves`: the statements that attesters signed, newest first. */
  @Get()
  @Header('Cache-Control', 'public, max-age=60')
  async list(@Query() query: unknown): Promise<ReservesResponse> {
    const { limit = PAGE, before } = parseRequest(reservesQuerySchema, query);
    const [found, needed] = await Promise.all([this.store.reserves.list(limit + 1, before), this.readNeeded()]);
    const statements = found.slice(0, limit).map(toResponse);
    return { needed, statements, nextBefore: found.length > limit ? (statements.at(-1)?.day ?? null) : null };
  }

  private async readNeeded(): Promise<number | null> {
    const values = await this.parameters.read().catch(() => null);
    return values?.attesters.ethereum.needed ?? null;
  }
}

function toResponse({ statement, digest, setNumber, signatures }: PublishedReserves): ReservesStatementResponse {
  return {
    day: Number(statement.day),
    digest,
    previous: statement.previous,
    ethereum: { number: Number(statement.ethereumBlock), hash: statement.ethereumHash },
    partner: { number: Number(statement.partnerBlock), hash: statement.partnerHash },
    assets: statement.assets.map(({ asset, locked, supply, held, inFlight, fees }) => ({
      asset,
      locked: `${locked}`,
      supply: `${supply}`,
      held: `${held}`,
      inFlight: `${inFlight}`,
      fees: `${fees}`,
    })),
    attesterSet: Number(setNumber),
    signatures: signatures.map(({ attester, signature }) => ({ attester, signature })),
  };
}
