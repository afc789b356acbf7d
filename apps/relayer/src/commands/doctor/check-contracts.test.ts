import { describe, expect, it } from '@jest/globals';
import { anAddress } from '@causeway/test-kit';
import { checkContracts } from './check-contracts.js';
import type { ContractFacts } from './contract-facts.js';
import type { Fact } from '@causeway/service/doctor';

const listing = { mayBegin: true, mayDeliver: true, maxAmount: 10n ** 18n, capacity: 10n ** 18n };
const relayer = anAddress('relayer');

function facts(over: Partial<ContractFacts> = {}): ContractFacts {
  const offices = ['owner', 'guardian', 'recovery'];
  const names = [
    'relayer',
    'standby',
    'sentinel',
    'policy manager',
    'treasury',
    'attester 1',
    'attester 2',
    ...offices,
  ];
  return {
    wrongCode: [],
    settings: { relayer: { found: relayer, meant: relayer } },
    roles: Object.fromEntries([...names, 'admin'].map((name) => [name, anAddress(name)])),
    hasTimelock: true,
    timelock: anAddress('admin'),
    formerRelayers: [],
    pausedBeginnings: false,
    pausedDeliveries: false,
    listings: { ETH: listing, USDC: listing, XCN: listing },
    attesters: { members: [], threshold: 0 },
    float: null,
    ...over,
  };
}

const answer = (over: Partial<ContractFacts> = {}, name = 'node') => ({
  name,
  contract: { ok: true, value: facts(over) } as Fact<ContractFacts>,
});
const problems = (
  lock: Partial<ContractFacts>,
  mint: Partial<ContractFacts> = {},
  isLocal = false,
  servesExchange = false,
) =>
  checkContracts({ ethereum: [answer(lock)], partner: [answer(mint)] }, isLocal, servesExchange).flatMap(
    ({ severity, check, finding }) => (severity === 'ok' ? [] : [`${severity} ${check}: ${finding}`]),
  );

describe('checkContracts', () => {
  it('accepts a correct bridge, with one line for each contract', () => {
    const findings = checkContracts({ ethereum: [answer()], partner: [answer()] }, false, false);
    expect(findings.map(({ severity, check }) => `${severity} ${check}`)).toEqual([
      'ok contracts',
      'ok pauses',
      'ok contracts',
      'ok pauses',
      'ok keys',
      'ok listing',
    ]);
  });

  it.each<[string, Partial<ContractFacts>, string]>([
    [
      'other code',
      { wrongCode: ['BridgeLock'] },
      'error contracts: the code of BridgeLock differs from the compiled code',
    ],
    [
      'another relayer than the address book',
      { settings: { relayer: { found: '0x1', meant: '0x2' } } },
      'error contracts: the relayer of BridgeLock is 0x1, but 0x2 in the address book',
    ],
    ['a pause', { pausedDeliveries: true }, 'warning pauses: BridgeLock: releases are paused'],
    ['an admin without a timelock', { hasTimelock: false }, 'error keys: the admin of BridgeLock is not the timelock'],
    [
      'a Sentinel of another timelock',
      { timelock: anAddress('another') },
      `error keys: the Sentinel of BridgeLock reads its offices from ${anAddress('another')}, which is not the admin`,
    ],
    [
      'an office whose account was the relayer',
      { formerRelayers: ['recovery'] },
      'error keys: the recovery of the timelock of BridgeLock was once the relayer: its key may be stolen',
    ],
    [
      'no standby',
      { roles: { relayer, admin: anAddress('admin') } },
      'warning keys: BridgeLock has no standby relayer',
    ],
    [
      'an asset whose operations are disabled',
      { listings: { ETH: listing, USDC: { ...listing, mayBegin: false }, XCN: listing } },
      'warning listing: USDC in BridgeLock: new operations are disabled',
    ],
    [
      'a maximum above the capacity of the other chain',
      { listings: { ETH: { ...listing, maxAmount: 10n ** 19n }, USDC: listing, XCN: listing } },
      'warning listing: BridgeLock accepts 10 ETH, but BridgeMint delivers at most 1',
    ],
  ])('finds %s', (_, over, finding) => {
    expect(problems(over)).toEqual([finding]);
  });

  it.each(['owner', 'guardian', 'recovery', 'policy manager', 'treasury', 'standby', 'attester 1', 'admin'])(
    'finds a relayer that is also the %s, on either chain',
    (role) => {
      const shared = { roles: { ...facts().roles, [role]: relayer } };
      const finding = new RegExp(`^error keys: ${relayer} is .*${role.replace(/ \d$/, '')}`);
      expect(problems(shared)).toContainEqual(expect.stringMatching(finding));
      expect(problems({}, shared)).toContainEqual(expect.stringMatching(finding));
    },
  );

  it.each([
    [3, 2, true, []],
    [3, 2, false, [/^error attesters: BridgeLock requires 2 of 3 .*serves no exchange$/]],
    [4, 2, true, [/^error attesters: BridgeLock requires 2 of 4 .*not a majority$/]],
    [3, 1, true, [/not a majority$/]],
  ])('judges a set of %i attesters with a threshold of %i', (count, threshold, servesExchange, expected) => {
    const attesters = { members: Array.from({ length: count }, () => anAddress()), threshold };
    expect(problems({ attesters }, {}, false, servesExchange)).toEqual(
      expected.map((finding) => expect.stringMatching(finding)),
    );
  });

  it('accepts an admin without timelock and no standby in the environment local', () => {
    expect(problems({ hasTimelock: false, roles: { relayer } }, {}, true)).toEqual([]);
  });

  it('finds nodes that disagree about anything but the float', () => {
    const disagree = (over: Partial<ContractFacts>) =>
      checkContracts({ ethereum: [answer({}, 'a'), answer(over, 'b')], partner: [answer()] }, false, false).some(
        ({ severity, finding }) => severity === 'error' && finding === 'the nodes of ethereum disagree on BridgeLock',
      );
    expect(disagree({ roles: { ...facts().roles, relayer: anAddress('thief') } })).toBe(true);
    expect(disagree({ listings: { ...facts().listings, ETH: { ...listing, capacity: 5n } } })).toBe(true);
    expect(disagree({ float: 7n })).toBe(false);
  });

  it('does not blame the address book when a node limits this process', () => {
    const limited: Fact<never> = { ok: false, reason: 'HTTP status 429', isThrottled: true };
    const answers = { ethereum: [answer()], partner: [{ name: 'node', contract: limited }] };
    const unread = checkContracts(answers, false, false).filter(({ severity }) => severity === 'error');
    expect(unread).toEqual([
      expect.objectContaining({
        finding: 'BridgeMint was not checked: no node is usable',
        nextStep: 'repair a node first',
      }),
    ]);
  });

  it('names the contract that was not checked', () => {
    const unread: Fact<never> = { ok: false, reason: 'nothing is there' };
    const findings = checkContracts({ ethereum: [], partner: [{ name: 'node', contract: unread }] }, false, false);
    expect(findings.map(({ finding }) => finding)).toEqual([
      'BridgeLock was not checked: no node is usable',
      'BridgeMint cannot be read from node: nothing is there',
    ]);
  });
});
