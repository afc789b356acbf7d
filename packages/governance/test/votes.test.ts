import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import type { Office } from '../src/calls/calls.js';
import { findCommand } from '../src/commands/registry.js';
import { withoutChanges } from '../src/commands/options.js';
import { pause } from '../src/plans/pauses.js';
import { rotateRelayer } from '../src/plans/relayer.js';
import { planVoteReplace, planVoteUnpause, planWithdrawVote } from '../src/plans/votes.js';
import { prepareCommand } from '../src/commands/prepare.js';
import { adminTimelockAbi } from '@causeway/contracts/abi';
import {
  guardian,
  makeAddress,
  newcomer,
  owner,
  pauser,
  policyManager,
  recovery,
  relayer,
  treasury,
} from './fixtures.js';
import { startOperator, type Operator } from './operator.js';

const successor = makeAddress(10);

let operator: Operator;
let as: Operator['as'];

beforeAll(async () => {
  operator = await startOperator({ admin: owner.address, adminDelaySeconds: 3_600 });
  ({ as } = operator);
});

beforeEach(async () => operator.chains.restore());

afterAll(async () => operator?.chains.stop());

const chain = 'ethereum';
const replace = async (name: Office, to: Address) =>
  planVoteReplace(operator.book, { chain, office: name, to }, operator.clients);
const unpause = async () => planVoteUnpause(operator.book, { chain, direction: 'both' }, operator.clients);

async function office(functionName: Office): Promise<string> {
  const { ethereum, lock } = operator;
  const address = await ethereum.client.readContract({ ...lock, functionName: 'owner' });
  return ethereum.client.readContract({ address, abi: adminTimelockAbi, functionName });
}

const subjectIn = (shown: string) => /subject: (0x[0-9a-f]{64})/.exec(shown)?.[1] ?? '';

describe('vote-replace', () => {
  it.each([
    ['owner', guardian, recovery, owner],
    ['guardian', owner, recovery, guardian],
    ['recovery', owner, guardian, recovery],
  ] as const)('passes the office of the %s by the votes of the other two', async (name, first, second, former) => {
    const shown = await as(first, replace(name, successor), true);
    expect(shown).toContain(`vote to replace the ${name}, in round 1 of the admin timelock on ethereum`);
    expect(shown).toMatch(new RegExp(`${name}: ${former.address} -> 0xaaaa\\w+`, 'i'));
    expect(shown).toMatch(/first vote: it counts until 20[^]*a second office executes it/);
    expect(shown).toMatch(/AdminTimelock on ethereum: voteReplace\n[^]*call: voteReplace/);
    await expect(as(first, replace(name, successor))).rejects.toThrow(/AlreadyVoted/);

    const again = await as(second, replace(name, successor), true);
    expect(again).toMatch(new RegExp(`given by the \\w+ ${first.address}, until 20`));
    expect(again).toContain('the vote of another office executes it');
    expect(subjectIn(again)).toBe(subjectIn(shown));
    expect((await office(name)).toLowerCase()).toBe(successor);
  });

  it('shows the console what the first and the second vote change', async () => {
    const prepare = async (account: Address) => {
      const options = { chain, office: 'guardian', to: successor };
      const command = findCommand('vote-replace');
      return prepareCommand({ command, options, account, book: operator.book, clients: operator.clients });
    };
    expect(await prepare(owner.address)).toMatchObject([
      {
        step: 'call',
        isSimulated: true,
        maySend: true,
        changes: [
          { name: 'votes that count', before: '0', after: '1' },
          { name: 'guardian', before: guardian.address, after: guardian.address },
        ],
      },
    ]);
    await as(owner, replace('guardian', successor), true);
    expect(await prepare(recovery.address)).toMatchObject([
      {
        isSimulated: true,
        changes: [
          { name: 'votes that count', before: '1', after: '0' },
          { name: 'guardian', before: guardian.address, after: expect.stringMatching(/^0xa{40}$/i) },
        ],
      },
    ]);
    await expect(prepare(newcomer.address)).rejects.toMatchObject({
      name: 'RoleError',
      message: expect.stringMatching(/holds no office .* owner 0x15d3\w+, guardian 0x3C44\w+, recovery 0x23618\w+/),
    });
  });

  it.each([
    [policyManager.address, /is policyManager of BridgeLock on ethereum/],
    [treasury.address, /is treasury of BridgeLock/],
    [relayer.address, /is relayer of BridgeLock/],
    [guardian.address, /is guardian of the admin timelock/],
    [pauser.address, /is a pauser of BridgeLock/],
    [recovery.address, /is recovery of the admin timelock/],
  ] as const)('refuses %s, since it %s', async (account, reason) => {
    await expect(replace('owner', account)).rejects.toThrow(reason);
    await expect(replace('owner', account)).rejects.toMatchObject({ name: 'PlanRefusedError' });
  });

  it('refuses a former relayer wallet', async () => {
    const { book, clients } = operator;
    const rotate = async () => withoutChanges(await rotateRelayer(book, newcomer.address, clients));
    await as(owner, rotate(), true);
    await operator.pass(3_600);
    await as(owner, rotate(), true);
    await expect(replace('owner', relayer.address)).rejects.toThrow(/was a relayer wallet of BridgeLock on ethereum/);
  });
});

describe('vote-unpause', () => {
  it('lifts a pause by two votes, and refuses after a pause in between', async () => {
    await expect(unpause()).rejects.toThrow(/BridgeLock on ethereum is not paused in this direction/);
    await as(guardian, pause(operator.book, 'both'), true);
    const late = await unpause();
    const shown = await as(owner, late, true);
    expect(shown).toMatch(/BridgeLock on ethereum: pause number 1\n {2}beginnings: paused until .* -> resumed\n/);
    expect(shown).toMatch(/count = 1\n {2}beginnings = true\n {2}deliveries = true\n/);

    await as(guardian, pause(operator.book, 'both'), true);
    await expect(as(recovery, late)).rejects.toThrow(/PauseCountMismatch[^]*\(1, 2\)/);
    await as(owner, unpause(), true);
    await as(recovery, unpause(), true);
    const { ethereum, lock } = operator;
    expect(await ethereum.client.readContract({ ...lock, functionName: 'depositsPaused' })).toBe(false);
    expect(await ethereum.client.readContract({ ...lock, functionName: 'releasesPaused' })).toBe(false);
  });
});

describe('withdraw-vote', () => {
  it('withdraws only the own vote', async () => {
    const shown = await as(owner, replace('guardian', successor), true);
    const terms = { chain, subject: subjectIn(shown) as Hex } as const;
    const withdraw = async () => planWithdrawVote(operator.book, terms, operator.clients);
    await expect(as(recovery, withdraw())).rejects.toThrow(/NoVote/);
    expect(await as(owner, withdraw(), true)).toMatch(/given by the owner 0x15d3/);
    await as(recovery, replace('guardian', successor), true);
    expect(await office('guardian')).toBe(guardian.address);
  });
});
