import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy between a service and a server, such as its database, that a test can cut. */
export interface TcpProxy {
  readonly port: number;
  /** `open` forwards; `cut` closes connections and refuses new ones; `silent` keeps them without forwarding. */
  readonly become: (state: 'open' | 'cut' | 'silent') => void;
  readonly close: () => Promise<void>;
}

/** Starts a proxy on a free port, in the state `open`. */
export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'silent' = 'open';
  const pairs = new Map<Socket, Socket>();
  const server = createServer((client) => {
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target);
    pairs.set(client, upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => undefined).on('close', () => to.destroy());
      if (state === 'open') from.pipe(to);
    }
    client.on('close', () => pairs.delete(client));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    become: (next) => {
      state = next;
      for (const [client, upstream] of pairs) {
        if (next === 'cut') client.resetAndDestroy();
        for (const [from, to] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          if (next === 'open') from.pipe(to);
          else from.unpipe(to);
        }
      }
    },
    close: () =>
      new Promise((resolve) => {
        for (const client of pairs.keys()) client.destroy();
        server.close(() => resolve());
      }),
  };
}
