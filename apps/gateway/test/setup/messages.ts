import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { TestGateway } from './gateway.js';

/** Sends one JSON-RPC message as text. Resolves with the response text; null if there is none. */
export type Ask = (message: string) => Promise<string | null>;

const TIMEOUT_MS = 20_000;

export async function askHttp({ url }: TestGateway, message: string): Promise<string | null> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: message });
  return response.status === 204 ? null : response.text();
}

export async function askWebSocket({ webSocketUrl }: TestGateway, message: string): Promise<string | null> {
  const socket = await connect(`${webSocketUrl}/ws`);
  try {
    const answered = once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
    socket.send(message);
    // Its response comes at its timeout, by which everything before must have been answered.
    socket.send('{"jsonrpc":"2.0","id":"after","method":"test_wait"}');
    const [data] = (await answered) as [Buffer];
    const text = data.toString();
    return text.includes('"id":"after"') ? null : text;
  } finally {
    socket.terminate();
  }
}

/** An open WebSocket. */
export async function connect(url: string, options: object = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, options);
  await once(socket, 'open', { signal: AbortSignal.timeout(10_000) });
  return socket;
}

/** A WebSocket that sends one message at a time and waits for the response. */
export class WebSocketClient {
  private readonly received: string[] = [];
  private marks = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.received.push(data.toString()));
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<WebSocketClient> {
    return new WebSocketClient(await connect(url));
  }

  /**
   * Sends a message and returns its response; notifications of subscriptions are ignored.
   *
   * @param awaited whether a response is expected. If not, the response to a later call shows that there was none.
   */
  async ask(message: string | Buffer, awaited: boolean, binary = false): Promise<string | null> {
    this.socket.send(message, { binary });
    this.marks += 1;
    const mark = `"mark ${this.marks}"`;
    this.socket.send(`{"jsonrpc":"2.0","id":${mark},"method":"eth_chainId"}`);
    const answers = await this.until(mark, awaited ? 2 : 1);
    return answers.find((text) => !text.includes(mark)) ?? null;
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    this.socket.close();
    await once(this.socket, 'close');
  }

  private async until(mark: string, count: number): Promise<string[]> {
    const startedAt = Date.now();
    for (;;) {
      const answers = this.received.filter((text) => !text.includes('"method":"eth_subscription"'));
      if (answers.length >= count && answers.some((text) => text.includes(mark))) {
        this.received.length = 0;
        return answers;
      }
      if (this.socket.readyState !== WebSocket.OPEN) throw new Error('the connection was closed');
      if (Date.now() - startedAt > TIMEOUT_MS) throw new Error(`no answer; received ${JSON.stringify(answers)}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
