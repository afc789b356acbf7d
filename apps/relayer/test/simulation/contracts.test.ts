import { isDeepStrictEqual } from 'node:util';
import { ASSETS, tokenOfAsset, type AddressBook } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, testUsdcAbi } from '@causeway/protocol/abi';
import { isLong, seed } from '@causeway/test-kit';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import {
  decodeErrorResult,
  encodeFunctionData,
  numberToHex,
  zeroAddress,
  type Abi,
  type Address,
  type Hex,
} from 'viem';
import { answer } from '../../simulation/chain/node-answers.ts';
import {
  ACTORS,
  ENDING,
  FORWARDER,
  REFUSER,
  REGRETFUL,
  sendToBoth,
  startTwins,
  type Outcome,
  type TwinChain,
} from './both-chains.ts';
import { Dice, RandomCalls, type RandomCall } from './random-calls.ts';

// The simulated contracts against the real ones: the same random calls, byte for byte the same outcome and state.
// Replay: TEST_SEED.

jest.setTimeout(isLong ? 1_800_000 : 120_000);

const CALLS = isLong ? 20_000 : 250;
/** Numbers, refunds and accounts whose state is compared. */
const NUMBERS = Array.from({ length: 40 }, (_, index) => BigInt(index));
const REFUNDS = Array.from({ length: 12 }, (_, index) => numberToHex(index, { size: 32 }));
const ERRORS = [...bridgeLockAbi, ...bridgeMintAbi, ...bridgedTokenAbi, ...testUsdcAbi] as Abi;

let book: AddressBook;
let chains: readonly TwinChain[];

beforeAll(async () => {
  ({ book, chains } = await startTwins());
});
afterAll(async () => {
  await Promise.all(chains.map(({ anvil }) => anvil.stop()));
});

it('does what the real contracts do', async () => {
  const used = seed();
  const dice = new Dice(used);
  const calls = chains.map((twin) => ({ twin, calls: new RandomCalls(dice, book, twin), views: viewsOf(twin) }));
  let time = Math.max(...chains.map(({ model }) => model.head.timestamp)) + 1_000;
  const seen = new Set<string>();
  const run = async (twin: TwinChain, views: readonly View[], { from, story, ...call }: RandomCall, place: string) => {
    time += dice.of([1, 1, 12, 600, 4_000]);
    const { real, simulated } = await sendToBoth(twin, from, call, time);
    const where = `TEST_SEED=${used}, ${place} on ${twin.side}: ${story}`;
    expectEqual(readable(simulated), readable(real), where);
    await compareStates(twin, views, where);
    seen.add(`${twin.side} ${call.data.slice(0, 10)} ${real.succeeded ? 'ok' : nameOf(real.output)}`);
  };
  for (const { twin, views, calls: random } of calls) {
    await compareStates(twin, views, `after the deployment on ${twin.side}`);
    for (const call of random.opening()) await run(twin, views, call, 'opening');
  }
  for (let index = 0; index < CALLS; index += 1) {
    const { twin, calls: random, views } = dice.of(calls);
    await run(twin, views, random.next(), `call ${index}`);
  }
  // A run in which hardly anything succeeds compares nothing.
  expect([...seen].filter((one) => one.endsWith(' ok')).length).toBeGreaterThan(25);
  expect(seen.size).toBeGreaterThan(70);
});

/** A read of the state: a call, or the coin of an account. */
type View = { readonly name: string; readonly to: Address; readonly data: Hex } | { readonly account: Address };

function viewsOf({ side }: TwinChain): View[] {
  const bridge = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  const abi = (side === 'ethereum' ? bridgeLockAbi : bridgeMintAbi) as Abi;
  const tokens = ASSETS.map((asset) => tokenOfAsset(book, side, asset));
  const holders = [
    ...Object.values(ACTORS).map(({ address }) => address),
    REFUSER,
    FORWARDER,
    REGRETFUL,
    ENDING,
    bridge,
  ];
  const view = (to: Address, of: Abi, functionName: string, args: readonly unknown[] = []): View => {
    const data = encodeFunctionData({ abi: of, functionName, args });
    return { name: `${functionName}(${args.join(', ')}) of ${to}`, to, data };
  };
  const onBridge = (functionName: string, args?: readonly unknown[]) => view(bridge, abi, functionName, args);
  const common = ['relayer', 'guardian', 'policyManager', 'owner', 'standby', 'pauses', 'peer', 'peerChainId'];
  const own =
    side === 'ethereum'
      ? ['treasury', 'xcn', 'depositNonce', 'depositsPaused', 'releasesPaused']
      : ['float', 'nativeUnit', 'withdrawNonce', 'burnsPaused', 'mintsPaused'];
  const perToken = ['tokenSettings', 'outflowLimit', 'outflowRoom', 'maxAmount', 'limitCeiling', 'totalClaimable'];
  const ownPerToken = side === 'ethereum' ? ['locked', 'feesAccrued'] : ['feePolicy', 'feeCeiling'];
  const erc20s = tokens.filter((token) => token !== zeroAddress);
  const perHolder = side === 'ethereum' ? ['balanceOf'] : ['balanceOf', 'handedIn', 'isSealed'];
  const tokenAbi = (side === 'ethereum' ? testUsdcAbi : bridgedTokenAbi) as Abi;
  return [
    ...[...common, ...own].map((name) => onBridge(name)),
    ...tokens.flatMap((token) => [...perToken, ...ownPerToken].map((name) => onBridge(name, [token]))),
    ...tokens.flatMap((token) => holders.map((holder) => onBridge('claimable', [token, holder]))),
    ...NUMBERS.map((number) => onBridge(side === 'ethereum' ? 'isReleased' : 'isMinted', [number])),
    ...(side === 'partner' ? REFUNDS.map((id) => onBridge('isRefunded', [id])) : []),
    ...holders.map((holder) => onBridge('isRelayerWallet', [holder])),
    ...erc20s.flatMap((token) => [
      view(token, tokenAbi, 'totalSupply'),
      ...holders.flatMap((holder) => perHolder.map((name) => view(token, tokenAbi, name, [holder]))),
      view(token, tokenAbi, 'allowance', [ACTORS.alice.address, bridge]),
      view(token, tokenAbi, 'allowance', [ACTORS.alice.address, ACTORS.bob.address]),
    ]),
    ...holders.map((account) => ({ account })),
  ];
}

/** Reads the whole state in one batch, and compares it. */
async function compareStates({ anvil, model }: TwinChain, views: readonly View[], where: string): Promise<void> {
  const requests = views.map((view) =>
    'account' in view
      ? { method: 'eth_getBalance', params: [view.account, 'latest'] }
      : { method: 'eth_call', params: [{ to: view.to, data: view.data }, 'latest'] },
  );
  const nodeView = { chain: model, head: model.head, oldestState: 0 };
  const simulated = requests.map(({ method, params }) => answer(nodeView, method, params));
  const response = await fetch(anvil.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request }))),
  });
  const answers = (await response.json()) as { id: number; result?: Hex; error?: unknown }[];
  const real = answers.toSorted((a, b) => a.id - b.id).map(({ result, error }) => result ?? error);
  const named = (results: readonly unknown[]) =>
    Object.fromEntries(views.map((view, index) => ['account' in view ? view.account : view.name, results[index]]));
  expectEqual(named(simulated), named(real), where);
}

/** Fails with what differs, and with nothing else. */
function expectEqual(simulated: object, real: object, where: string): void {
  const expected = new Map<string, unknown>(Object.entries(real));
  const wrong = Object.entries(simulated).filter(([name, value]) => !isDeepStrictEqual(value, expected.get(name)));
  const differences = wrong.map(([name, value]) => ({ name, simulated: value as unknown, real: expected.get(name) }));
  expect({ where, differences }).toEqual({ where, differences: [] });
}

function readable({ succeeded, output, logs }: Outcome) {
  const lower = (hex: Hex) => hex.toLowerCase();
  return {
    outcome: succeeded ? 'ok' : nameOf(output),
    output: lower(output),
    logs: logs.map(({ address, topics, data }) => [lower(address), ...topics.map(lower), lower(data)]),
  };
}

function nameOf(output: Hex): string {
  try {
    return decodeErrorResult({ abi: ERRORS, data: output }).errorName;
  } catch {
    return output;
  }
}
