import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseAmount } from '@causeway/protocol';
import { burn, claim, deposit, MAX_GAS_FEE, withdrawXcn, withdrawXcnByIntent } from '@causeway/sdk';
import { isLong, seed } from '@causeway/test-kit';
import { LyingWorld, makeQuote, NOW, readAt, type Flow, type Lie, type Outcome } from './lying-world.js';

// Each field of each answer of the API and the nodes is falsified once. Only terms that the user saw get a signature.

/** All lies take minutes; a sample takes seconds. */
const LONGEST_MS = isLong ? 1_800_000 : 120_000;
const ATTACKER = `0x${'ba'.repeat(20)}`;
const ethereum = { side: 'ethereum' } as const;
const partner = { side: 'partner' } as const;
const FLOWS: readonly Flow[] = [
  { name: 'deposit of ETH', ...ethereum, asset: 'ETH', amount: '2', words: ['deposit', 'ETH', '2'] },
  {
    name: 'authorized deposit',
    ...ethereum,
    asset: 'USDC',
    amount: '25',
    words: ['deposit', 'USDC', '25'],
    standards: ['ERC-3009'],
  },
  { name: 'approved deposit', ...ethereum, asset: 'XCN', amount: '700', words: ['deposit', 'XCN', '700'] },
  { name: 'burn', ...partner, asset: 'USDC', amount: '50', words: ['burn', 'USDC', '50'] },
  { name: 'withdrawal', ...partner, asset: 'XCN', amount: '6000', words: ['withdraw', '6000'] },
  {
    name: 'withdrawal by intent',
    ...partner,
    asset: 'XCN',
    amount: '6100',
    words: ['withdraw', '6100', '--by-intent'],
  },
  { name: 'claim', ...ethereum, asset: 'XCN', amount: '800', words: ['claim', 'XCN', '--on', 'ethereum'] },
  {
    name: 'permitted deposit in a window',
    ...ethereum,
    asset: 'USDC',
    amount: '25',
    begin: deposit,
    standards: ['ERC-2612'],
  },
  {
    name: 'authorized deposit in a window',
    ...ethereum,
    asset: 'USDC',
    amount: '25',
    begin: deposit,
    standards: ['ERC-3009'],
  },
  { name: 'deposit in a batch', ...ethereum, asset: 'XCN', amount: '700', begin: deposit, isBatch: true },
  { name: 'burn in a window', ...partner, asset: 'USDC', amount: '50', begin: burn },
  { name: 'withdrawal in a window', ...partner, asset: 'XCN', amount: '6000', begin: withdrawXcn },
  { name: 'intent in a window', ...partner, asset: 'XCN', amount: '6100', begin: withdrawXcnByIntent },
  { name: 'claim in a window', ...ethereum, asset: 'XCN', amount: '800', begin: claim },
];

/** Lies that must stop a transfer: they contradict the terms or what the caller knows. */
const NOTICED = [
  /^api bridge\/config (environment|(ethereum|partner)\.(chainId|bridge(Lock|Mint)|tokens\.\d\.(address|decimals|granularity)))$/,
  /^api bridge\/fee-quote (token|direction|(input|fee|output)Amount(Formatted)?)?$/,
  /^api bridge\/transactions bySignature\.0\.typedData\.domain\.verifyingContract$/,
  /^api bridge\/xcn-withdraw-intent (intentId|amountAtomic|relayerWalletAddress)$/,
  /^api bridge\/status relayerWalletAddress$/,
];

/** Returns false values for a value of an answer, by its type. */
function falsify(value: unknown): readonly unknown[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 2, 0, value * 100];
  if (typeof value !== 'string') return [ATTACKER, '1', {}];
  if (/^0x[\da-f]{40}$/i.test(value)) return [ATTACKER, `0x${'0'.repeat(40)}`];
  if (/^0x[\da-f]{64}$/i.test(value)) return [`0x${ATTACKER.slice(2).padStart(64, '0')}`, `0x${'f'.repeat(64)}`, '0x'];
  if (/^0x[\da-f]*$/i.test(value)) return ['0x0', `${value}00000`, '0x1', '0x'];
  if (/^\d+$/.test(value)) return [`${value}00`, '0', '1'];
  if (/^\d{4}-\d\d-/.test(value)) return ['2001-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'];
  return ['USDC', '250', 'PARTNER_TO_ETHEREUM', 'mainnet'].filter((each) => each !== value);
}

/** Yields the paths of all leaf values of an answer. */
function* findFields(answer: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  const entries = Object.entries(Object(answer)).filter(() => typeof answer === 'object');
  if (entries.length === 0) yield path;
  for (const [name, value] of entries) yield* findFields(value, [...path, name]);
}

const describeField = ({ source, path }: Lie) => `${source} ${path.join('.')}`;
const isNoticed = (lie: Lie) => NOTICED.some((each) => each.test(describeField(lie)));

function* lieAbout(source: string, answer: unknown, count = 1): Generator<Lie> {
  for (const path of findFields(answer)) {
    const told = readAt(answer, path);
    for (const value of [...falsify(told), null, undefined].filter((each) => each !== told))
      for (const since of count > 1 ? [0, 1] : [0]) yield { source, path, value, since };
    const isName = typeof told === 'string' && /^0x[\da-f]{40}$/i.test(told) && source.startsWith('api');
    if (isName) yield { source, path, value: [told, ATTACKER], isConsistent: true };
  }
}

/** Yields consistent false quotes: for ten times the amount, and with a higher fee after the terms were shown. */
function* lieInQuotes({ asset, amount, side, words }: Flow): Generator<Lie> {
  const direction = side === 'ethereum' ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM';
  const source = 'api bridge/fee-quote';
  yield { source, path: [], value: makeQuote(asset, `${amount}0`, direction) };
  const half = parseAmount(asset, amount) / 2n;
  const dear = makeQuote(asset, amount, direction, { feeAmount: half, outputAmount: half });
  if (words !== undefined) yield { source, path: [], value: dear, since: side === 'ethereum' ? 0 : 1 };
}

describe('an API or a node that lies', () => {
  const honest = new Map<Flow, Outcome>();
  /** By the falsified field. */
  const lies = new Map<string, { readonly flow: Flow; readonly lie: Lie }[]>();
  let told = 0;

  beforeAll(async () => {
    const { setTimeout } = globalThis;
    // Polling pauses pass immediately; requests still time out.
    jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((work: () => void, ms: number) =>
        setTimeout(work, ms < 9_000 ? 0 : ms)) as typeof setTimeout);
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
    // Makes signatures of the same terms equal.
    jest.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => (bytes as never as Uint8Array).fill(7));
    for (const flow of FLOWS) {
      const world = new LyingWorld(flow);
      const outcome = await world.run();
      const own = [...world.answers].flatMap(([source, answer]) => [
        ...lieAbout(source, answer, world.counts.get(source)),
      ]);
      if (world.answers.has('api bridge/fee-quote')) own.push(...lieInQuotes(flow));
      for (const lie of own) lies.set(describeField(lie), [...(lies.get(describeField(lie)) ?? []), { flow, lie }]);
      // An API can offer another signature for the same deposit, or none.
      const ways = flow.standards === undefined ? [] : [[], ['ERC-2612'], ['ERC-3009']];
      const signed = [...outcome.signed];
      for (const standards of ways) signed.push(...(await new LyingWorld({ ...flow, standards }).run()).signed);
      honest.set(flow, { ...outcome, signed });
    }
  });
  afterAll(() => {
    jest.restoreAllMocks();
    process.stdout.write(`${lies.size} fields were falsified, in ${told} lies.\n`);
  });

  it('is absent from the honest transfers, which complete', () => {
    const ends = FLOWS.map((flow) => [flow.name, honest.get(flow)?.isComplete, honest.get(flow)?.signed.length !== 0]);
    expect(ends).toEqual(FLOWS.map(({ name }) => [name, true, true]));
  });

  /** Runs a transfer with a lie and returns the problems of its outcome. */
  async function judge(flow: Flow, lie: Lie): Promise<readonly string[]> {
    told += 1;
    const { signed, isComplete, terms } = await new LyingWorld(flow, lie).run();
    const right = honest.get(flow);
    const allowed = new Set(right?.signed.map(({ what }) => what));
    const nonces = new Map(signed.map(({ what, nonce }) => [what, nonce]));
    const isShown = JSON.stringify(terms) === JSON.stringify(right?.terms);
    const problems = [
      ...signed.filter(({ what }) => !allowed.has(what)).map(({ what }) => `signs ${what}`),
      ...signed.filter(({ fee = 0n }) => fee > MAX_GAS_FEE[flow.side]).map(({ fee }) => `pays ${fee} for gas`),
      ...signed.filter(({ what, nonce }) => nonces.get(what) !== nonce).map(({ what }) => `signs again ${what}`),
      ...(isNoticed(lie) && isComplete ? ['goes on'] : []),
      ...(signed.length > 0 && !isShown ? [`shows ${JSON.stringify(terms)}`] : []),
    ];
    return problems.map((problem) => `${flow.name} ${problem} after ${JSON.stringify(lie)}`);
  }

  const first = seed();
  it(
    `TEST_SEED=${first}: gets signatures only for the user's terms`,
    async () => {
      const problems: string[] = [];
      let random = first;
      for (const choices of lies.values()) {
        random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
        const picked = choices[random % choices.length];
        const ofKey = choices.find(({ flow }) => flow.words !== undefined)?.flow;
        const chosen = choices.filter(
          ({ flow, lie }) =>
            isLong ||
            lie === picked?.lie ||
            (isNoticed(lie) && (flow === picked?.flow || lie.path.length === 0)) ||
            (/^node .*(gas|fee)/i.test(describeField(lie)) && flow === ofKey) ||
            (lie.isConsistent === true && flow.asset === 'XCN' && flow.side === 'partner'),
        );
        for (const { flow, lie } of chosen) problems.push(...(await judge(flow, lie)));
      }
      expect(problems).toEqual([]);
    },
    LONGEST_MS,
  );
});
