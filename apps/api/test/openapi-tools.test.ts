import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore, type Fence, type OperationTerms, type Store } from '@causeway/store';
import { aBlock, aDeposit, opening } from '@causeway/store/test';
import { ETHEREUM, requireTools, type PostgresServer } from '@causeway/test-kit';
import { migratedDatabase, startApiProcess, type ApiProcess } from './server/api-process.js';

// Checks a running API's document with linters and code generators.

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** The client by hey-api of docs/integrate/rest.md, which reads event streams. */
const [, HEY_API_USE = ''] =
  /```ts\n(\/\/ use-hey-api\.ts\n[\s\S]*?)```/.exec(
    readFileSync(new URL('../../../docs/integrate/rest.md', import.meta.url), 'utf8'),
  ) ?? [];
/** A client by orval, which would read a stream as one body, so this uses its URL and types with an EventSource. */
const ORVAL_USE = `
import { getStatus, getStreamEventsUrl, type StreamMessage } from './orval';

export function follow(address: string, onStatus: (status: string) => void): EventSource {
  const source = new EventSource(getStreamEventsUrl({ address }));
  source.addEventListener('operation', ({ data }) => {
    const message = JSON.parse(data) as StreamMessage;
    onStatus(String(message.status));
  });
  return source;
}
export async function readStatus(depositId: string) {
  const answer = await getStatus({ depositId });
  return answer.status === 200 ? answer.data.status : answer.data.error;
}
`;
const COMPILER_OPTIONS = {
  strict: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
  module: 'commonjs',
  moduleResolution: 'bundler',
  outDir: 'built',
};

/** The used parts of the linters. */
interface Redocly {
  readonly createConfig: (config: object) => Promise<object>;
  readonly lintFromString: (options: object) => Promise<{ readonly ruleId: string; readonly message: string }[]>;
}
interface Spectral {
  readonly Spectral: new () => {
    readonly setRuleset: (ruleset: object) => void;
    readonly run: (
      document: string,
    ) => Promise<{ code: string | number; message: string; path: (string | number)[] }[]>;
  };
}

const tools = requireTools('openapi');
let database: PostgresServer;
let store: Store;
let fence: Fence;
let api: ApiProcess;
let document: string;
let directory: string;
beforeAll(async () => {
  database = await migratedDatabase();
  store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  fence = (await store.lease.acquire('relayer', 'test', 600_000))!;
  await store.scan.begin(fence, ETHEREUM, 1n);
  api = await startApiProcess(database.url);
  document = await (await fetch(`${api.url}/api/v1/openapi.json`)).text();
  directory = mkdtempSync(join(tmpdir(), 'causeway-clients-'));
  writeFileSync(join(directory, 'openapi.json'), document);
});
afterAll(async () => {
  await api?.stop();
  await store?.close();
  await database?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Stores a deposit like a relayer that has read it. */
async function begin(terms: OperationTerms = aDeposit()): Promise<OperationTerms> {
  const block = aBlock((await store.scan.cursor(ETHEREUM))?.nextBlock ?? 1n, { events: [opening(terms)] });
  await store.scan.extend(fence, ETHEREUM, [block], block.number);
  return terms;
}

describe('the OpenAPI document', () => {
  it('passes the strict rules of Redocly', async () => {
    // Its rules refuse local servers.
    const source = document.replaceAll(api.url, 'https://bridge.causeway.test');
    const redocly = tools('@redocly/openapi-core') as Redocly;
    const config = await redocly.createConfig({ extends: ['recommended-strict'] });
    const problems = await redocly.lintFromString({ source, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('passes the rules of Spectral', async () => {
    const { Spectral } = tools('@stoplight/spectral-core') as Spectral;
    const linter = new Spectral();
    linter.setRuleset({ extends: [(tools('@stoplight/spectral-rulesets') as { readonly oas: unknown }).oas] });
    const problems = await linter.run(document);
    expect(problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('.')})`)).toEqual([]);
  });
});

describe('a client that a generator wrote', () => {
  beforeAll(async () => {
    const target = (name: string, text: string) => writeFileSync(join(directory, name), text);
    target('use-hey-api.ts', HEY_API_USE);
    target('use-orval.ts', ORVAL_USE);
    const output = { target: './orval.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } };
    target('orval.config.mjs', `export default ${JSON.stringify({ api: { input: './openapi.json', output } })};`);
    target(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['use-hey-api.ts', 'use-orval.ts'] }),
    );
    const program = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
    const generator = (name: string) =>
      fileURLToPath(new URL(`../../../scripts/tools/openapi/node_modules/.bin/${name}`, import.meta.url));
    const inDirectory = { cwd: directory };
    await Promise.all([
      run(generator('openapi-ts'), ['--input', 'openapi.json', '--output', 'hey-api', '--silent'], inDirectory),
      run(generator('orval'), ['--config', 'orval.config.mjs'], inDirectory),
    ]);
    await run(program('tsc'), ['--project', 'tsconfig.json'], inDirectory);
  });

  /** Loads the client like a program. */
  const load = (name: string) =>
    require(join(directory, `built/use-${name}.js`)) as {
      readStatus: (depositId: string) => Promise<string>;
      follow: (query: object) => AsyncGenerator<string>;
    };

  it.each(['hey-api', 'orval'])('by %s compiles strictly, and reads a status', async (name) => {
    const terms = await begin();
    expect(await load(name).readStatus(terms.id)).toBe('CONFIRMING');
  });

  it('reads the stream of a wallet: first a resync, then a new operation', async () => {
    const terms = aDeposit();
    const messages = load('hey-api').follow({ address: terms.recipient });
    expect(await messages.next()).toMatchObject({ value: 'resync' });
    await begin(terms);
    expect(await messages.next()).toMatchObject({ value: 'CONFIRMING' });
    await messages.return(undefined);
  });
});
