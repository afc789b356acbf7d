import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, parseAmount } from '@causeway/protocol';
import { startGateway, waitUntil, type GatewayProcess } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { freePort, type TestEnvironment } from '../temporary-environment.js';
import { runDoctor } from './doctor.js';

// The bridge's own processes behind a gateway with default limits, with and without keys.

const folder = mkdtempSync(join(tmpdir(), 'causeway-keys-'));
const keys = { relayer: randomBytes(32).toString('base64url'), api: randomBytes(32).toString('base64url') };
const keysFile = join(folder, 'keys.json');
/** An empty variable counts as not set, so the gateway's defaults apply, which the test kit overrides. */
const DEFAULT_LIMITS = { RATE_LIMIT_PER_SECOND: '', RATE_LIMIT_PER_MINUTE: '', WS_CONNECTIONS_PER_IP: '' };
const CALL = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };
const LIMITS = 'limits the requests of this process';

let environment: TestEnvironment;
const gateways: GatewayProcess[] = [];

async function startLimited(limits: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  const gateway = await startGateway({
    BACKEND: 'upstream',
    UPSTREAM_URLS: environment.stack.partner.rpcUrl,
    API_KEYS_FILE: keysFile,
    ...DEFAULT_LIMITS,
    ...limits,
  });
  gateways.push(gateway);
  return gateway;
}

const withKey = (url: string, name: keyof typeof keys) => url.replace('//', `//${name}:${keys[name]}@`);

/** Sends as many calls as possible without a key, and counts the batches refused in part or as a whole. */
function flood({ httpUrl }: GatewayProcess) {
  const state = { isRunning: true, refusals: 0 };
  const send = async () => {
    const body = JSON.stringify(Array.from({ length: 100 }, () => CALL));
    const headers = { 'content-type': 'application/json' };
    while (state.isRunning) {
      const text = await (await fetch(httpUrl, { method: 'POST', headers, body })).text();
      if (text.includes('-32005')) state.refusals += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const ended = send();
  return {
    refusals: () => state.refusals,
    stop: async () => {
      state.isRunning = false;
      await ended;
    },
  };
}

async function readMetrics(port: number, pattern: RegExp): Promise<readonly string[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return text.split('\n').filter((line) => pattern.test(line));
}

/** Findings of `relayer doctor` that are not ok. */
async function findProblems(partnerUrl: string) {
  const urls = `${partnerUrl},${partnerUrl.replace('http', 'ws')}`;
  const { findings } = await runDoctor(environment, { PARTNER_RPC_URLS: urls });
  return findings.filter(({ severity }) => severity !== 'ok');
}

export function describeGatewayKeys(getEnvironment: () => TestEnvironment): void {
  describe('a gateway with its default limits', () => {
    beforeAll(async () => {
      const entries = Object.entries(keys).map(([name, key]) => ({
        name,
        sha256: createHash('sha256').update(key).digest('hex'),
        unlimited: true,
      }));
      writeFileSync(keysFile, JSON.stringify(entries));
      environment = getEnvironment();
    });
    afterEach(async () => {
      await environment.restoreRelayer();
      await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('does not limit a relayer and an API with keys, but limits a client at their address', async () => {
      const [gatewayMetrics, relayerMetrics, apiMetrics] = [await freePort(), await freePort(), await freePort()];
      const gateway = await startLimited({ METRICS_PORT: `${gatewayMetrics}` });
      const partnerRpcUrl = [gateway.httpUrl, gateway.wsUrl].map((url) => withKey(url, 'relayer')).join();
      await environment.restartRelayer({ PARTNER_RPC_URLS: partnerRpcUrl, METRICS_PORT: `${relayerMetrics}` });
      await environment.restartApi({
        PARTNER_RPC_URLS: withKey(gateway.httpUrl, 'api'),
        METRICS_PORT: `${apiMetrics}`,
      });
      const anonymous = flood(gateway);
      await waitUntil('a client without a key is limited', () => anonymous.refusals() > 1);
      const alice = new User(environment, environment.accounts.alice);
      const before = anonymous.refusals();
      const { originTxHash } = await alice.deposit('ETH', parseAmount('ETH', '1'), environment.accounts.alice.address);
      await waitUntil('the deposit has ended', async () => {
        const operation = await alice.status(originTxHash);
        return operation !== null && isTerminal(operation.status);
      });
      expect((await alice.status(originTxHash))?.status).toBe('COMPLETED');
      expect(anonymous.refusals()).toBeGreaterThan(before);
      await anonymous.stop();

      const { host } = new URL(gateway.httpUrl);
      expect(await readMetrics(relayerMetrics, /node_throttled_total\{.*partner/)).toEqual([
        `causeway_relayer_node_throttled_total{chain="partner",node="${host}"} 0`,
        expect.stringMatching(/node="127\.0\.0\.1:\d+"\} 0$/),
      ]);
      expect(await readMetrics(apiMetrics, /node_throttled_total\{.*[1-9]$/)).toEqual([]);
      const usage = await readMetrics(gatewayMetrics, /_key_(calls|refusals)_total\{/);
      expect(usage).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/calls_total\{key="relayer"\} [1-9]/),
          expect.stringMatching(/calls_total\{key="api"\} [1-9]/),
        ]),
      );
      expect(usage.filter((line) => line.includes('refusals') && !line.endsWith(' 0'))).toEqual([]);
      const logs = ['relayer.log', 'api.log'].map((name) => readFileSync(join(environment.stack.logs, name), 'utf8'));
      const shown = [gateway.printed(), ...logs, ...usage].join('\n');
      for (const key of Object.values(keys)) expect(shown).not.toContain(key);
      await environment.restartApi();
    });

    it('is named by doctor and the relayer without a key, instead of the address book', async () => {
      const gateway = await startLimited({ RATE_LIMIT_PER_MINUTE: '10' });
      const node = `partner ${new URL(gateway.httpUrl).host}`;
      const problems = await findProblems(gateway.httpUrl);
      expect(problems).toContainEqual({
        severity: 'error',
        check: 'nodes',
        finding: `${node} ${LIMITS}`,
        nextStep: 'give it a key in PARTNER_RPC_URLS (https://name:key@host), or raise its limit',
      });
      expect(JSON.stringify(problems)).not.toContain('ADDRESS_BOOK');
      expect(await findProblems(withKey(gateway.httpUrl, 'relayer'))).toEqual([]);

      const metricsPort = await freePort();
      await environment.restartRelayer({ PARTNER_RPC_URLS: gateway.httpUrl, METRICS_PORT: `${metricsPort}` });
      await waitUntil('the relayer counts refusals', async () => {
        const lines = await readMetrics(metricsPort, /node_throttled_total\{.*partner.*[1-9]$/).catch(() => []);
        return lines.length > 0;
      });
      const log = readFileSync(join(environment.stack.logs, 'relayer.log'), 'utf8');
      expect(log).toMatch(/it limits the requests of this process .*give it a key in the address of the node/);
    });
  });
}
