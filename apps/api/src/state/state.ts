import {
  DIRECTIONS,
  formatAmount,
  listAssets,
  pickAsset,
  type Announcement,
  type Asset,
  type AssetState,
  type ChainState,
  type Direction,
  type DirectionState,
  type HealthResponse,
  type Side,
  type StateResponse,
} from '@causeway/protocol';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { parseRequest } from '@causeway/protocol/rest';
import { finishInTime } from '@causeway/service/http';
import { Controller, Get, Header, Inject, Injectable, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Announcements } from '../contracts/announcements.js';
import { BridgeStateService, type AssetBacking } from '../contracts/bridge-state.service.js';
import { readHead, type PauseRow } from '../contracts/contract-state.js';
import { HealthService } from '../health.js';
import { CHAINS, type Chains } from '../infrastructure.js';
import { LastKnownValue, type Aged } from '../last-known-value.js';
import { OnChainParameters, quoteTerms, type KnownValues } from '../on-chain-parameters.js';
import { DeliverabilityService } from '../quotes/deliverability.js';
import { toDirectionState } from './direction-state.js';

/** Each part gives up after two seconds or a little more, so a reading always ends within `patienceMs`. */
const TIMES = { freshMs: 3_000, patienceMs: 5_000, oldestMs: 3_000 };

type Block = Awaited<ReturnType<typeof readHead>>;

/** Reads the state of each part. All requests within three seconds share one reading. */
@Injectable()
export class StateService {
  private readonly state = new LastKnownValue(async () => this.readNow(), TIMES);

  constructor(
    private readonly health: HealthService,
    private readonly parameters: OnChainParameters,
    private readonly deliverability: DeliverabilityService,
    private readonly contracts: BridgeStateService,
    private readonly announcements: Announcements,
    @Inject(CHAINS) private readonly chains: Chains,
  ) {}

  /** Returns the state, at most three seconds old. A part that cannot be read is null or has a problem. */
  async read(): Promise<Aged<StateResponse>> {
    return this.state.latest();
  }

  private async readNow(): Promise<StateResponse> {
    const { contracts } = this;
    const [health, ethereum, partner, values, pauses, backing, float, announced] = await Promise.all([
      this.health.check(),
      this.readBlock('ethereum'),
      this.readBlock('partner'),
      this.parameters.read().catch(() => null),
      contracts.pauses(),
      contracts.backing(),
      contracts.float(),
      this.announcements.list(),
    ]);
    const nowMs = Date.now();
    return {
      time: new Date(nowMs).toISOString(),
      chains: {
        ethereum: this.toChain('ethereum', health, ethereum, nowMs),
        partner: this.toChain('partner', health, partner, nowMs),
      },
      relayer: toRelayer(health),
      attesters: values?.attesters ?? null,
      directions: await this.readDirections(values, pauses, nowMs),
      assets: listAssets().map((asset) => toAsset(asset, backing, asset === 'XCN' ? float : null)),
      announcements:
        announced?.map(toAnnouncement).toSorted((a, b) => (a.executableAt < b.executableAt ? -1 : 1)) ?? null,
    };
  }

  private async readBlock(side: Side): Promise<Block | null> {
    return finishInTime(readHead(this.chains[side])).catch(() => null);
  }

  private toChain(
    side: Side,
    { components, halts = [] }: HealthResponse,
    block: Block | null,
    nowMs: number,
  ): ChainState {
    const { chainId } = this.chains[side];
    const component = components[`${side}Rpc`];
    const isHalted = halts.some((each) => each.chainId === chainId);
    const problem = component?.connected === true ? null : (component?.problem ?? 'Too few of its nodes answer.');
    return {
      chainId,
      connected: problem === null && !isHalted,
      problem: problem ?? (isHalted ? 'Operators have halted it: nothing is delivered until they resume it.' : null),
      newestBlock: block === null ? null : toNewestBlock(block, nowMs),
    };
  }

  private async readDirections(
    values: KnownValues | null,
    pauses: readonly PauseRow[] | null,
    nowMs: number,
  ): Promise<DirectionState[]> {
    const wanted = DIRECTIONS.flatMap((direction) => listAssets().map((asset) => ({ direction, asset })));
    return Promise.all(
      wanted.map(async ({ direction, asset }) =>
        values === null
          ? { asset, direction, open: false, reason: 'CHAIN_AWAY', until: null, limit: null }
          : this.readDirection(asset, direction, values, pauses, nowMs),
      ),
    );
  }

  private async readDirection(
    asset: Asset,
    direction: Direction,
    values: KnownValues,
    pauses: readonly PauseRow[] | null,
    nowMs: number,
  ): Promise<DirectionState> {
    const { paused, assets } = values.origins[direction];
    const pause = pauses?.find((each) => each.direction === direction && each.what === 'beginnings');
    const facts = {
      funds: await this.deliverability.funds(values, asset, direction),
      minAmount: quoteTerms(values, asset, direction).minAmount,
      isPaused: paused || !pickAsset(assets, asset).mayBegin,
      pausedUntil: paused ? (pause?.until ?? null) : null,
    };
    return toDirectionState(asset, facts, nowMs);
  }
}

function toNewestBlock({ number, at }: Block, nowMs: number): ChainState['newestBlock'] {
  const ageSeconds = Math.max(0, Math.floor((nowMs - at.getTime()) / 1_000));
  return { number: Number(number), time: at.toISOString(), ageSeconds };
}

function toRelayer({ components }: HealthResponse): StateResponse['relayer'] {
  const connected = components['relayer']?.connected === true;
  if (connected) return { connected, problem: null };
  const isDatabaseAway = components['database']?.connected !== true;
  return {
    connected,
    problem: isDatabaseAway ? 'The database does not work.' : 'No relayer is running, or it does not read the chains.',
  };
}

function toAsset(asset: Asset, backing: readonly AssetBacking[] | null, float: bigint | null): AssetState {
  const held = backing?.find((each) => each.asset === asset);
  const locked = held?.locked ?? null;
  const supply = held === undefined ? null : held.supply - held.handedIn;
  return {
    asset,
    ...toAmounts('locked', asset, locked),
    ...toAmounts('supply', asset, supply),
    ...toAmounts('float', asset, float),
    isCovered: locked === null || supply === null ? null : locked >= supply,
  };
}

function toAmounts<N extends string>(name: N, asset: Asset, amount: bigint | null) {
  const text = amount === null ? null : amount.toString();
  const formatted = amount === null ? null : formatAmount(asset, amount);
  return { [name]: text, [`${name}Formatted`]: formatted } as Record<N | `${N}Formatted`, string | null>;
}

function toAnnouncement(call: ContractsResponse['announced'][number]): Announcement {
  const { side, contract, functionName, arguments: args, readyAt } = call;
  const what = args.map(({ name, value }) => `${name} ${value}`).join(', ');
  return { side, title: `${contract}.${functionName}`, what, executableAt: readyAt };
}

const noParameters = z.strictObject({});

@Controller('api/v1/bridge/state')
export class StateController {
  constructor(private readonly service: StateService) {}

  /** `GET /bridge/state`: what the status page shows. */
  @Get()
  @Header('Cache-Control', 'public, max-age=3')
  async state(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<StateResponse> {
    parseRequest(noParameters, query);
    const { value, ageMs } = await this.service.read();
    void reply.header('age', Math.floor(ageMs / 1_000));
    return value;
  }
}
