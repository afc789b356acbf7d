import { request } from 'node:http';

const ENDLESS = { data: '0x5b5f56', gas: '0xf42400' };
const SLOTS = Array.from({ length: 1_024 }, (_, slot) => `0x${slot.toString(16)}`);
/** The most expensive requests a client can send: 48 million gas of jumps, and proofs of 1,024 slots. */
const REQUESTS = [
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [ENDLESS, ENDLESS, ENDLESS] }] }, 'latest']],
  ['eth_getProof', [`0x${'00'.repeat(20)}`, SLOTS, 'latest']],
  ['debug_traceCall', [ENDLESS, 'latest', { tracer: 'prestateTracer' }]],
] as const;
/** Makes this client count separately from the readers. */
const ADDRESS = '127.0.0.2';
const IN_FLIGHT = 12;

/** A client that sends expensive requests continuously until it is stopped. */
export class HostileClient {
  private isStopped = false;
  private readonly url: string;
  private readonly loops: Promise<void>[];

  constructor(url: string) {
    this.url = url;
    this.loops = Array.from({ length: IN_FLIGHT }, (_, index) => this.loop(index));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.loops);
  }

  private async loop(index: number): Promise<void> {
    for (let turn = index; !this.isStopped; turn += 1) {
      const [method, params] = REQUESTS[turn % REQUESTS.length] ?? REQUESTS[0];
      await this.send(JSON.stringify({ jsonrpc: '2.0', id: turn, method, params }));
    }
  }

  private send(body: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(this.url, { method: 'POST', headers, localAddress: ADDRESS }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
