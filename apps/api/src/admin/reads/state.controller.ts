import type { Side } from '@causeway/protocol';
import { parseRequest } from '@causeway/protocol/rest';
import {
  noQuerySchema,
  type AlertsResponse,
  type RelayersResponse,
  type SettingsResponse,
} from '@causeway/protocol/admin';
import type { Store } from '@causeway/store';
import { Controller, Get, Header, Inject, Query } from '@nestjs/common';
import type { Configuration } from '../../configuration.js';
import { CONFIGURATION, STORE } from '../../infrastructure.js';
import { Access } from '../access/access.js';
import { computeAlerts } from './alerts.js';
import { BridgeStateService } from '../../contracts/bridge-state.service.js';
import { daysLeft, LEASE, toLease } from './overview.controller.js';

const DAY_MS = 86_400_000;
const SIDES = ['ethereum', 'partner'] as const;
/** Version of this service. */
const VERSION = '1.0.0';

/** Alerts, the active relayer, and the settings. */
@Controller('api/v1/admin')
export class StateController {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly state: BridgeStateService,
  ) {}

  /** `GET /alerts`: worst first. */
  @Get('alerts')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async alerts(@Query() query: unknown): Promise<AlertsResponse> {
    parseRequest(noQuerySchema, query);
    const { store, state } = this;
    const now = new Date();
    const [chains, deliveriesHalt, unknownDeliveries, lease, open, refunds, approvals, differences] = await Promise.all(
      [
        store.overview.chains(),
        store.halts.deliveries(),
        store.verdicts.unknown(),
        store.overview.lease(LEASE),
        store.overview.open(),
        store.refundListing.countWaiting(),
        store.overview.approvalsWaiting(),
        store.audits.unexplained(),
      ],
    );
    const [backing, float, pauses, perDay] = await Promise.all([
      state.backing(),
      state.float(),
      state.pauses(),
      store.xcnTotals.outflowPerDay(new Date(now.getTime() - 7 * DAY_MS)),
    ]);
    const facts = {
      nowMs: now.getTime(),
      chains: this.withSides(chains),
      deliveriesHalt,
      pauses,
      unknownDeliveries,
      lease,
      open,
      float,
      floatDaysLeft: float === null ? null : daysLeft(float, perDay),
      surpluses:
        backing?.map(({ asset, locked, supply, handedIn }) => ({ asset, amount: locked - (supply - handedIn) })) ??
        null,
      refunds,
      approvals,
      differences: this.withSides(differences),
    };
    return { at: now.toISOString(), alerts: computeAlerts(facts, this.configuration.docsUrl) };
  }

  /** `GET /relayers`: the lease and the wallets. While nodes do not agree, balances are null and roles are missing. */
  @Get('relayers')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async relayers(@Query() query: unknown): Promise<RelayersResponse> {
    parseRequest(noQuerySchema, query);
    const { store, state } = this;
    const [lease, roles] = await Promise.all([store.overview.lease(LEASE), state.relayerRoles()]);
    const wallets = await Promise.all(
      SIDES.map(async (side) => {
        const known = roles?.wallets.filter((wallet) => wallet.side === side) ?? null;
        const addresses = known?.map(({ address }) => address) ?? (await state.listWallets(side));
        return addresses.map((address) => ({ side, address, wallet: known?.find((each) => each.address === address) }));
      }),
    );
    const since = new Date(Date.now() - DAY_MS);
    return {
      lease: toLease(lease),
      wallets: await Promise.all(
        wallets.flat().map(async ({ side, address, wallet }) => {
          const of = { chainId: this.configuration.addressBook[side].chainId, address };
          const [pendingCalls, next, gasPaid] = await Promise.all([
            store.calls.countPending(of.chainId, address),
            store.journal.nextNonce(of),
            store.journal.feesPaidSince(of, since),
          ]);
          return {
            side,
            address,
            isCurrent: wallet?.isCurrent ?? address === this.configuration.addressBook.relayer,
            balance: wallet?.balance.toString() ?? null,
            pendingCalls,
            lastNonce: next === 0n ? null : (next - 1n).toString(),
            gasPaid24h: gasPaid.toString(),
          };
        }),
      ),
      standby: SIDES.map((side) => ({
        side,
        address: roles?.standby.find((each) => each.side === side)?.address ?? null,
      })),
      attesters:
        roles === null ? null : { addresses: [...roles.attesters.addresses], threshold: roles.attesters.threshold },
    };
  }

  /** `GET /settings`, without secrets. */
  @Get('settings')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  settings(@Query() query: unknown): SettingsResponse {
    parseRequest(noQuerySchema, query);
    const { addressBook: book, timing } = this.configuration;
    const confirmations = { ethereum: timing.ethereumConfirmations, partner: timing.partnerConfirmations };
    const listContracts = (side: 'ethereum' | 'partner') => {
      const bridge =
        side === 'ethereum'
          ? { name: 'BridgeLock', address: book.ethereum.bridgeLock }
          : { name: 'BridgeMint', address: book.partner.bridgeMint };
      const tokens = Object.entries(book[side].tokens).map(([name, address]) => ({ name, address }));
      return [bridge, ...tokens].map((contract) => ({ side, ...contract }));
    };
    return {
      environment: book.environment,
      chains: SIDES.map((side) => ({
        side,
        chainId: book[side].chainId,
        requiredConfirmations: confirmations[side],
        blockSeconds: timing.blockSeconds[side],
      })),
      holdSeconds: timing.holdSeconds,
      contracts: SIDES.flatMap(listContracts),
      version: VERSION,
    };
  }

  /** Adds each row's side, and sorts by side. */
  private withSides<T extends { readonly chainId: number }>(rows: readonly T[]): (T & { readonly side: Side })[] {
    const { addressBook } = this.configuration;
    return SIDES.flatMap((side) =>
      rows.filter(({ chainId }) => chainId === addressBook[side].chainId).map((row) => ({ ...row, side })),
    );
  }
}
