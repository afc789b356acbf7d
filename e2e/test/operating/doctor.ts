import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sentinelAbi } from '@causeway/protocol/abi';
import { startAnvil, temporaryDatabase } from '@causeway/test-kit';
import type { TestEnvironment } from '../temporary-environment.js';

// `relayer doctor` on the whole bridge, healthy and with parts that are down, wrong or paused.

const require = createRequire(import.meta.url);
const main = require.resolve('@causeway/relayer/main');

/** The report of `relayer doctor --json`. */
interface Report {
  readonly exitCode: number;
  readonly findings: readonly { severity: string; check: string; finding: string; nextStep: string | null }[];
}

/** Runs doctor with the relayer's variables and changes to them. */
export async function runDoctor(
  environment: TestEnvironment,
  changes: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null } & Report> {
  const env = { ...environment.relayerVariables(), ...changes };
  return new Promise((resolve, reject) => {
    const args = ['--disable-warning=ExperimentalWarning', main, 'doctor', '--json'];
    const child = execFile(process.execPath, args, { env }, (_, stdout, stderr) => {
      try {
        resolve({ code: child.exitCode, ...(JSON.parse(stdout) as Report) });
      } catch (cause) {
        reject(new Error(`doctor printed no report: ${stdout}${stderr}`, { cause }));
      }
    });
  });
}

/** Findings that are not ok, one line each. */
const problems = ({ findings }: Report) =>
  findings.flatMap(({ severity, check, finding, nextStep }) =>
    severity === 'ok' ? [] : [`${severity} ${check}: ${finding} -> ${nextStep}`],
  );

/** Run it last on a bridge: it pauses the contract on Ethereum and empties the relayer's wallet. */
export function describeDoctor(getEnvironment: () => TestEnvironment): void {
  describe('relayer doctor', () => {
    it('finds a new bridge healthy, in the format of docs/operate/reference.md', async () => {
      const { code, output } = await getEnvironment().relayerCommand('doctor');
      expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^ok .*\n/) });
      const page = readFileSync(new URL('../../../docs/operate/reference.md', import.meta.url), 'utf8');
      const [, example = ''] = /relayer doctor\n(ok [\s\S]*?)```/.exec(page) ?? [];
      const shape = (text: string) => text.trim().replaceAll(/0x[0-9a-f]+|\d[\d.:]*/g, 'N');
      expect(shape(output)).toBe(shape(example));
    });

    it('works while all parts are down, and names each one', async () => {
      const gone = 'http://127.0.0.1:9/secret-key';
      const report = await runDoctor(getEnvironment(), {
        ETHEREUM_RPC_URLS: `${gone},ws://127.0.0.1:9/secret-key`,
        PARTNER_RPC_URLS: gone,
        DATABASE_URL: 'postgresql://causeway:secret@127.0.0.1:9/causeway',
      });
      expect(report).toMatchObject({ code: 1, exitCode: 1 });
      expect(problems(report)).toEqual([
        expect.stringMatching(/^warning nodes: ethereum 127\.0\.0\.1:9: No answer from the node.* -> start it/),
        expect.stringMatching(/^error nodes: ethereum: 0 of 1 nodes can be used, and 1 must agree/),
        expect.stringMatching(/^warning nodes: ethereum 127\.0\.0\.1:9 does not announce new heads .* -> correct it/),
        expect.stringMatching(/^warning nodes: partner 127\.0\.0\.1:9: /),
        expect.stringMatching(/^error nodes: partner: 0 of 1 nodes/),
        expect.stringMatching(/^error contracts: BridgeLock was not checked/),
        expect.stringMatching(/^error contracts: BridgeMint was not checked/),
        expect.stringMatching(/^error database: PostgreSQL does not answer \(.*ECONNREFUSED/),
        expect.stringMatching(/^error balances: the wallet on ethereum was not checked/),
        expect.stringMatching(/^error balances: the wallet on partner was not checked/),
      ]);
      expect(JSON.stringify(report)).not.toContain('secret');
    });

    it('finds a node of another chain, a wrong key, and a database without migrations', async () => {
      const { partner } = getEnvironment().stack;
      const [stranger, empty] = await Promise.all([startAnvil({ chainId: 5 }), temporaryDatabase()]);
      try {
        const report = await runDoctor(getEnvironment(), {
          PARTNER_RPC_URLS: `${partner.rpcUrl},${stranger.url},${stranger.url.replace('http', 'ws')}`,
          DATABASE_URL: empty.url,
          RELAYER_PRIVATE_KEY: getEnvironment().accounts.alice.privateKey,
        });
        expect(report.code).toBe(1);
        expect(problems(report)).toEqual([
          expect.stringMatching(/^error signer: raw: The signer has the key of 0x.* configure that wallet's key/),
          expect.stringMatching(/^error nodes: partner 127.* serves chain 5 instead of 8901 -> remove it/),
          expect.stringMatching(/^error nodes: partner: 1 of 2 nodes can be used, and 2 must agree/),
          expect.stringMatching(/^error nodes: partner 127.* is a WebSocket of chain 5, not of 8901 -> remove it/),
          expect.stringMatching(
            /^error database: migrations are missing: 2026\d+_init.* causeway-admin migrate apply$/,
          ),
        ]);
      } finally {
        await Promise.all([stranger.stop(), empty.stop()]);
      }
    });

    it('finds a pause, an empty wallet and a quorum without spare nodes', async () => {
      const { ethereum, accounts, book } = getEnvironment();
      const url = await getEnvironment().proxyBefore('ethereum', {});
      const hash = await ethereum.getWallet(accounts.guardian).writeContract({
        address: book.ethereum.sentinel,
        abi: sentinelAbi,
        functionName: 'pause',
        args: [true, true],
      });
      await ethereum.client.waitForTransactionReceipt({ hash });
      await ethereum.test.setBalance({ address: accounts.relayer.address, value: 10n ** 12n });
      const report = await runDoctor(getEnvironment(), {
        ETHEREUM_RPC_URLS: `${getEnvironment().stack.ethereum.rpcUrl},${url}`,
      });
      expect(report.code).toBe(1);
      expect(problems(report)).toEqual([
        expect.stringMatching(/^warning nodes: ethereum: 2 of 2 nodes can be used, and 2 must agree: no node may fail/),
        expect.stringMatching(/^warning pauses: BridgeLock: deposits and releases are paused -> /),
        expect.stringMatching(
          /^error balances: the wallet has 0\.000001 ETH on ethereum: gas for \d deliveries -> send ETH/,
        ),
      ]);
    });

    it('names every missing or wrong variable', async () => {
      const report = await runDoctor(getEnvironment(), { DATABASE_URL: '', ETHEREUM_RPC_URLS: 'localhost' });
      expect(report.code).toBe(1);
      expect(problems(report)).toEqual([
        expect.stringMatching(/^error configuration: DATABASE_URL is not set/),
        expect.stringMatching(/^error configuration: ETHEREUM_RPC_URLS must be http/),
      ]);
    });
  });
}
