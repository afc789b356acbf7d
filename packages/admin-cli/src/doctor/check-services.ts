import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { CHAIN_NAMES } from '@causeway/contracts/deploy';
import { z } from 'zod';
import { checkChain } from './check-contracts.js';
import { describeProblem, error, notYet, ok, toLine, warning } from '@causeway/service/doctor';
import type { Finding, Step } from './finding.js';
import type { Walk } from './walk.js';

/** Services without which no transfer arrives. Others may be named, too. */
const SERVICES = ['relayer', 'api'] as const;
const TIMEOUT_MS = 5_000;
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;
const OLDEST_REPORT_MS = 15 * 60_000;
/** More than one of the bridge's processes asks at the same moment. */
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

/** Steps of the relayer's checks, where they are not about nodes. */
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

/** The nodes: those of this command, and those of the relayer, as `relayer doctor` found them. */
export async function checkNodes(walk: Walk): Promise<readonly Finding[]> {
  const { clients, options, now } = walk;
  const wrong = (await Promise.all(CHAIN_NAMES.map((side) => checkChain(walk, side)))).filter((each) => each !== null);
  const unnamed = CHAIN_NAMES.filter((side) => clients[side] === undefined).map((side) =>
    notYet('nodes', `no node of ${side} is named`, `--${side}-rpc with the address of one`),
  );
  const file = options.relayerReport;
  if (file === undefined) {
    const finding = 'those of the relayer (quorum, logs, archive, limits) were not looked at';
    return [...wrong, ...unnamed, notYet('nodes', finding, RELAYER_DOCTOR)];
  }
  return [...wrong, ...unnamed, ...readRelayerReport(file, now())];
}

/** Takes the findings of `relayer doctor --json` over, each at its step. */
function readRelayerReport(file: string, nowMs: number): readonly Finding[] {
  if (!existsSync(file)) return [notYet('nodes', `there is no ${file}`, RELAYER_DOCTOR)];
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

/** The gateway: whether it limits the bridge's own processes, as one without a key does. */
export async function checkGateway({ clients }: Walk): Promise<readonly Finding[]> {
  const client = clients.partner;
  if (client === undefined) {
    return [notYet('gateway', 'it was not looked at', '--partner-rpc with its address: https://name:key@host')];
  }
  const calls = Array.from({ length: BURST }, () => client.request({ method: 'eth_chainId' }));
  const refused = (await Promise.allSettled(calls)).flatMap((each) =>
    each.status === 'rejected' ? [describeProblem(each.reason)] : [],
  );
  const [reason] = refused;
  if (reason === undefined) return [ok('gateway', `it answers ${BURST} calls at the same moment`)];
  const isLimit = refused.some((text) => /\b429\b|rate|limit|too many/i.test(text));
  const finding = `it refuses ${refused.length} of ${BURST} calls at the same moment: ${reason}`;
  if (isLimit) return [error('gateway', finding, 'give this process a key: docs/operate/setup.md#gateway')];
  return [error('gateway', finding, 'start it, or name another by --partner-rpc')];
}

/** The health of the services. */
export async function checkServices({ options }: Walk): Promise<readonly Finding[]> {
  const named = [...options.health];
  const missing = SERVICES.filter((name) => !named.some(([given]) => given.split('-')[0] === name)).map((name) =>
    notYet('services', `no ${name} is named`, `start it, then --health ${name}=http://127.0.0.1:<its METRICS_PORT>`),
  );
  return [...missing, ...(await Promise.all(named.map(([name, url]) => checkHealth(name, url))))];
}

/** A busy service misses one probe: several in a row are a state. */
async function checkHealth(name: string, url: string): Promise<Finding> {
  const nextStep = `look at its log, and at ${new URL(url).origin}/health/ready`;
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
