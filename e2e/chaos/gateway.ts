import { startGateway, type GatewayProcess } from '@causeway/test-kit';
import type { Environment } from '@causeway/testbed';

/** A gateway before the node of the partner chain, which every service reads as its second node. */
export class Gateway {
  private readonly env: Readonly<Record<string, string>>;
  private process: GatewayProcess;

  private constructor(env: Readonly<Record<string, string>>, started: GatewayProcess) {
    const { port } = new URL(started.httpUrl);
    // It comes back at its port.
    this.env = { ...env, PORT: port };
    this.process = started;
  }

  static async start({ stack: { partner } }: Environment): Promise<Gateway> {
    const env = { BACKEND: 'upstream', UPSTREAM_URLS: partner.rpcUrl, CHAIN_ID: `${partner.chainId}` };
    return new Gateway(env, await startGateway(env));
  }

  get url(): string {
    return this.process.httpUrl;
  }

  /** With SIGKILL. It stays down until `startAgain`. */
  async kill(): Promise<void> {
    await this.process.kill();
  }

  /** Resolves when it serves. */
  async startAgain(): Promise<void> {
    this.process = await startGateway(this.env);
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }
}
