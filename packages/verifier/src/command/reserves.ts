import type { Hex } from 'viem';
import { readLocked } from '../checks/collateral.js';
import { NoQuorumError } from '../nodes/quorum-reader.js';
import { BadAnswerError, readBytes, readList, readObject } from '../blocks/json.js';
import type { Finding } from '../ledger/finding.js';
import type { Ledger } from '../ledger/ledger.js';
import { checkStatements, readAttesterSets, type ReservesProblem } from '../reserves/check-statements.js';
import { DAY_SECONDS, type AssetReserves, type SignedReserves } from '../reserves/statement.js';
import { readFinalHeaders, type FinalHeaders, type Verifier } from '../verifier.js';
import { UsageError } from './exit-codes.js';
import type { Reading } from './reading.js';
import { fetchBounded, readJson, type Run } from './setup.js';

/** The result of the check of the statements of reserves. */
export interface CheckedReserves {
  readonly statements: number;
  readonly findings: readonly Finding[];
  /** Why they are not decided. */
  readonly open: readonly string[];
}

/** Statements of one request. */
const PAGE = 100;
/** Of all pages together, so that an API cannot send pages without end. */
const TIMEOUT_MS = 120_000;

/** Recomputes each statement from a ledger that is read up to its pair of blocks. */
export async function checkReserves(run: Run, verifier: Verifier, reading: Reading): Promise<CheckedReserves> {
  const statements = await readStatements(run);
  if (typeof statements === 'string') return { statements: 0, findings: [], open: [statements] };
  const locked: ReservesProblem[] = [];
  const problems = await checkStatements(statements, verifier, {
    readNumbers: async (pair) => {
      await reading.read(pair);
      locked.push(...(await checkLocked(statements, verifier, pair)));
      return toNumbers(reading.ledger, verifier);
    },
    isLockedRead: false,
    isWhole: true,
  });
  const findings = [...problems, ...locked].map(({ day, code, why }): Finding => {
    const why2 = `The statement of day ${day} is wrong (${code}): ${why}`;
    const place = { id: null, asset: null, transactionHash: null, blockNumber: null };
    return { code: 'RESERVES_DIFFER', side: 'ethereum', ...place, why: why2 };
  });
  return { statements: statements.length, findings, open: await findMissing(statements, verifier) };
}

/** Events show only the least that is locked. Where nodes still have the state, it shows whether one states more. */
async function checkLocked(
  statements: readonly SignedReserves[],
  verifier: Verifier,
  pair: FinalHeaders,
): Promise<readonly ReservesProblem[]> {
  const problems: ReservesProblem[] = [];
  for (const { statement } of statements.filter((one) => one.statement.partnerHash === pair.partner.hash))
    for (const { asset: symbol, locked: stated } of statement.assets) {
      const asset = verifier.settings.assets.find((one) => one.symbol === symbol);
      if (asset === undefined) continue;
      const locked = await readLocked(verifier, asset, pair).catch((error: unknown) => {
        if (error instanceof NoQuorumError) return stated;
        throw error;
      });
      const why = `locked of ${symbol} is ${locked}, and it states ${stated}.`;
      if (stated > locked) problems.push({ day: statement.day, code: 'NUMBERS', why });
    }
  return problems;
}

/** Links show that a statement between others is missing, but not that the newest ones are. */
async function findMissing(statements: readonly SignedReserves[], verifier: Verifier): Promise<readonly string[]> {
  const { ethereum, partner } = await readFinalHeaders(verifier);
  const set = (await readAttesterSets(verifier, ethereum)).at(-1);
  if (set === undefined || set.threshold === 0) return [];
  const newest = statements.reduce((last, { statement: { day } }) => (day > last ? day : last), -1n);
  const today = partner.timestamp / DAY_SECONDS;
  // The one of today may not be signed yet.
  if (newest >= today - 1n) return [];
  return [`The newest statement is ${newest < 0n ? 'missing' : `of day ${newest}`}, and today is day ${today}.`];
}

function toNumbers(ledger: Ledger, { settings }: Verifier): readonly AssetReserves[] {
  return settings.assets
    .map(({ symbol }) => {
      const { locked, supply, held, inFlight, feesHeld: fees } = ledger.sums(symbol);
      return { asset: symbol, locked, supply, held, inFlight, fees };
    })
    .toSorted((a, b) => (a.asset < b.asset ? -1 : 1));
}

/** The statements from a file, or from all pages of the API; a sentence when the API does not give them. */
async function readStatements({ flags, env, signal }: Run): Promise<readonly SignedReserves[] | string> {
  if (typeof flags.reserves === 'string') {
    const json = await readJson('reserves', flags.reserves);
    try {
      return readPage(json).statements;
    } catch (error) {
      throw new UsageError('reserves', `are not statements: ${(error as Error).message}`);
    }
  }
  const api = flags.api ?? env['CAUSEWAY_API'];
  if (api === undefined || !URL.canParse(api))
    throw new UsageError('api', 'is missing: --reserves needs a file, or --api <url> (or CAUSEWAY_API)');
  // Named by its host, like a node.
  const refusal = `The API at ${new URL(api).host} does not give the statements of reserves`;
  const statements: SignedReserves[] = [];
  const end = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    for (let before: number | null | undefined; before !== null;) {
      const url = `${api}/bridge/reserves?limit=${PAGE}${before === undefined ? '' : `&before=${before}`}`;
      const answer = await fetchBounded(url, { signal: end });
      if (!answer.ok) return `${refusal}: ${answer.status}.`;
      const page = readPage(await answer.json());
      statements.push(...page.statements);
      if (page.nextBefore !== null && before !== undefined && page.nextBefore >= before)
        throw new BadAnswerError('nextBefore must decrease');
      before = page.nextBefore;
    }
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'its answer is not JSON' : (error as Error).message;
    return `${refusal}: ${problem}. Its address ends in /api/v1.`;
  }
  return statements;
}

function readPage(json: unknown): {
  readonly statements: readonly SignedReserves[];
  readonly nextBefore: number | null;
} {
  const page = readObject(json, 'the answer');
  const statements = readList(page['statements'], 'statements').map(readStatement);
  return { statements, nextBefore: typeof page['nextBefore'] === 'number' ? page['nextBefore'] : null };
}

function readStatement(json: unknown): SignedReserves {
  const fields = readObject(json, 'statement');
  const blocks = {
    ethereum: readBlock(fields['ethereum'], 'ethereum'),
    partner: readBlock(fields['partner'], 'partner'),
  };
  return {
    statement: {
      day: readWhole(fields['day'], 'day'),
      previous: readBytes(fields['previous'], 'previous', 32),
      ethereumBlock: blocks.ethereum.number,
      ethereumHash: blocks.ethereum.hash,
      partnerBlock: blocks.partner.number,
      partnerHash: blocks.partner.hash,
      assets: readList(fields['assets'], 'assets').map((asset) => {
        const one = readObject(asset, 'asset');
        const read = (name: string) => readWhole(one[name], name);
        const [locked, supply, held] = [read('locked'), read('supply'), read('held')];
        return { asset: String(one['asset']), locked, supply, held, inFlight: read('inFlight'), fees: read('fees') };
      }),
    },
    setNumber: readWhole(fields['attesterSet'], 'attesterSet'),
    signatures: readList(fields['signatures'], 'signatures').map((entry) => {
      const { attester, signature } = readObject(entry, 'signature');
      return { attester: readBytes(attester, 'attester', 20), signature: readBytes(signature, 'signature') };
    }),
  };
}

function readBlock(json: unknown, name: string): { readonly number: bigint; readonly hash: Hex } {
  const block = readObject(json, name);
  return { number: readWhole(block['number'], 'number'), hash: readBytes(block['hash'], 'hash', 32) };
}

function readWhole(value: unknown, name: string): bigint {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^(?:0|[1-9]\d{0,77})$/.test(text))
    throw new BadAnswerError(`${name} must be a whole number`);
  return BigInt(text);
}
