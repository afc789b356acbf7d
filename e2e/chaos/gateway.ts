import { startGateway, type GatewayProcess } from '@causeway/test-kit';
import type { Environment } from '@causeway/testbed';

/** A gateway in front of the partner chain's node. Every service uses it as its second node. */
export class Gateway {
  private readonly env: Readonly<Record<string, string>>;
  private process: GatewayProcess;

  private constructor(env: Readonly<Record<string, string>>, started: GatewayProcess) {
    const { port } = new URL(started.httpUrl);
    // It restarts at the same port.
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

  /** Sends SIGKILL. The gateway stays down until `startAgain`. */
  async kill(): Promise<void> {
    await this.process.kill();
  }

  /** Resolves when the gateway is ready. */
  async startAgain(): Promise<void> {
    this.process = await startGateway(this.env);
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }
}
