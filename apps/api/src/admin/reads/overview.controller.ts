import { listAssets, type Side } from '@causeway/protocol';
import { parseRequest } from '@causeway/protocol/rest';
import {
  noQuerySchema,
  solvencyQuerySchema,
  type OverviewResponse,
  type SolvencyResponse,
} from '@causeway/protocol/admin';
import type { LeaseState, ReadChain, Store } from '@causeway/store';
import { Controller, Get, Header, Inject, Query } from '@nestjs/common';
import type { Configuration } from '../../configuration.js';
import { CONFIGURATION, STORE } from '../../infrastructure.js';
import { Access } from '../access/access.js';
import { BridgeStateService } from '../../contracts/bridge-state.service.js';

/** The name of the relayer's lease. */
export const LEASE = 'relayer';
/** Points of the chart, at most. */
const MOST_POINTS = 500;
const WEEK_MS = 7 * 86_400_000;

/** The state of the whole bridge on one page. */
@Controller('api/v1/admin')
export class OverviewController {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly state: BridgeStateService,
  ) {}

  /** `GET /overview`. */
  @Get('overview')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async overview(@Query() query: unknown): Promise<OverviewResponse> {
    parseRequest(noQuerySchema, query);
    const { store, state } = this;
    const now = Date.now();
    const [open, chains, deliveriesHalt, lease, refunds, requestsWaiting, backing, float, perDay, day, heads] =
      await Promise.all([
        store.overview.open(),
        store.overview.chains(),
        store.halts.deliveries(),
        store.overview.lease(LEASE),
        store.refundListing.countWaiting(),
        store.overview.requestsWaiting(),
        state.backing(),
        state.float(),
        store.xcnTotals.outflowPerDay(new Date(now - WEEK_MS)),
        state.readCompletedOfDay(),
        Promise.all([state.head('ethereum'), state.head('partner')]),
      ]);
    const [ethereumHead, partnerHead] = heads;
    return {
      at: new Date(now).toISOString(),
      assets: listAssets().map((asset) => {
        const held = backing?.find((each) => each.asset === asset) ?? null;
        const inFlight = open.amounts.find((each) => each.asset === asset)?.amount ?? 0n;
        const ofXcn = asset === 'XCN' ? float : null;
        const completed = day.find((each) => each.asset === asset);
        return {
          asset,
          locked: held?.locked.toString() ?? null,
          supply: held?.supply.toString() ?? null,
          surplus: held === null ? null : (held.locked - (held.supply - held.handedIn)).toString(),
          inFlight: inFlight.toString(),
          float: ofXcn?.toString() ?? null,
          floatDaysLeft: ofXcn === null ? null : daysLeft(ofXcn, perDay),
          delivered24h: (completed?.delivered ?? 0n).toString(),
          fees24h: (completed?.fees ?? 0n).toString(),
        };
      }),
      chains: [
        this.describeChain('ethereum', ethereumHead, chains),
        this.describeChain('partner', partnerHead, chains),
      ],
      deliveriesHalt: deliveriesHalt === null ? null : toHalt(deliveriesHalt),
      lease: toLease(lease),
      open: {
        total: open.byStatus.reduce((sum, { count }) => sum + count, 0),
        byStatus: [...open.byStatus],
        byDelay: open.byDelay.map(({ reason, count, oldestSince }) => ({
          reason,
          count,
          oldestSince: oldestSince.toISOString(),
        })),
        oldest: open.oldest === null ? null : { ...open.oldest, since: open.oldest.since.toISOString() },
      },
      refundsWaiting: refunds.count,
      requestsWaiting,
    };
  }

  /** `GET /solvency`: totals of native XCN for the chart. */
  @Get('solvency')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async solvency(@Query() query: unknown): Promise<SolvencyResponse> {
    const { since } = parseRequest(solvencyQuerySchema, query);
    const points = await this.store.overview.xcnTotals(since === undefined ? null : new Date(since), MOST_POINTS);
    return {
      points: points.map(({ at, minted, withdrawn }) => ({
        at: at.toISOString(),
        minted: minted.toString(),
        withdrawn: withdrawn.toString(),
      })),
    };
  }

  private describeChain(
    side: Side,
    head: bigint | null,
    chains: readonly ReadChain[],
  ): OverviewResponse['chains'][number] {
    const { chainId, deployedAtBlock } = this.configuration.addressBook[side];
    const chain = chains.find((each) => each.chainId === chainId) ?? null;
    const halt = chain?.halt ?? null;
    const next = chain?.nextBlock ?? BigInt(deployedAtBlock);
    return {
      side,
      chainId,
      // The nodes that agree on the head can be behind the relayer, so the last read block is the lower bound.
      head: head === null ? null : Math.max(Number(head), Number(next) - 1),
      nextBlock: Number(next),
      lagBlocks: head === null ? null : Math.max(0, Number(head - next + 1n)),
      readAt: chain?.readAt.toISOString() ?? null,
      halt: halt === null ? null : toHalt(halt),
    };
  }
}

export function toLease({ holder, token, expiresAt, isHeld }: LeaseState): OverviewResponse['lease'] {
  return { holder, token: token.toString(), expiresAt: expiresAt?.toISOString() ?? null, isHeld };
}

/** Returns how many days a float lasts at the recent daily use; null when it is not used. Pure. */
export function daysLeft(float: bigint, perDay: bigint | null): number | null {
  return perDay === null || perDay === 0n ? null : Number(float) / Number(perDay);
}

function toHalt({ since, reason }: { readonly since: Date; readonly reason: string }) {
  return { since: since.toISOString(), reason };
}
