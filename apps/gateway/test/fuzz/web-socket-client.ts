import { once } from 'node:events';
import { WebSocket } from 'ws';

const PATIENCE_MS = 20_000;

/** A WebSocket that is asked one message at a time. */
export class WebSocketClient {
  readonly #socket: WebSocket;
  readonly #received: string[] = [];
  #marks = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#received.push(data.toString()));
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<WebSocketClient> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return new WebSocketClient(socket);
  }

  get open(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /**
   * Sends a message and answers with what came back, notifications of subscriptions left out.
   *
   * @param awaited whether an answer is expected. If not, an answer to a call made afterwards shows that there was none.
   */
  async ask(message: string | Buffer, awaited: boolean, binary = false): Promise<string | null> {
    this.#socket.send(message, { binary });
    this.#marks += 1;
    const mark = `"mark ${this.#marks}"`;
    this.#socket.send(`{"jsonrpc":"2.0","id":${mark},"method":"eth_chainId"}`);
    const answers = await this.#until(mark, awaited ? 2 : 1);
    return answers.find((text) => !text.includes(mark)) ?? null;
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#socket.close();
    await once(this.#socket, 'close');
  }

  async #until(mark: string, count: number): Promise<string[]> {
    const begun = Date.now();
    for (;;) {
      const answers = this.#received.filter((text) => !text.includes('"method":"eth_subscription"'));
      if (answers.length >= count && answers.some((text) => text.includes(mark))) {
        this.#received.length = 0;
        return answers;
      }
      if (!this.open) throw new Error('the connection was closed');
      if (Date.now() - begun > PATIENCE_MS) throw new Error(`no answer; received ${JSON.stringify(answers)}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
