import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { pino } from 'pino';
import { readConfiguration } from '../src/config/configuration.js';
import { createBackend } from '../src/backends/create-backend.js';
import { Gateway } from '../src/gateway.js';
import type { OpenRpcDocument } from '../src/methods/openrpc.js';
import { createMethods } from '../src/methods/registry.js';
import { checkAgainstOpenRpc, type ResultChecker } from './setup/open-rpc-checker.js';
import { Caller, FakeConnection } from './setup/caller.js';
import { openChain, type TestChain } from './setup/chains.js';
import {
  DYNAMIC_FEE,
  EMITTER_CODE,
  populateChain,
  Sender,
  TOPIC,
  type PopulatedChain,
} from './setup/populated-chain.js';
import { ScriptedBackend } from './setup/scripted-backend.js';
import { rpc } from './setup/rpc.js';

/** Spec "Standard methods" and "Chain-specific methods". */
const SPECIFIED = [
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_newFilter',
  'eth_sendRawTransaction',
  'eth_subscribe',
  'net_version',
  'partner_getFeeSchedule',
  'partner_getNetworkStats',
  'partner_getNodeInfo',
  'partner_getValidators',
];

describe('the document', () => {
  const created = createMethods(new ScriptedBackend(), { title: 'Test', version: '1.0.0' }, { warn: () => undefined });
  const caller = new Caller(created.methods);
  let document: OpenRpcDocument;

  beforeAll(async () => {
    document = await caller.call<OpenRpcDocument>('rpc.discover');
  });
  afterAll(() => created.filters.close());

  it('is a document of OpenRPC 1.3', () => {
    const require = createRequire(import.meta.url);
    const draft7 = require('ajv/dist/refs/json-schema-draft-07.json') as Record<string, unknown>;
    const { openrpcDocument: metaSchema } = require('@open-rpc/meta-schema') as { openrpcDocument: object };
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    // The meta-schema refers to one of JSON Schema by address; draft 7 is what that one describes.
    ajv.addSchema({ ...draft7, $id: 'https://meta.json-schema.tools' });
    const reference = '{"$ref":"https://meta.json-schema.tools/#/definitions/JSONSchemaObject/properties/$ref"}';
    const { $schema: _itself, ...schema } = JSON.parse(
      JSON.stringify(metaSchema).replaceAll(reference, '{"type":"string","format":"uri-reference"}'),
    ) as Record<string, unknown>;
    const validate = ajv.compile(schema);
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...document, methods: [{ name: 'eth_chainId' }] })).toBe(false);
  });

  it('describes every supported method, with a summary and its transport', () => {
    const names = document.methods.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...created.methods.keys()].toSorted());
    expect(names).toEqual(expect.arrayContaining(SPECIFIED));
    for (const method of document.methods) {
      expect(method.summary).toMatch(/^\S.{10,}\.$/u);
      expect(method.result.schema).not.toEqual({});
      for (const param of method.params) expect(param.schema).not.toEqual({});
      expect(method['x-transport']).toEqual(/subscribe/.test(method.name) ? ['websocket'] : ['http', 'websocket']);
    }
  });

  it('has the whole error table of the specification', () => {
    const codes = Object.values(document.components.errors).map(({ code }) => code);
    expect(codes.toSorted((a, b) => a - b)).toEqual([
      -32700, -32603, -32602, -32601, -32600, -32005, -32004, -32003, -32002, -32001, -32000, -32000,
    ]);
    expect(document.components.errors['RATE_LIMIT_EXCEEDED']).toEqual({ code: -32005, message: 'Rate limit exceeded' });
    expect(document.methods[0]?.errors).toContainEqual({ $ref: '#/components/errors/RATE_LIMIT_EXCEEDED' });
  });

  it('has examples that match its schemas', () => {
    const check = checkAgainstOpenRpc(document);
    let examples = 0;
    for (const { name, params, examples: pairings = [] } of document.methods) {
      for (const example of pairings) {
        examples += 1;
        expect([name, check(name, example.result.value)]).toEqual([name, []]);
        const schemas = created.methods.get(name)!.params;
        expect(example.params.map((each) => each.name)).toEqual(
          params.slice(0, example.params.length).map((each) => each.name),
        );
        for (const [index, { value }] of example.params.entries()) {
          expect([name, index, schemas[index]?.schema.safeParse(value).success]).toEqual([name, index, true]);
        }
      }
    }
    expect(examples).toBeGreaterThan(15);
  });

  it('has no dangling references', () => {
    const text = JSON.stringify(document);
    const named = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...named]));
    expect(text).not.toContain('#/definitions');
    expect(text).not.toContain('$defs');
  });

  it('distinguishes invalid results from valid ones', () => {
    const check = checkAgainstOpenRpc(document);
    expect(check('eth_blockNumber', '0x01')).not.toEqual([]);
    expect(check('eth_blockNumber', 1)).not.toEqual([]);
    expect(check('eth_getBlockByNumber', { number: '0x1' })).not.toEqual([]);
    expect(check('partner_getValidators', [{ address: '0x', active: true }])).not.toEqual([]);
    expect(check('eth_nothing', null)).not.toEqual([]);
  });
});

describe('the gateway', () => {
  it('serves the document at /openrpc.json and counts filters and subscriptions among its metrics, each of them explained to operators', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'causeway-open-rpc-'));
    const configuration = readConfiguration({ PORT: '0', DATA_DIRECTORY: directory, METRICS_PORT: '0' });
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
    const backend = await createBackend(configuration.backend, logger);
    const gateway = new Gateway({ configuration, backend, logger });
    try {
      const url = await gateway.listen();
      const response = await fetch(`${url}/openrpc.json`);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      const document = (await response.json()) as OpenRpcDocument;
      expect(document).toEqual(await rpc(url, 'rpc.discover'));
      expect(document.methods.length).toBeGreaterThan(40);
      await rpc(url, 'eth_newBlockFilter');
      const metricsUrl = lines
        .map((line) => JSON.parse(line) as { url?: string })
        .find(({ url: at }) => at?.endsWith('/metrics'));
      const metrics = await (await fetch(metricsUrl!.url!)).text();
      expect(metrics).toContain('causeway_gateway_filters 1');
      expect(metrics).toContain('causeway_gateway_subscriptions 0');
      const page = readFileSync(new URL('../../../docs/chain/gateway.md', import.meta.url), 'utf8');
      const helps = [...metrics.matchAll(/^# HELP causeway_gateway_(\w+) ?(.*)$/gm)];
      const names = helps.map(([, name = '']) => name);
      expect(names.length).toBeGreaterThan(10);
      expect(helps.filter(([, , help = '']) => help.split(' ').length < 2)).toEqual([]);
      const [, section = ''] = /^## Metrics\n([\s\S]*?)(?=^## )/m.exec(page) ?? [];
      const named = [...section.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
      expect(named.length).toBeGreaterThan(10);
      expect(named.filter((name) => !names.includes(name))).toEqual([]);
    } finally {
      await gateway.close();
      rmSync(directory, { recursive: true });
    }
  });
});

describe('the examples', () => {
  /** Their results depend on the chain, or are ids that differ each time. */
  const ELSEWHERE = /eth_blockNumber|filter|subscribe/i;

  it('are reproduced by a development chain whose first account has sent 1 XCN', async () => {
    const world = await openChain('embedded');
    try {
      const caller = new Caller(world.methods);
      const sender = new Sender(caller);
      const to = '0x000000000000000000000000000000000000dead';
      await sender.run({ type: 'legacy', to, value: 10n ** 18n, gasPrice: 10n ** 9n, gas: 700_000n });
      const shown = [...world.methods.values()].filter(({ name, example }) => example && !ELSEWHERE.test(name));
      expect(shown.length).toBeGreaterThan(12);
      for (const { name, example } of shown) {
        expect([name, await caller.call(name, ...example!.params)]).toEqual([name, example!.result]);
      }
    } finally {
      await world.close();
    }
  });
});

const PRESTATE = { tracer: 'prestateTracer' };
/** Methods that the node of these tests does not support. */
const NOT_OF_ANVIL = new Set([
  'net_peerCount',
  'eth_mining',
  'txpool_contentFrom',
  'debug_getRawHeader',
  'debug_getRawBlock',
  'debug_getRawReceipts',
]);

describe.each(['upstream', 'embedded'] as const)('the results of the %s backend', (kind) => {
  let world: TestChain;
  let caller: Caller;
  let chain: PopulatedChain;
  let check: ResultChecker;
  const connection = new FakeConnection();

  beforeAll(async () => {
    world = await openChain(kind);
    caller = new Caller(world.methods, connection);
    chain = await populateChain(caller);
    check = checkAgainstOpenRpc(await caller.call<OpenRpcDocument>('rpc.discover'));
  });
  afterAll(async () => {
    connection.close();
    await world?.close();
  });

  it('match the document, for every method', async () => {
    const { emitter, hashes } = chain;
    const receipt = await caller.call<{ blockHash: string; blockNumber: string }>(
      'eth_getTransactionReceipt',
      hashes.emitted,
    );
    const { blockHash, blockNumber } = receipt;
    const missing = `0x${'12'.repeat(32)}`;
    const someone = '0x000000000000000000000000000000000000dEaD';
    const all = { fromBlock: 'earliest', toBlock: 'latest' };
    const filter = await caller.call<string>('eth_newFilter', all);
    const calls: readonly (readonly [string, ...unknown[]])[] = [
      ...['eth_chainId', 'net_version', 'eth_blockNumber', 'eth_syncing', 'web3_clientVersion', 'eth_accounts'].map(
        (name) => [name] as const,
      ),
      ...['net_listening', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'partner_getNodeInfo'].map(
        (name) => [name] as const,
      ),
      ...['partner_getNetworkStats', 'partner_getValidators', 'partner_getFeeSchedule', 'rpc.discover'].map(
        (name) => [name] as const,
      ),
      ...['net_peerCount', 'eth_mining', 'eth_hashrate', 'eth_coinbase', 'eth_blobBaseFee'].map(
        (name) => [name] as const,
      ),
      ...['txpool_status', 'txpool_content', 'txpool_inspect'].map((name) => [name] as const),
      ['txpool_contentFrom', someone],
      ['web3_sha3', '0x68656c6c6f'],
      ...['latest', 'earliest', 'pending', 'safe', 'finalized', blockNumber, '0xffffff'].flatMap((block) => [
        ['eth_getBlockByNumber', block, true] as const,
        ['eth_getBlockByNumber', block, false] as const,
      ]),
      ...[blockHash, missing].flatMap((hash) => [
        ['eth_getBlockByHash', hash, true] as const,
        ['eth_getBlockByHash', hash] as const,
        ['eth_getBlockTransactionCountByHash', hash] as const,
        ['eth_getUncleCountByBlockHash', hash] as const,
        ['eth_getUncleByBlockHashAndIndex', hash, '0x0'] as const,
        ['eth_getTransactionByBlockHashAndIndex', hash, '0x0'] as const,
      ]),
      ...[blockNumber, 'latest', '0xffffff'].flatMap((block) => [
        ['eth_getBlockTransactionCountByNumber', block] as const,
        ['eth_getUncleCountByBlockNumber', block] as const,
        ['eth_getUncleByBlockNumberAndIndex', block, '0x0'] as const,
        ['eth_getTransactionByBlockNumberAndIndex', block, '0x0'] as const,
        ['eth_getBlockReceipts', block] as const,
      ]),
      ['eth_getBlockReceipts', blockHash],
      ...[...Object.values(hashes), missing].flatMap((hash) => [
        ['eth_getTransactionByHash', hash] as const,
        ['eth_getTransactionReceipt', hash] as const,
      ]),
      ...Object.values(hashes).map((hash) => ['debug_traceTransaction', hash, { tracer: 'callTracer' }] as const),
      ...[undefined, 'latest', 'pending', blockNumber, { blockHash }, { blockNumber }].flatMap((block) => [
        ['eth_getBalance', someone, block] as const,
        ['eth_getTransactionCount', someone, block] as const,
        ['eth_getCode', emitter, block] as const,
        ['eth_getStorageAt', emitter, '0x0', block] as const,
        ['eth_call', { to: emitter, data: TOPIC }, block] as const,
      ]),
      ['eth_estimateGas', { to: emitter, input: TOPIC }],
      [
        'eth_estimateGas',
        { to: someone, value: '0xde0b6b3a7640000', from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266' },
      ],
      ['eth_call', { to: someone }, 'latest', { [someone]: { code: EMITTER_CODE } }, { number: '0xff' }],
      ['eth_createAccessList', { to: emitter, data: TOPIC }],
      ['eth_getProof', emitter, ['0x0'], 'latest'],
      ...[{ tracer: 'callTracer' }, PRESTATE, { ...PRESTATE, tracerConfig: { diffMode: true } }].flatMap((options) => [
        ['debug_traceCall', { to: emitter, data: TOPIC }, 'latest', options] as const,
        ['debug_traceTransaction', hashes.emitted, options] as const,
        ['debug_traceBlockByNumber', blockNumber, options] as const,
        ['debug_traceBlockByHash', blockHash, options] as const,
      ]),
      ...[false, true].map((returnFullTransactions) => {
        const blockStateCalls = [
          {
            calls: [
              { to: emitter, data: TOPIC },
              { to: emitter, gas: '0x5300' },
            ],
          },
        ];
        return ['eth_simulateV1', { blockStateCalls, returnFullTransactions }] as const;
      }),
      ['eth_sendRawTransactionSync', await new Sender(caller).sign({ to: emitter, ...DYNAMIC_FEE, gas: 100_000n })],
      ...['debug_getRawHeader', 'debug_getRawBlock', 'debug_getRawReceipts'].map(
        (name) => [name, blockNumber] as const,
      ),
      ['debug_getRawTransaction', hashes.emitted],
      ['eth_feeHistory', '0x4', 'latest', [10, 50, 90]],
      ['eth_feeHistory', 4, blockNumber],
      ['eth_getLogs', all],
      ['eth_getLogs', { blockHash, address: emitter, topics: [[TOPIC, missing], null].slice(0, 1) }],
      ['eth_getFilterLogs', filter],
      ['eth_getFilterChanges', filter],
      ['eth_newBlockFilter'],
      ['eth_newPendingTransactionFilter'],
      ['eth_uninstallFilter', filter],
      ['eth_uninstallFilter', missing],
      ['eth_unsubscribe', await caller.call('eth_subscribe', 'logs', { address: emitter })],
      ['eth_subscribe', 'newHeads'],
    ];
    const wrong: unknown[] = [];
    for (const [name, ...params] of calls) {
      if (kind === 'upstream' && NOT_OF_ANVIL.has(name)) {
        expect([name, (await caller.refusal(name, ...params)).code]).toEqual([name, -32004]);
        continue;
      }
      const problems = check(name, await caller.call(name, ...params));
      if (problems.length > 0) wrong.push([name, params, problems]);
    }
    expect(wrong).toEqual([]);
    expect([...caller.called].toSorted()).toEqual([...world.methods.keys()].toSorted());
  });
});
