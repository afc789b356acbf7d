import { parseEndpoint } from '@causeway/service/configuration';
import { HttpRequestError, RpcRequestError } from 'viem';
import { WebSocket } from 'ws';
import { classifyRpcError, NodeUnavailableError } from '../rpc/chain-error.js';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A connection without a message for this long is replaced. The bridge's chains make blocks faster. */
const SILENCE_MS = 60_000;
/** A head is about a kilobyte. */
const MAX_MESSAGE_BYTES = 64 * 1024;

const SUBSCRIBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });
const READ_CHAIN_ID = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'eth_chainId', params: [] });

/** Sends the credentials of the URL in a header. */
function openSocket(address: string): WebSocket {
  const { url, headers } = parseEndpoint(address);
  return new WebSocket(url, { headers, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
}

/**
 * Subscribes to new heads at a WebSocket URL and reconnects whenever the connection ends. An announcement only triggers
 * a read: its content is ignored.
 */
export class HeadSubscription {
  private socket: WebSocket | null = null;
  private timer: NodeJS.Timeout | null = null;
  private pauseMs = FIRST_PAUSE_MS;
  private isClosed = false;
  private isReported = false;

  /** @param onSilence called once when no heads are announced. */
  constructor(
    private readonly address: string,
    private readonly onHead: () => void,
    private readonly onSilence: () => void,
  ) {
    this.connect();
  }

  /** Closes the connection. */
  close(): void {
    this.isClosed = true;
    this.schedule(null);
    this.socket?.terminate();
  }

  private connect(): void {
    const socket = openSocket(this.address);
    this.socket = socket;
    this.schedule(() => socket.terminate(), SILENCE_MS);
    socket.on('open', () => socket.send(SUBSCRIBE));
    socket.on('message', (data: Buffer) => {
      this.schedule(() => socket.terminate(), SILENCE_MS);
      if (!isAnnouncement(data.toString())) return;
      this.pauseMs = FIRST_PAUSE_MS;
      this.isReported = false;
      this.onHead();
    });
    // The event `close` follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.isClosed) return;
      if (!this.isReported) this.onSilence();
      this.isReported = true;
      this.schedule(() => this.connect(), this.pauseMs);
      this.pauseMs = Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
    });
  }

  /** Replaces the pending timer: closing a silent connection, or the next attempt. */
  private schedule(step: (() => void) | null, afterMs = 0): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = step === null ? null : setTimeout(step, afterMs).unref();
  }
}

function isAnnouncement(message: string): boolean {
  try {
    return (JSON.parse(message) as { method?: unknown } | null)?.method === 'eth_subscription';
  } catch {
    return false;
  }
}

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/**
 * Subscribes to new heads at a WebSocket URL once and reads its chain id.
 *
 * @throws NodeThrottledError, NodeUnavailableError, NodeRefusedError
 */
export async function readAnnouncedChain(address: string, timeoutMs: number): Promise<number> {
  const { url } = parseEndpoint(address);
  const socket = openSocket(address);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(() => reject(new NodeUnavailableError(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const answers = new Map<unknown, unknown>();
  socket.on('open', () => {
    socket.send(SUBSCRIBE);
    socket.send(READ_CHAIN_ID);
  });
  socket.on('message', (data: Buffer) => {
    const { id, result, error } = parseAnswer(data.toString());
    if (error !== undefined) reject(classifyRpcError(new RpcRequestError({ body: {}, error, url })));
    answers.set(id, result);
    if (answers.has(1) && answers.has(2)) resolve(Number(answers.get(2)));
  });
  socket.on('unexpected-response', (_, { statusCode: status = 0 }) =>
    reject(classifyRpcError(new HttpRequestError({ status, url }))),
  );
  socket.on('error', ({ message }) => reject(new NodeUnavailableError(message)));
  socket.on('close', () => reject(new NodeUnavailableError('it closed the connection')));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.terminate();
  }
}

function parseAnswer(message: string): Answer {
  try {
    return (JSON.parse(message) as Answer | null) ?? {};
  } catch {
    return {};
  }
}
