import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Inspects another Node process started with --inspect (Chrome DevTools Protocol). */
export class Inspector {
  private readonly socket: WebSocket;
  private lastId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
  }

  /**
   * @param printed the process's output, including Node's "Debugger listening on …".
   * @throws Error if that line is missing.
   */
  static async connect(printed: string): Promise<Inspector> {
    const address = /^Debugger listening on (ws:\S+)$/m.exec(printed)?.[1];
    if (address === undefined) throw new Error('the process was not started with --inspect');
    const socket = new WebSocket(address);
    await once(socket, 'open');
    return new Inspector(socket);
  }

  /** The memory of the process after a full garbage collection, in bytes. */
  async memory(): Promise<{ readonly rss: number; readonly heapUsed: number; readonly external: number }> {
    await this.call('HeapProfiler.collectGarbage', {});
    const expression = 'JSON.stringify(process.memoryUsage())';
    const answer = (await this.call('Runtime.evaluate', { expression })) as { result: { value: string } };
    return JSON.parse(answer.result.value) as { rss: number; heapUsed: number; external: number };
  }

  close(): void {
    this.socket.close();
  }

  private async call(method: string, params: object): Promise<unknown> {
    const id = ++this.lastId;
    this.socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [data] = (await once(this.socket, 'message')) as [Buffer];
      const message = JSON.parse(data.toString()) as { id?: number; result: unknown };
      if (message.id === id) return message.result;
    }
  }
}
