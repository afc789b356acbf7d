import type { AdminRole } from '@causeway/protocol/admin';
import type { AdminSession, SessionLifetimes, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { Address, Hex } from 'viem';
import { STORE } from '../../infrastructure.js';
import { MembersService } from './members.service.js';
import { deriveCsrfToken, hashToken, newToken } from './session-cookie.js';

/** How long a session lasts. */
export const SESSION_LIFETIMES: SessionLifetimes = { idleMs: 30 * 60_000, absoluteMs: 12 * 3_600_000 };
const LONGEST_USER_AGENT = 200;

/** The session of a request, with the member's current role. */
export interface Session extends AdminSession {
  readonly role: AdminRole;
  readonly csrfToken: string;
}

interface Beginning {
  readonly address: Address;
  readonly role: AdminRole;
  readonly clientIp: string;
  readonly userAgent: string | undefined;
  /** Token of the session sent along with the sign-in. That session ends and is never reused. */
  readonly replacedToken: string | null;
}

/** Maximum sessions per query. */
const MOST_TOGETHER = 100;

/** Begins, finds and ends sessions. */
@Injectable()
export class SessionsService {
  /** Concurrent requests share a query. Results are not cached, so an ended session is not found. */
  private readonly found = new DataLoader<Hex, AdminSession | null>(
    async (hashes) => {
      const sessions = await this.store.adminSessions.findAll([...new Set(hashes)], SESSION_LIFETIMES);
      return hashes.map((hash) => sessions.get(hash) ?? null);
    },
    { cache: false, maxBatchSize: MOST_TOGETHER, batchScheduleFn: (run) => setImmediate(run) },
  );

  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'adminSessions'>,
    private readonly members: MembersService,
  ) {}

  /** Begins a session with a new token, which only the caller receives. */
  async begin({ replacedToken, userAgent, ...rest }: Beginning): Promise<{ session: Session; token: string }> {
    const token = newToken();
    const replaced = replacedToken === null ? null : hashToken(replacedToken);
    const row = { ...rest, tokenHash: hashToken(token), userAgent: userAgent?.slice(0, LONGEST_USER_AGENT) ?? null };
    const begun = await this.store.adminSessions.begin(row, replaced, SESSION_LIFETIMES);
    return { token, session: { ...begun, role: rest.role, csrfToken: deriveCsrfToken(token) } };
  }

  /** Finds the session of a token; null when it has ended or its address is not a member. */
  async find(token: string): Promise<Session | null> {
    const found = await this.found.load(hashToken(token));
    const role = found === null ? null : await this.members.findRole(found.address);
    return found === null || role === null ? null : { ...found, role, csrfToken: deriveCsrfToken(token) };
  }

  /** Returns the ids of active sessions whose addresses are still members. Does not extend the sessions. */
  async findLiving(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const living = await this.store.adminSessions.findLiving(ids, SESSION_LIFETIMES);
    const members = new Set<Address>();
    for (const address of new Set(living.map((session) => session.address)))
      if ((await this.members.findRole(address)) !== null) members.add(address);
    return new Set(living.filter(({ address }) => members.has(address)).map(({ id }) => id));
  }

  /** Lists the sessions of a member, newest first. */
  async list(address: Address): Promise<AdminSession[]> {
    return this.store.adminSessions.list(address, SESSION_LIFETIMES);
  }

  /** Ends one session of the member; ending the current one is a sign-out. Returns false when it does not exist. */
  async end(by: Session, id: string): Promise<boolean> {
    const action = id === by.id ? 'sign-out' : 'session-ended';
    return this.store.adminSessions.end(by.address, id, getAuditActor(by), action);
  }

  /** Ends all sessions of the member, including the current one. */
  async endAll(by: Session): Promise<void> {
    await this.store.adminSessions.endAll(by.address, getAuditActor(by));
  }
}

function getAuditActor({ address, role, id }: Session) {
  return { actor: address, role, sessionId: id };
}
