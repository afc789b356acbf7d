import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { CHAIN_NAMES } from '@causeway/contracts/deploy';
import { z } from 'zod';
import { checkChain } from './check-contracts.js';
import { describeProblem, error, notYet, ok, toLine, warning } from '@causeway/service/doctor';
import type { Finding, Step } from './finding.js';
import type { Walk } from './walk.js';

/** Services that every transfer needs. Others can be given too. */
const SERVICES = ['relayer', 'api'] as const;
const TIMEOUT_MS = 5_000;
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;
const OLDEST_REPORT_MS = 15 * 60_000;
/** More concurrent requests than one process of the bridge makes. */
const BURST = 60;
const RELAYER_DOCTOR = 'relayer doctor --json > relayer.json, then --relayer-report relayer.json';

const reportSchema = z.object({
  at: z.iso.datetime().transform((text) => Date.parse(text)),
  findings: z.array(
    z.object({
      severity: z.enum(['ok', 'warning', 'error', 'not yet']),
      check: z.string(),
      finding: z.string(),
      nextStep: z.string().nullable(),
    }),
  ),
});

/** The steps of the relayer's checks that do not concern nodes. */
const STEP_OF: Readonly<Record<string, Step>> = {
  contracts: 'contracts',
  keys: 'offices',
  pauses: 'contracts',
  listing: 'contracts',
  signer: 'keystores',
  database: 'database',
  balances: 'accounts',
  configuration: 'services',
  attesters: 'services',
};

/** Checks this command's nodes, and reports the relayer's nodes from `relayer doctor`. */
export async function checkNodes(walk: Walk): Promise<readonly Finding[]> {
  const { clients, options, now } = walk;
  const wrong = (await Promise.all(CHAIN_NAMES.map((side) => checkChain(walk, side)))).filter((each) => each !== null);
  const unnamed = CHAIN_NAMES.filter((side) => clients[side] === undefined).map((side) =>
    notYet('nodes', `no node for ${side} was given`, `give a node with --${side}-rpc`),
  );
  const file = options.relayerReport;
  if (file === undefined) {
    const finding = "the relayer's nodes (quorum, logs, archive, limits) were not checked";
    return [...wrong, ...unnamed, notYet('nodes', finding, RELAYER_DOCTOR)];
  }
  return [...wrong, ...unnamed, ...readRelayerReport(file, now())];
}

/** The findings of `relayer doctor --json`, each with its step. */
function readRelayerReport(file: string, nowMs: number): readonly Finding[] {
  if (!existsSync(file)) return [notYet('nodes', `${file} does not exist`, RELAYER_DOCTOR)];
  let report: z.output<typeof reportSchema>;
  try {
    report = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return [error('nodes', `${file} is not a report of this version`, RELAYER_DOCTOR)];
  }
  const findings = report.findings.map(({ severity, check, finding, nextStep }) => ({
    severity,
    check: STEP_OF[check] ?? 'nodes',
    finding: `relayer: ${finding}`,
    nextStep,
  }));
  if (nowMs - report.at < OLDEST_REPORT_MS) return findings;
  const minutes = Math.round((nowMs - report.at) / 60_000);
  return [...findings, warning('nodes', `${file} is ${minutes} minutes old`, RELAYER_DOCTOR)];
}

/** Checks that the gateway does not limit the bridge's own processes, as it does without a key. */
export async function checkGateway({ clients }: Walk): Promise<readonly Finding[]> {
  const client = clients.partner;
  if (client === undefined) {
    return [notYet('gateway', 'it was not checked', 'give its address with --partner-rpc: https://name:key@host')];
  }
  const calls = Array.from({ length: BURST }, () => client.request({ method: 'eth_chainId' }));
  const refused = (await Promise.allSettled(calls)).flatMap((each) =>
    each.status === 'rejected' ? [describeProblem(each.reason)] : [],
  );
  const [reason] = refused;
  if (reason === undefined) return [ok('gateway', `it answers ${BURST} concurrent calls`)];
  const isLimit = refused.some((text) => /\b429\b|rate|limit|too many/i.test(text));
  const finding = `it refuses ${refused.length} of ${BURST} concurrent calls: ${reason}`;
  if (isLimit) return [error('gateway', finding, 'give this process a key: docs/operate/setup.md#gateway')];
  return [error('gateway', finding, 'start it, or give another with --partner-rpc')];
}

/** Checks the health of the services. */
export async function checkServices({ options }: Walk): Promise<readonly Finding[]> {
  const named = [...options.health];
  const missing = SERVICES.filter((name) => !named.some(([given]) => given.split('-')[0] === name)).map((name) =>
    notYet(
      'services',
      `no ${name} was given`,
      `start it, then add --health ${name}=http://127.0.0.1:<its METRICS_PORT>`,
    ),
  );
  return [...missing, ...(await Promise.all(named.map(([name, url]) => checkHealth(name, url))))];
}

/** Retries, since a busy service can miss a probe. */
async function checkHealth(name: string, url: string): Promise<Finding> {
  const nextStep = `read its log and ${new URL(url).origin}/health/ready`;
  for (let attempt = 1; ; attempt += 1) {
    const problem = await probe(new URL('/health/ready', url));
    if (problem === null) return ok('services', `${name} is ready`);
    if (attempt === ATTEMPTS) return error('services', `${name} ${problem}`, nextStep);
    await setTimeout(PAUSE_MS);
  }
}

/** Returns the rest of a sentence that begins with the name of the service; null when it is ready. */
async function probe(url: URL): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return null;
    return `is not ready: ${response.status} ${toLine(await response.text())}`;
  } catch (problem) {
    return `does not answer: ${describeProblem(problem)}`;
  }
}
