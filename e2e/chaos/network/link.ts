import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The state of a link. `cut`: existing and new connections break. `silent`: data waits, and arrives when the link is
 * open again. A number: each piece of data is delayed by this many milliseconds.
 */
export type Condition = 'open' | 'cut' | 'silent' | number;

/** A TCP proxy on 127.0.0.1 between a service and a server that it uses. */
export class Link {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private target: number;
  private condition: Condition = 'open';
  private changed = Promise.withResolvers<void>();

  private constructor(target: number) {
    this.target = target;
    this.server = createServer((socket) => this.accept(socket));
  }

  /** @param target port of 127.0.0.1. */
  static async to(target: number): Promise<Link> {
    const link = new Link(target);
    link.server.listen(0, '127.0.0.1');
    await once(link.server, 'listening');
    return link;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Sends new connections to another port. */
  retarget(target: number): void {
    this.target = target;
  }

  set(condition: Condition): void {
    this.condition = condition;
    if (condition === 'cut') for (const socket of this.sockets) socket.destroy();
    this.changed.resolve();
    this.changed = Promise.withResolvers();
  }

  async close(): Promise<void> {
    this.set('cut');
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(socket: Socket): void {
    if (this.condition === 'cut') {
      socket.on('error', () => undefined).destroy();
      return;
    }
    const upstream = connect(this.target, '127.0.0.1');
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      // Each end of the link sees that the other has closed, after all data still in the link.
      from.once('close', () => this.sockets.delete(from));
      void this.carry(from, to).finally(() => to.destroy());
    }
  }

  /** Ends when either connection ends. */
  private async carry(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from) {
        await this.passage();
        if (!to.write(piece as Buffer)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
    } catch {
      // One connection broke, so break the other one.
    }
  }

  private async passage(): Promise<void> {
    while (this.condition === 'silent') await this.changed.promise;
    if (typeof this.condition === 'number') await sleep(this.condition);
  }
}
