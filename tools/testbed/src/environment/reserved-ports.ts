import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

const HOST = '127.0.0.1';

/** The usual port of each part of an environment. */
export const USUAL_PORTS = {
  ethereum: 8545,
  partner: 8546,
  api: 3000,
  console: 3001,
  faucet: 3002,
  exchange: 8460,
  secondExchange: 8461,
} as const;
/** Names of the parts in messages. */
const LABELS = {
  ethereum: 'Ethereum',
  partner: 'the partner chain',
  api: 'the API',
  console: 'the console',
  faucet: 'the faucet',
  exchange: 'the exchange with attesters',
  secondExchange: 'the exchange of the second relayer',
} as const;
/** Offset of the guard port that listens while an environment owns a usual port. */
const GUARD_OFFSET = 10_000;
/** Above the guards. */
const FREE_PORTS = { from: 20_000, to: 32_000 };
const MOST_ATTEMPTS = 100;

/** One exchange for each relayer. */
export const EXCHANGES = ['exchange', 'secondExchange'] as const;

/** A part of an environment that listens. */
export type ListeningPart = keyof typeof USUAL_PORTS;

/**
 * The ports of an environment on 127.0.0.1. Each port is held until its part starts, so that another environment that
 * starts at the same time does not choose it. While a part starts or restarts, no process listens at its port. So each
 * usual port has a guard at another port until the environment ends, and an environment that finds the guard chooses a
 * free port instead.
 */
export class ReservedPorts {
  private readonly held = new Map<ListeningPart, { readonly port: number; readonly server: Server }>();
  private readonly guards: Server[] = [];

  private constructor() {}

  /**
   * Reserves four consecutive ports from a base. Without a base, each part gets its usual port
   * if that is free, else any free port.
   *
   * @param hasFaucet reserves a fifth port.
   * @param hasAttesters also reserves ports for the exchanges, independent of the base.
   * @throws Error naming the first port of a base that is in use.
   */
  static async reserve(base: number | undefined, hasFaucet = false, hasAttesters = false): Promise<ReservedPorts> {
    const ports = new ReservedPorts();
    try {
      const parts = ['ethereum', 'partner', 'api', 'console', ...(hasFaucet ? (['faucet'] as const) : [])] as const;
      for (const [i, part] of parts.entries()) {
        await ports.hold(part, base === undefined ? undefined : base + i);
      }
      for (const part of hasAttesters ? EXCHANGES : []) await ports.hold(part, undefined);
    } catch (error) {
      await ports.releaseAll();
      throw error;
    }
    return ports;
  }

  /** Frees the port of a part that is about to start, and returns it. */
  async release(part: ListeningPart): Promise<number> {
    const held = this.held.get(part);
    if (held === undefined) throw new Error(`The port of ${part} was already released`);
    this.held.delete(part);
    await close(held.server);
    return held.port;
  }

  /** Frees all other ports and the guards, once the environment has ended or its start has failed. */
  async releaseAll(): Promise<void> {
    for (const part of this.held.keys()) await this.release(part);
    for (const guard of this.guards.splice(0)) await close(guard);
  }

  private async hold(part: ListeningPart, wanted: number | undefined): Promise<void> {
    let server = wanted === undefined ? await this.listenAtUsual(part) : await listen(wanted);
    if (server === null && wanted !== undefined) {
      throw new Error(`Port ${wanted}, for ${LABELS[part]}, is in use; choose another --port-base`);
    }
    server ??= await listenAnywhere();
    this.held.set(part, { port: (server.address() as AddressInfo).port, server });
  }

  /** @returns null when the usual port, or its guard, is in use. */
  private async listenAtUsual(part: ListeningPart): Promise<Server | null> {
    const guard = await listen(USUAL_PORTS[part] + GUARD_OFFSET);
    if (guard === null) return null;
    this.guards.push(guard.unref());
    return listen(USUAL_PORTS[part]);
  }
}

/**
 * Listens at a free port below those that Linux gives to outgoing connections: such a connection could take the port of
 * a part while it restarts.
 */
async function listenAnywhere(): Promise<Server> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const server = await listen(randomInt(FREE_PORTS.from, FREE_PORTS.to));
    if (server !== null) return server;
  }
  throw new Error(`No port from ${FREE_PORTS.from} to ${FREE_PORTS.to} is free`);
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** @returns null when the port is in use. */
async function listen(port: number): Promise<Server | null> {
  // An open connection would delay the release of the port.
  const server = createServer((socket) => socket.destroy()).listen({ port, host: HOST });
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
}
