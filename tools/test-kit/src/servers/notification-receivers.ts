import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

// Receivers of notifications: a mail server and a webhook on this machine.

/** A received mail, with headers by lower-case name. */
export interface ReceivedMail {
  readonly to: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Without breaks of long lines. */
  readonly text: string;
}

/** A running receiver and what it has accepted. */
export interface Receiver<T> {
  readonly url: string;
  readonly received: readonly T[];
  /** While true, it refuses everything. */
  isBroken: boolean;
  readonly stop: () => Promise<void>;
}

/** Starts a mail server without TLS that offers a login, which a client with a password must refuse. */
export async function startMailServer(): Promise<Receiver<ReceivedMail>> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onData: (stream, { envelope }, callback) => {
      let source = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => void (source += part));
      stream.on('end', () => {
        if (receiver.isBroken) return callback(new Error('broken'));
        received.push({ to: envelope.rcptTo.map(({ address }) => address), ...parseMail(source) });
        callback();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const receiver = {
    url: `smtp://127.0.0.1:${getPort(server.server)}`,
    received,
    isBroken: false,
    stop: async () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return receiver;
}

/** Starts a webhook that accepts JSON. */
export async function startWebhook(): Promise<Receiver<unknown>> {
  const received: unknown[] = [];
  const server: HttpServer = createServer((request, response) => {
    void json(request).then(
      (body) => {
        if (!receiver.isBroken) received.push(body);
        response.writeHead(receiver.isBroken ? 503 : 202).end('ok');
      },
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver = {
    url: `http://127.0.0.1:${getPort(server)}/hook/secret-token`,
    received,
    isBroken: false,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** A server that accepts connections and never answers. */
export interface SilentServer {
  readonly port: number;
  /** Resolves when this many clients are connected. */
  readonly connected: (clients: number) => Promise<void>;
  readonly stop: () => void;
}

/** Starts a server that never answers. */
export async function startSilentServer(): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: getPort(server),
    connected: async (clients) => {
      while (sockets.size < clients) await once(server, 'connection');
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function getPort(server: Pick<Server, 'address'>): number {
  return (server.address() as AddressInfo).port;
}

function parseMail(source: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const [head = '', ...rest] = source.replaceAll('\r\n', '\n').split('\n\n');
  const lines = head.replaceAll(/\n[ \t]+/g, ' ').split('\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, text: decodeQuotedPrintable(rest.join('\n\n')) };
}

/** Decodes quoted-printable text (RFC 2045, 6.7). */
function decodeQuotedPrintable(source: string): string {
  const bytes = source
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
