import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readExampleAnswers } from '@causeway/test-kit';
import { FakeStreams, run } from './fake-streams.js';

// The command line against a fake API: its requests, output and exit codes.

const QUOTE = {
  token: 'USDC',
  direction: 'PARTNER_TO_ETHEREUM',
  inputAmount: '50000000',
  inputAmountFormatted: '50',
  feeAmount: '5000000',
  feeAmountFormatted: '5',
  feeBps: 25,
  outputAmount: '45000000',
  outputAmountFormatted: '45',
  minimumAmount: '10000000',
  maximumAmount: '1000000000000',
  availableAmount: '1',
  availableAmountFormatted: '0.000001',
  paused: false,
  deliverable: false,
  undeliverableReason: 'COLLATERAL_SHORT',
  deliverableAt: null,
  estimatedSeconds: 3_756,
};

let server: Server;
let api: string;
let asked: string[];
let answer: { status: number; body: unknown };
/** Requests that get 503 first. */
let busy = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    // A node: all contracts answer 0.
    const zero = { jsonrpc: '2.0', id: 1, result: `0x${'0'.repeat(64)}` };
    busy -= 1;
    const { status, body } =
      busy >= 0 ? { status: 503, body: {} } : request.method === 'POST' ? { status: 200, body: zero } : answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
});
afterAll(() => server.closeAllConnections());
afterAll(() => void server.close());
beforeEach(() => {
  asked = [];
  answer = { status: 200, body: QUOTE };
});

const WORDS = ['quote', 'usdc', '50', '--to', 'ethereum'];

describe('a read', () => {
  it('prints one object for a program', async () => {
    const { code, output, errors } = await run([...WORDS, '--json', '--api', api]);
    expect({ code, errors, answer: JSON.parse(output) as unknown }).toEqual({ code: 0, errors: '', answer: QUOTE });
    expect(asked).toEqual(['/api/v1/bridge/fee-quote?token=USDC&amount=50&direction=PARTNER_TO_ETHEREUM']);
  });

  it('prints a table for a person', async () => {
    const { code, output, errors } = await run(WORDS, { CAUSEWAY_API: api });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(
      /Fee .* 5 USDC \(10 %, the minimum fee\) [\s\S]*Time .*about 63 min[\s\S]*no: COLLATERAL_SHORT/,
    );
  });

  it('says that it repeats a request, and nothing to a program', async () => {
    busy = 1;
    expect(await run(WORDS, { CAUSEWAY_API: api })).toMatchObject({
      code: 0,
      errors: 'bridge/fee-quote failed, trying again in 1 s\n',
    });
    busy = 1;
    expect(await run([...WORDS, '--json'], { CAUSEWAY_API: api })).toMatchObject({ code: 0, errors: '' });
  });

  it.each([
    ['2500000000', '6.25', '6.25 USDC (0.25 %)'],
    ['0', '0', 'none'],
  ])('shows the share of a fee in the amount (%s)', async (inputAmount, formatted, shown) => {
    const feeAmount = String(Number(formatted) * 1e6);
    answer = { status: 200, body: { ...QUOTE, inputAmount, feeAmount, feeAmountFormatted: formatted } };
    expect((await run(WORDS, { CAUSEWAY_API: api })).output).toContain(` ${shown} `);
  });

  it('names the defaults of environments beside the terms of the bridge', async () => {
    answer = { status: 200, body: readExampleAnswers()['getConfig']?.response };
    const { output } = await run(['networks'], { CAUSEWAY_API: api });
    expect(output).toMatch(/Default confirmations .* Default hold [\s\S]*This bridge: [\s\S]* Confirmations /);
  });

  it('accepts global options before and after the command', async () => {
    expect(await run(['--json', '--api', api, ...WORDS])).toMatchObject({
      code: 0,
      output: `${JSON.stringify(QUOTE)}\n`,
    });
  });
});

describe('a refusal', () => {
  const fail = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, output, errors } = await run(['--json', ...words], { CAUSEWAY_API: api, ...env });
    expect(output).toBe('');
    return { exit: code, ...(JSON.parse(errors) as object) };
  };

  it.each(['1e3', '-1', '+1', '1,5', '0x10', '.5', '1.', ' 1', '', '1_000'])(
    'of the amount %j sends no request',
    async (amount) => {
      const failure = await fail(['quote', 'USDC', '--to', 'ethereum', '--', amount]);
      expect(failure).toMatchObject({ exit: 2, error: 'InvalidInputError', field: 'amount' });
      expect(asked).toEqual([]);
    },
  );

  it.each([
    [['quote', 'USDC', '50']],
    [['quote', 'USDC', '50', '--to', 'mars']],
    [['quote', 'USDC']],
    [['quote', 'USDC', '50', '60', '--to', 'ethereum']],
    [['quote', 'USDC', '50', '--to', 'ethereum', '--from', 'x']],
    [['nothing']],
    [['history', '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65', '--limit', '1e1']],
    [['history', '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65', '--status', 'COMPLETED,DONE']],
    [['deposit', 'ETH', '1', '--yes', '--accept', 'PAUSED,NONSENSE']],
    [['deposit', 'ETH', '1', '--yes', '--max-fee-share', '1.5']],
    [['status', '0x12', '--index', '-1']],
    [['status', '0x12']],
    [['completion', 'cmd']],
    [['doctor', '--account', '0x12']],
    [['limits', '--address-book', '/none']],
  ])('of %j is a usage error', async (words) => {
    expect(await fail(words)).toMatchObject({ exit: 2, error: 'UsageError' });
    expect(asked).toEqual([]);
  });

  it('names the missing option', async () => {
    expect(await fail(WORDS, { CAUSEWAY_API: '' })).toMatchObject({ exit: 2, field: 'api' });
    expect(await fail(['quote', 'USDC', '50'])).toMatchObject({ field: 'to' });
    expect(await fail([...WORDS, '--api', 'ftp://x'])).toMatchObject({ exit: 2, field: 'apiUrl' });
  });

  it('by the API shows its code and next step', async () => {
    answer = { status: 400, body: { error: 'BELOW_MINIMUM', message: 'amount must be at least 10 USDC' } };
    expect(await fail(WORDS)).toEqual({
      exit: 4,
      code: 'BELOW_MINIMUM',
      error: 'ApiError',
      message: 'BELOW_MINIMUM: amount must be at least 10 USDC',
      field: 'amount',
      retry: { helps: false },
      nextStep: 'Choose a higher amount.',
      docs: 'docs/errors.md#below_minimum',
    });
    expect(await run(WORDS, { CAUSEWAY_API: api, DOCS_URL: 'https://docs.example/' })).toMatchObject({
      code: 4,
      errors:
        'error: BELOW_MINIMUM: amount must be at least 10 USDC\nChoose a higher amount.\n' +
        'Docs: https://docs.example/errors/below_minimum/\n',
    });
  });

  it('of a wrong answer counts as an error of the API', async () => {
    answer = { status: 200, body: { ...QUOTE, feeAmount: 5 } };
    expect(await run(WORDS, { CAUSEWAY_API: api })).toMatchObject({
      code: 4,
      errors: expect.stringContaining('feeAmount'),
    });
  });

  it.each([
    ['id', `0x${'ab'.repeat(32)}`, /^id is unknown: \/none has no record 0xab.*/, /causeway resume.*causeway status/],
    ['file', '0x12', /^file cannot be read: 0x12$/, /causeway resume/],
  ])('to resume an unknown %s comes before any question', async (field, given, message, nextStep) => {
    expect(await fail(['resume', given, '--records', '/none'])).toMatchObject({
      exit: 2,
      field,
      message: expect.stringMatching(message),
      nextStep: expect.stringMatching(nextStep),
    });
  });

  it('to claim without a credit comes before any terms', async () => {
    answer = { status: 200, body: readExampleAnswers()['getConfig']?.response };
    const env = { CAUSEWAY_API: api, CAUSEWAY_ETHEREUM_RPC: api, CAUSEWAY_PRIVATE_KEY: `0x${'7'.repeat(64)}` };
    const { code, output, errors } = await run(['claim', 'USDC', '--on', 'ethereum', '--yes'], env);
    expect({ code, output }).toEqual({ code: 3, output: '' });
    expect(errors).toMatch(/^error: 0x\w+ has no credit of USDC on Ethereum, chain \d+\nThere is nothing to claim\./);
  });

  it('to send without a terminal comes before any request', async () => {
    for (const words of [
      ['deposit', 'ETH', '1'],
      ['claim', 'ETH', '--on', 'partner'],
    ])
      expect(await fail(words)).toMatchObject({ exit: 7, error: 'NotConfirmedError', nextStep: 'Give --yes.' });
    expect(asked).toEqual([]);
  });
});

describe('the help', () => {
  it.each([[['--help']], [['quote', '--help']], [['--version']]])('%j exits with 0', async (words) => {
    const { code, output, errors } = await run(words);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(words[0] === '--version' ? /^\d+\.\d+\.\d+\n$/ : /^Usage: causeway/);
  });

  it("shows a command's options, global options and exit codes", async () => {
    expect((await run(['quote', '--help'])).output).toMatch(/--to <chain>[\s\S]*--api <url>/);
    expect((await run(['--help'])).output).toMatch(/Exit codes:\n {2}0 +done\n[\s\S]*130 +interrupted/);
  });

  it('exits with 2 when no command is named', async () => {
    expect(await run([], {}, new FakeStreams())).toMatchObject({
      code: 2,
      output: '',
      errors: expect.not.stringMatching(/^error/m),
    });
  });

  it('prints only the failure with --json', async () => {
    const { code, errors } = await run(['--json']);
    expect(code).toBe(2);
    expect(JSON.parse(errors)).toMatchObject({ error: 'UsageError', message: 'No command is named' });
  });
});
