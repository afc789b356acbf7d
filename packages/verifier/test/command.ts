import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testAccount } from '@causeway/test-kit';
import { zeroHash, type Hex } from 'viem';
import { runVerify } from '../src/command/program.js';
import { toJson } from '../src/command/report.js';
import { readReserves, reservesDigest, type AssetReserves } from '../src/index.js';
import { readFinalHeaders } from '../src/verifier.js';
import type { TestBridge } from './bridge.js';

/** A port that nothing listens on. */
const AWAY = 'http://127.0.0.1:9';

/**
 * The command `causeway-verify` on a bridge on which every kind of operation was paid.
 *
 * @returns runs it with `--json` for further tests.
 */
export function describeCommand(
  getBridge: () => TestBridge,
  getOperations: () => { readonly mint: Hex; readonly intentPayment: Hex; readonly intent: Hex },
): (...words: readonly string[]) => Promise<Readonly<Record<string, unknown>>> {
  let folder: string;
  let book: string;
  let nodes: readonly string[];
  let state: string;

  beforeAll(() => {
    const { book: addresses, chains } = getBridge();
    folder = mkdtempSync(join(tmpdir(), 'causeway-verify-'));
    [book, state] = [join(folder, 'book.json'), join(folder, 'state.json')];
    writeFileSync(book, JSON.stringify(addresses));
    nodes = ['--ethereum-rpc', chains.ethereum.url, '--partner-rpc', chains.partner.url];
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const runWords = async (words: readonly string[], signal = new AbortController().signal) => {
    const [output, errors] = [new PassThrough(), new PassThrough()];
    const streams = { output, errors };
    const code = await runVerify(words, { env: { XDG_STATE_HOME: folder }, streams, signal });
    const read = (stream: PassThrough) => String(stream.read() ?? '');
    return { code, output: read(output), errors: read(errors) };
  };
  /** Runs with the address book, the nodes and the state file. */
  const run = async (...words: readonly string[]) =>
    runWords([...words, '--address-book', book, ...nodes, '--state', state]);
  const read = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const { code, output, errors } = await run(...words, '--json');
    return { code, errors, ...(JSON.parse(output === '' ? '{}' : output) as object) };
  };

  describe('causeway-verify', () => {
    it('finds an honest bridge right, says whom it trusts, and continues from its state', async () => {
      const first = await read();
      expect(first).toMatchObject({ code: 0, result: 'right', why: [], findings: [], errors: '' });
      expect(first['trusted']).toEqual([
        expect.stringMatching(/^All of Ethereum is the word of 127\.0\.0\.1:\d+\.$/),
        expect.stringMatching(/^All of the partner chain is the word of/),
      ]);
      expect(statSync(state).mode & 0o777).toBe(0o600);
      const { code, output } = await run();
      expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/asset +locked[^]*\nRight\.\n$/) });
      expect(readdirSync(folder).toSorted()).toEqual(['book.json', 'state.json']);
    });

    it('names nodes that are away, and decides only with a quorum of the others', async () => {
      const { ethereum, partner } = getBridge().chains;
      const others = (url: string) => [url, `${url}#2`];
      const list = (option: string, urls: readonly string[]) => urls.flatMap((url) => [option, url]);
      const words = (urls: readonly string[]) => [
        '--address-book',
        book,
        '--fresh',
        '--json',
        ...list('--ethereum-rpc', urls),
        ...list('--partner-rpc', others(partner.url)),
      ];
      const [most, few] = [
        await runWords(words([...others(ethereum.url), AWAY])),
        await runWords(words([ethereum.url, AWAY])),
      ];
      expect({ code: most.code, ...JSON.parse(most.output) }).toMatchObject({
        code: 0,
        why: [],
        trusted: [],
        nodes: expect.arrayContaining([
          { side: 'ethereum', node: '127.0.0.1:9', dissent: { AWAY: expect.anything() } },
        ]),
      });
      expect({ code: few.code, ...JSON.parse(few.output) }).toMatchObject({
        code: 6,
        result: 'undecided',
        why: [expect.stringContaining('127.0.0.1:9')],
      });
    });

    it('proves an operation, and checks its file without nodes', async () => {
      const { mint, intent, intentPayment } = getOperations();
      const file = join(folder, 'proof.json');
      const alone = ['--proof', file, '--address-book', book, '--json'];
      for (const [words, kind] of [
        [[mint], 'DEPOSIT'],
        [[intentPayment, intent], 'INTENT'],
      ] as const) {
        expect(await read(...words, '--proof', file)).toMatchObject({
          code: 0,
          statement: { kind },
          file,
        });
        const { code, output } = await runWords(alone);
        expect({ code, ...JSON.parse(output) }).toMatchObject({
          code: 0,
          open: expect.arrayContaining([expect.stringMatching(/^Block \d+ of chain 31337 is 0x/)]),
        });
      }
      const proof = readFileSync(file, 'utf8');
      writeFileSync(file, proof.replace(/"amount": "\d/, '"amount": "7'));
      expect(await runWords(alone)).toMatchObject({
        code: 11,
        output: expect.stringContaining('statement.amount: it is 7'),
      });
      writeFileSync(file, proof.replace('"version": 1', '"version": 2'));
      expect(await runWords(alone)).toMatchObject({ code: 2, errors: expect.stringContaining('version is 2') });
    });

    it('recomputes signed statements of reserves, and names what they state wrong', async () => {
      const bridge = getBridge();
      const verifier = bridge.verifier();
      const pair = await readFinalHeaders(verifier);
      const { ethereum, partner } = pair;
      const sign = async (change: (assets: readonly AssetReserves[]) => readonly AssetReserves[]) => {
        const statement = {
          day: partner.timestamp / 86_400n,
          previous: zeroHash,
          ethereumBlock: ethereum.number,
          ethereumHash: ethereum.hash,
          partnerBlock: partner.number,
          partnerHash: partner.hash,
          assets: change(await readReserves(verifier, pair)),
        };
        const attester = testAccount(5);
        const signature = await attester.sign({ hash: reservesDigest(statement, bridge.settings.ethereum) });
        const toBlock = ({ number, hash }: typeof ethereum) => ({ number: Number(number), hash });
        const answer = {
          statements: [
            {
              day: Number(statement.day),
              previous: zeroHash,
              ethereum: toBlock(ethereum),
              partner: toBlock(partner),
              assets: statement.assets,
              attesterSet: 1,
              signatures: [{ attester: attester.address.toLowerCase(), signature }],
            },
          ],
          nextBefore: null,
        };
        const file = join(folder, 'reserves.json');
        writeFileSync(file, toJson(answer));
        return file;
      };
      const right = await read('--reserves', await sign((assets) => assets));
      expect(right).toMatchObject({ code: 0, result: 'right', reserves: { statements: 1, findings: [] } });
      const none = join(folder, 'none.json');
      writeFileSync(none, '{"statements":[],"nextBefore":null}');
      expect(await read('--reserves', none)).toMatchObject({
        code: 6,
        why: [expect.stringMatching(/^The newest statement is missing/)],
      });
      const wrong = await read(
        '--reserves',
        await sign(([first, ...rest]) => [{ ...first!, locked: first!.locked + 1n, fees: first!.fees + 1n }, ...rest]),
      );
      expect(wrong).toMatchObject({
        code: 11,
        findings: ['fees of ETH', 'locked of ETH'].map((text) => ({
          code: 'RESERVES_DIFFER',
          why: expect.stringContaining(text),
        })),
      });
    });

    it('does not decide about an unknown operation', async () => {
      const unknown = `0x${'77'.repeat(32)}`;
      expect(await read(unknown)).toMatchObject({
        code: 6,
        file: null,
        why: ['Neither chain has an operation with this id or transaction.'],
      });
      expect(await read(getOperations().intent)).toMatchObject({
        code: 6,
        why: ['It is an intent: give the hash of the transaction that paid it.'],
      });
    });

    it('refuses bad input in one line, and writes nothing', async () => {
      const { partner } = getBridge().chains;
      const kept = readFileSync(state, 'utf8');
      const altered = join(folder, 'altered.json');
      const reject = async (field: string, words: readonly string[]) => {
        const { code, output, errors } = await runWords([...words, '--json']);
        expect({ words, code, output, ...JSON.parse(errors) }).toMatchObject({
          words,
          code: 2,
          output: '',
          error: 'UsageError',
          field,
        });
        expect(errors.trim().split('\n')).toHaveLength(1);
      };
      const whole = ['--address-book', book, ...nodes];
      await reject('nonsense', ['--nonsense']);
      await reject('hash', ['0x12', ...whole]);
      await reject('address-book', nodes);
      await reject('address-book', ['--address-book', join(folder, 'none'), ...nodes]);
      writeFileSync(altered, kept.replace('"number":"', '"number":"1'));
      await reject('address-book', ['--address-book', altered, ...nodes]);
      const late = JSON.parse(readFileSync(book, 'utf8')) as { ethereum: { deployedAtBlock: number } };
      late.ethereum.deployedAtBlock += 3;
      writeFileSync(altered, JSON.stringify(late));
      await reject('address-book', ['--address-book', altered, ...nodes, '--fresh']);
      writeFileSync(altered, kept.replace('"number":"', '"number":"1'));
      await reject('ethereum-rpc', ['--address-book', book]);
      await reject('ethereum-rpc', ['--address-book', book, '--ethereum-rpc', 'ftp://node', ...nodes]);
      await reject('ethereum-rpc', [
        '--address-book',
        book,
        '--ethereum-rpc',
        partner.url,
        '--partner-rpc',
        partner.url,
      ]);
      await reject('confirmations', [...whole, '--confirmations', '12']);
      await reject('proof', ['--address-book', book, '--proof', join(folder, 'none')]);
      await reject('proof', ['--address-book', book, '--proof', book]);
      await reject('api', [...whole, '--reserves']);
      await reject('reserves', [...whole, '--reserves', book]);
      await reject('reserves', [`0x${'77'.repeat(32)}`, ...whole, '--reserves', book]);
      await reject('state', [...whole, '--state', book]);
      await reject('state', [...whole, '--state', altered]);
      await reject('state', [...whole, '--fresh', '--state', join(book, 'none')]);
      await reject('proof', [getOperations().mint, ...whole, '--proof', join(book, 'none')]);
      expect(readFileSync(state, 'utf8')).toBe(kept);
      expect(await runWords(['--help'])).toMatchObject({ code: 0, output: expect.stringContaining('Examples:') });
    });

    it('leaves its state intact when it is interrupted', async () => {
      const kept = readFileSync(state, 'utf8');
      const words = ['--address-book', book, ...nodes, '--state', state];
      const ended = await runWords([...words, '--fresh'], AbortSignal.timeout(5));
      expect(ended).toMatchObject({ code: 130, errors: expect.stringContaining(`continues from ${state}`) });
      expect(readFileSync(state, 'utf8')).toBe(kept);
    });
  });
  return async (...words) => read(...words, ...(words.length > 0 ? ['--proof', join(folder, 'further.json')] : []));
}
