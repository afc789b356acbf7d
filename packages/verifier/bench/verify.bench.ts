import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import { toEventSelector, type Hex } from 'viem';
import { readHeader } from '../dist/blocks/header.js';
import { Ledger, type ExplainedIntent, type PlacedLog, type Side } from '../dist/index.js';
import { QuorumReader } from '../dist/nodes/quorum-reader.js';
import { answer, GENERATED_SETTINGS } from '../test/generated-chain.ts';

// What the ledger costs beside the download and parsing of the same logs by the verifier's reader, and the peak of
// memory. Run it after a build: node bench/verify.bench.ts [--operations 100000] [--rounds 3] [--seed 1]. The processor
// time of this process counts, since another process serves the logs. The facts that a ledger asks for cost nothing
// here: a real run looks up a transaction for each released intent and each refund.
const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
});
const MIB = 1024;
/** The node has this block at the end of each range. */
const HEADER = (
  JSON.parse(readFileSync(new URL('../test/vectors/geth.json', import.meta.url), 'utf8')) as {
    readonly headers: Readonly<Record<string, unknown>>;
  }
).headers['prague'];
const EVENTS = [bridgeLockAbi, bridgeMintAbi, adminTimelockAbi, sentinelAbi]
  .flat()
  .flatMap((item) => (item.type === 'event' ? [toEventSelector(item)] : []));
const print = (line: string) => process.stdout.write(`${line}\n`);

const server = fork(new URL('log-server.ts', import.meta.url), [values.operations, values.seed]);
const [message] = (await once(server, 'message')) as [{ port: number; parts: number; logs: number; bytes: number }];
const { port, parts, logs, bytes } = message;
print(`${values.operations} operations: ${logs} logs, ${(bytes / 2 ** 20).toFixed(0)} MiB, in ${parts} parts`);

const best = { json: Infinity, parsed: Infinity, checked: Infinity };
/** After the first run with the ledger. */
let peak = 0;
try {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const ledger = Ledger.begin(GENERATED_SETTINGS);
    const check = async (path: string, side: Side) => {
      for (const log of await readLogs(path, side)) ledger.apply(side, log);
    };
    best.checked = Math.min(best.checked, await measure(check, ledger));
    peak ||= process.resourceUsage().maxRSS;
    best.json = Math.min(best.json, await measure(async (path) => void (await readJson(path))));
    best.parsed = Math.min(best.parsed, await measure(async (path, side) => void (await readLogs(path, side))));
    const [found] = [...ledger.findings, ...ledger.unexplained];
    if (found !== undefined) throw new Error(`the chain is honest, but the ledger finds ${found.code}: ${found.why}`);
  }
} finally {
  // It then removes its files.
  server.disconnect();
}
const toMicroseconds = (total: number) => `${(total / logs).toFixed(1)} µs a log`;
print(`download and JSON.parse    ${toMicroseconds(best.json)}`);
print(`download and parsing       ${toMicroseconds(best.parsed)}`);
print(`the same with the ledger   ${toMicroseconds(best.checked)}`);
print(`ratio                      ${(best.checked / best.parsed).toFixed(2)}`);
print(`peak memory                ${(peak / MIB).toFixed(0)} MiB`);

/** Reads all parts, and returns the microseconds of processor time. */
async function measure(
  read: (path: string, side: Side) => Promise<void>,
  ledger: Ledger | null = null,
): Promise<number> {
  let total = 0;
  for (let part = 0; part < parts; part += 1) {
    const startedAt = process.cpuUsage();
    for (const side of ['partner', 'ethereum'] as const) await read(`${part}/${side}`, side);
    total += getTime(startedAt);
    if (ledger !== null) total += await explain(ledger, part);
  }
  return total;
}

function getTime(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(startedAt);
  return user + system;
}

async function readJson(path: string): Promise<{ readonly result: unknown }> {
  return JSON.parse(await (await fetch(`http://127.0.0.1:${port}/${path}`)).text()) as { readonly result: unknown };
}

/** Reads the logs as the verifier does, from one node. */
async function readLogs(path: string, side: Side): Promise<readonly PlacedLog[]> {
  const request = async ({ method }: { readonly method: string }) =>
    method === 'eth_getLogs' ? (await readJson(path)).result : HEADER;
  const node = { name: 'node', client: { request } };
  const reader = new QuorumReader({ chain: side, nodes: [node], quorum: 1, timeoutMs: 600_000 });
  const { contract, timelock = contract, sentinel = contract } = GENERATED_SETTINGS[side];
  const query = { address: [contract, timelock, sentinel], topics: EVENTS, fromBlock: 0n, toBlock: 2n ** 40n };
  return reader.logsAtOnce(query, readHeader(HEADER));
}

async function explain(ledger: Ledger, part: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/${part}/facts`)).text();
  const facts = JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('#') ? BigInt(value.slice(1)) : value,
  ) as { readonly intents: [Hex, ExplainedIntent][]; readonly refunds: [Hex, { sender: Hex; amount: bigint }][] };
  const [intents, refunds] = [new Map(facts.intents), new Map(facts.refunds)];
  const payers = new Map(facts.intents.map(([, intent]) => [intent.transferId, intent]));
  const startedAt = process.cpuUsage();
  answer(ledger, { intents, payers, refunds });
  return getTime(startedAt);
}
