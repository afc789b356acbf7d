import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPublicClient, http, type Hex } from 'viem';
import { bridgeLockAbi } from '@causeway/contracts/abi';
import { deployBridge, type AddressBook } from '@causeway/contracts/deploy';
import { executeEach, executeTogether, type ExecuteInput } from '../src/calls/execute.js';
import { pause } from '../src/plans/pauses.js';
import { rotateRelayer } from '../src/plans/relayer.js';
import {
  guardian,
  localConfig,
  newcomer,
  owner,
  startChains,
  makeTarget,
  treasury,
  type TestChains,
  type TestTarget,
} from './fixtures.js';

// Like in the example configurations, each chain has its own guardian and admin.

const ADMINS = { ethereum: owner, partner: treasury } as const;
const GUARDIANS = { ethereum: guardian, partner: newcomer } as const;
const SOMEBODY = '0x00000000000000000000000000000000000000ab';
const NEW_RELAYER = '0x00000000000000000000000000000000000000ac';

let chains: TestChains;
let ethereum: TestTarget;
let partner: TestTarget;
let book: AddressBook;

beforeAll(async () => {
  chains = await startChains();
  ({ ethereum, partner } = chains);
  const config = localConfig({
    admin: { ethereum: ADMINS.ethereum.address, partner: ADMINS.partner.address },
    guardian: { ethereum: GUARDIANS.ethereum.address, partner: GUARDIANS.partner.address },
    treasury: SOMEBODY,
  });
  book = await deployBridge({ config, ethereum, partner });
  await chains.snapshot();
});

beforeEach(async () => chains.restore());

afterAll(async () => chains?.stop());

function makeInput(signer: typeof owner, over: Partial<ExecuteInput> = {}): ExecuteInput {
  return {
    calls: pause(book, 'both'),
    account: signer.address,
    clients: { ethereum: ethereum.client, partner: partner.client },
    wallets: {
      ethereum: makeTarget(chains.anvils[0], signer).wallet,
      partner: makeTarget(chains.anvils[1], signer).wallet,
    },
    onLine: () => undefined,
    ...over,
  };
}

/** Whether the deliveries of each contract are paused: releases and mints. */
async function paused(): Promise<readonly [boolean, boolean]> {
  const of = async ({ client }: typeof ethereum, address: Hex) => {
    const [, deliveriesPaused] = await client.readContract({ address, abi: bridgeLockAbi, functionName: 'pauses' });
    return deliveriesPaused;
  };
  return [await of(ethereum, book.ethereum.bridgeLock), await of(partner, book.partner.bridgeMint)];
}

describe('executeEach', () => {
  it('pauses where the account is guardian, and reports where it is not', async () => {
    await expect(executeEach(makeInput(guardian))).rejects.toThrow(
      /^pause of Sentinel WAS NOT DONE on partner: 0x.* is neither pauser nor guardian of BridgeMint on partner/,
    );
    expect(await paused()).toEqual([true, false]);
    await expect(executeEach(makeInput(newcomer))).rejects.toThrow(/^pause of Sentinel WAS NOT DONE on ethereum/);
    expect(await paused()).toEqual([true, true]);
  });

  it('sends nothing in a dry run, and reports calls that would fail', async () => {
    const { wallets: _, ...dry } = makeInput(guardian);
    await expect(executeEach(dry)).rejects.toThrow(/^pause of Sentinel CANNOT BE DONE on partner/);
    expect(await paused()).toEqual([false, false]);
  });

  it('pauses one chain while the node of the other is down', async () => {
    const chain = chains.anvils[0].chain;
    const down = createPublicClient({ chain, transport: http('http://127.0.0.1:9', { retryCount: 0 }) });
    const input = makeInput(newcomer, { clients: { ethereum: down, partner: partner.client } });
    await expect(executeEach(input)).rejects.toThrow(
      /^pause of Sentinel WAS NOT DONE on ethereum: HTTP request failed/,
    );
    expect(await paused()).toEqual([false, true]);
  });

  it('refuses a node of another chain than that of the address book', async () => {
    const input = makeInput(newcomer, { clients: { ethereum: partner.client, partner: partner.client } });
    await expect(executeEach(input)).rejects.toThrow(
      /The ethereum node serves chain 8901, but the address book is for chain 31337/,
    );
    expect(await paused()).toEqual([false, true]);
  });
});

describe('executeTogether', () => {
  it('accepts each admin for its own contract, and refuses it for both before anything is sent', async () => {
    const clients = { ethereum: ethereum.client, partner: partner.client };
    const calls = await rotateRelayer(book, NEW_RELAYER, clients);
    await expect(executeTogether(makeInput(owner, { calls }))).rejects.toThrow(
      /not the owner of .* BridgeMint on partner: .*--chain/,
    );
    for (const chain of ['ethereum', 'partner'] as const) {
      const lines: string[] = [];
      const own = calls.filter((call) => call.chain === chain);
      await executeTogether(makeInput(ADMINS[chain], { calls: own, onLine: (line) => lines.push(line) }));
      expect(lines.join('\n')).toMatch(new RegExp(`schedule in the timelock: schedule[^]*sent to ${chain}: 0x`));
    }
  });
});
