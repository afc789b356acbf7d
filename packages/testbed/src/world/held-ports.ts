import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

const HOST = '127.0.0.1';

/** The customary port of each part of a world. */
const CUSTOMARY = { ethereum: 8545, partner: 8546, api: 3000 } as const;
/** So far above a customary port is the one that stands for it while it belongs to a world that is being booted. */
const GUARD_OFFSET = 10_000;

/** A part of a world that listens. */
export type ListeningPart = keyof typeof CUSTOMARY;

/**
 * Where the parts of a world will listen, on 127.0.0.1. Each port is held until its part begins, so that another world that is booted meanwhile does not
 * choose it too. From then on until the part listens, which takes seconds, nobody has the port: a customary one has a guard at another port until all is
 * released, and who finds a guard there takes the port for taken.
 */
export class HeldPorts {
  readonly #held = new Map<ListeningPart, { readonly port: number; readonly server: Server }>();
  readonly #guards: Server[] = [];

  private constructor() {}

  /**
   * Consecutive ports from a base; without one, the customary ports where they are free and any free ones where not.
   *
   * @throws Error naming the first port of a base that is taken.
   */
  static async choose(base: number | undefined): Promise<HeldPorts> {
    const ports = new HeldPorts();
    try {
      for (const [i, part] of (['ethereum', 'partner', 'api'] as const).entries()) {
        await ports.#hold(part, base === undefined ? undefined : base + i);
      }
    } catch (error) {
      await ports.releaseAll();
      throw error;
    }
    return ports;
  }

  /** Gives the port of a part that begins to listen now. */
  async release(part: ListeningPart): Promise<number> {
    const held = this.#held.get(part);
    if (held === undefined) throw new Error(`The port of ${part} is released already`);
    this.#held.delete(part);
    await close(held.server);
    return held.port;
  }

  /** Gives back what is still held, once all parts listen or none will. */
  async releaseAll(): Promise<void> {
    for (const part of this.#held.keys()) await this.release(part);
    for (const guard of this.#guards.splice(0)) await close(guard);
  }

  async #hold(part: ListeningPart, wanted: number | undefined): Promise<void> {
    let server = wanted === undefined ? await this.#customary(part) : await listen(wanted);
    if (server === null && wanted !== undefined) {
      throw new Error(`Port ${wanted} is taken; choose another --port-base`);
    }
    server ??= await listen(0);
    if (server === null) throw new Error('There is no free port');
    this.#held.set(part, { port: (server.address() as AddressInfo).port, server });
  }

  /** @returns null when the customary port, or its guard, is taken. */
  async #customary(part: ListeningPart): Promise<Server | null> {
    const guard = await listen(CUSTOMARY[part] + GUARD_OFFSET);
    if (guard === null) return null;
    this.#guards.push(guard);
    return listen(CUSTOMARY[part]);
  }
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** @returns null when the port is taken. */
async function listen(port: number): Promise<Server | null> {
  // Whoever connects meanwhile is sent away: the port could not be released while he stays.
  const server = createServer((socket) => socket.destroy()).listen({ port, host: HOST });
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
}
