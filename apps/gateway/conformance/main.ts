import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startGateway } from '@causeway/test-kit';
import type { Hex } from 'viem';
import {
  compareAnswers,
  compareShapes,
  splitAnswer,
  translateAnswer,
  translateRequest,
  type Answer,
  type Difference,
} from './compare.ts';
import { replaySuite, type Replay } from './replay.ts';
import { findReason, isNotOffered, MUST_DIFFER, type Answered } from './reasons.ts';

// Replays the suite of ethereum/execution-apis against the gateway over the embedded chain, after a build: node
// conformance/main.ts <checkout of execution-apis> [--verbose] [--method eth_call]. Exits with code 1 if a response is
// wrong. docs/contribute/testing.md describes the run.
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: 'boolean' }, method: { type: 'string' } },
});

interface Pair {
  readonly file: string;
  readonly method: string;
  readonly request: { readonly params?: unknown };
  readonly response: Answer;
  /** The suite specifies only the shape of the response. */
  readonly isShapeOnly: boolean;
}

type Outcome = 'offered' | 'equal' | 'explained' | 'wrong';
const OUTCOMES = ['offered', 'equal', 'explained', 'wrong'] as const;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const [checkout] = positionals;
if (checkout === undefined) throw new Error('Name the path of a checkout of execution-apis');
process.exitCode = await run(resolve(checkout, 'tests'));

async function run(tests: string): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'execution-apis-'));
  try {
    const replay = await replaySuite(tests, directory);
    print(`${replay.replayed} of ${replay.transactions} transactions replayed`);
    for (const note of replay.notes) print(note);
    const gateway = await startGateway({
      BACKEND: 'embedded',
      DATA_DIRECTORY: join(directory, 'chain'),
      GENESIS: replay.genesisFile,
      CHAIN_ID: String(replay.chainId),
      LAZY_ACCOUNT_GAS: '0',
      BLOCK_INTERVAL_MS: '3600000',
      CONFIRMATIONS: '1',
    });
    try {
      return await compareAll(readPairs(tests), gateway.httpUrl, replay);
    } finally {
      await gateway.stop();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function compareAll(pairs: readonly Pair[], url: string, replay: Replay): Promise<number> {
  const { blockHashes: hashes } = replay;
  const table = new Map<string, Record<Outcome | 'pairs', number>>();
  const reasons = new Map<string, number>();
  for (const pair of pairs) {
    const row = table.get(pair.method) ?? { pairs: 0, offered: 0, equal: 0, explained: 0, wrong: 0 };
    table.set(pair.method, row);
    row.pairs += 1;
    const params = translateRequest(pair.method, pair.request.params, hashes);
    const answer = translateAnswer(await send(url, { ...pair.request, params }), hashes);
    if (isNotOffered(answer)) continue;
    row.offered += 1;
    const compare = pair.isShapeOnly ? compareShapes : compareAnswers;
    const differences = compare(splitAnswer(pair.method, pair.response), splitAnswer(pair.method, answer));
    const answered = describePair(pair, replay);
    const found = differences.map((difference) => ({ difference, reason: findReason(difference, answered) }));
    for (const { reason } of found) if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const unexplained = found.filter(({ reason }) => reason === null).map(({ difference }) => difference);
    const isEqual = found.every(({ reason }) => reason !== null && MUST_DIFFER.has(reason));
    row[isEqual ? 'equal' : unexplained.length === 0 ? 'explained' : 'wrong'] += 1;
    if (flags.verbose === true && unexplained.length > 0) printWrong(pair, unexplained);
  }
  printTable(table);
  print('\nDiffering fields and errors, by reason:');
  for (const [reason, count] of [...reasons].toSorted((a, b) => b[1] - a[1]))
    print(`${String(count).padStart(6)}  ${reason}`);
  return [...table.values()].some(({ wrong }) => wrong > 0) ? 1 : 0;
}

function readPairs(tests: string): Pair[] {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.io'));
  return files.toSorted().flatMap((file) => {
    const lines = readFileSync(join(tests, file), 'utf8').split('\n');
    const isShapeOnly = lines.some((line) => line.startsWith('// speconly:'));
    return lines.flatMap((line, index) => {
      const next = lines[index + 1];
      if (!line.startsWith('>> ') || next?.startsWith('<< ') !== true) return [];
      const request = JSON.parse(line.slice(3)) as Pair['request'] & { readonly method: string };
      const pair = {
        file,
        method: request.method,
        request,
        response: JSON.parse(next.slice(3)) as Answer,
        isShapeOnly,
      };
      return flags.method === undefined || flags.method === pair.method ? [pair] : [];
    });
  });
}

/** The lowest block that the pair names determines which Ethereum rules its response follows. */
function describePair({ method, request, response }: Pair, { blockHashes, osakaBlock }: Replay): Answered {
  const text = JSON.stringify(response);
  const [named] = Array.isArray(request.params) ? (request.params as unknown[]) : [];
  const position = [...blockHashes.keys()].indexOf(named as Hex);
  const isNumber = typeof named === 'string' && /^0x[0-9a-f]{1,8}$/.test(named);
  const numbers = [...text.matchAll(/"(?:n|blockN)umber":"(0x[0-9a-f]+)"/g)].map(([, number]) => Number(number));
  if (position !== -1) numbers.push(position);
  if (isNumber) numbers.push(Number(named));
  const lowest = Math.min(...numbers);
  const hasBlobs = /"blobGas(?:Used|Price)":"0x[1-9a-f]/.test(text);
  return { method, isGenesis: lowest === 0, isOld: lowest < osakaBlock, hasBlobs };
}

async function send(url: string, request: object): Promise<Answer> {
  const body = JSON.stringify(request);
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return (await response.json()) as Answer;
}

function printWrong({ file }: Pair, differences: readonly Difference[]): void {
  print(`\n${file}`);
  for (const { path, expected, actual } of differences) {
    print(`  ${path}: expected ${show(expected)}, got ${show(actual)}`);
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

function printTable(table: ReadonlyMap<string, Record<Outcome | 'pairs', number>>): void {
  const columns = ['pairs', ...OUTCOMES] as const;
  const sum = (column: Outcome | 'pairs') => [...table.values()].reduce((total, row) => total + row[column], 0);
  const all = { pairs: 0, offered: 0, equal: 0, explained: 0, wrong: 0 };
  for (const column of columns) all[column] = sum(column);
  print(`${'method'.padEnd(40)}${columns.map((column) => column.padStart(10)).join('')}`);
  for (const [method, row] of [...table, ['all', all] as const]) {
    print(`${method.padEnd(40)}${columns.map((column) => String(row[column]).padStart(10)).join('')}`);
  }
}
