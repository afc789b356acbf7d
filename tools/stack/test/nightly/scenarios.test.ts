import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DELAY_REASONS, ERROR_CODES, type ErrorCode } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';
import { erc20Abi } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Operation } from '../../src/index.js';
import { Observer } from '../observer.js';
import { makeProject } from '../packed-stack.js';

// Scenarios that restart a service or wait for many blocks.

const { library } = await makeProject();
const stack = library.useStack({ beforeAll, afterAll });
const observer = new Observer(stack);

const run = promisify(execFile);
/** The commands of docs/errors.md that provoke something on a stack, by the codes of their sections. */
const COMMANDS = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
  .split(/^### /m)
  .flatMap((section) => {
    const [, command = ''] = /```sh\n(.*)\n```/.exec(section) ?? [];
    return command.includes('"$CONTROL/') ? [[section.split('\n')[0]!, command] as const] : [];
  });

/** What a scenario of the stack's control server answers. */
interface Provoked {
  readonly operation: Operation;
  readonly answer: unknown;
  readonly condition?: number;
}

async function provoke(command: string): Promise<Provoked> {
  const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, CONTROL: stack().controlUrl } });
  return JSON.parse(stdout) as Provoked;
}

async function endCondition({ condition }: Provoked): Promise<void> {
  if (condition === undefined) return;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ condition });
  expect((await fetch(`${stack().controlUrl}/lift`, { method: 'POST', headers, body })).status).toBe(200);
}

describe('a delay of docs/errors.md', () => {
  it.each(COMMANDS.filter(([code]) => DELAY_REASONS.some((reason) => reason === code)))(
    '%s is provoked by its command and lifted',
    async (reason, command) => {
      const provoked = await provoke(command);
      const { operation } = provoked;
      expect(await observer.readOperation(operation)).toMatchObject({ status: 'DELAYED', delayedReason: reason });
      await endCondition(provoked);
      // A reorg has removed the origin of this operation, so a new transfer must complete.
      const waiting =
        reason === 'DELIVERY_CANCELLED' ? (await stack().scenarios.reachStatus('COMPLETED')).operation : operation;
      expect(await observer.became(waiting, 'COMPLETED')).toMatchObject({ delayedReason: null });
    },
  );
});

describe('an error of docs/errors.md', () => {
  it.each(COMMANDS.filter(([code]) => code in ERROR_CODES))(
    '%s is provoked by its command and lifted',
    async (code, command) => {
      const provoked = await provoke(command);
      const { httpStatus } = ERROR_CODES[code as ErrorCode];
      expect(provoked.answer).toMatchObject({ status: httpStatus, body: { error: code } });
      await endCondition(provoked);
      await waitUntil('the stack is healthy', async () => (await observer.readHealth()) === 200);
    },
  );
});

describe('another section of docs/errors.md', () => {
  it.each(COMMANDS.filter(([code]) => !(code in ERROR_CODES) && !DELAY_REASONS.some((reason) => reason === code)))(
    '%s has a command that the stack accepts and completes',
    async (_, command) => {
      const provoked = await provoke(command);
      expect(provoked).not.toHaveProperty('message');
      await endCondition(provoked);
      await waitUntil('the stack is healthy', async () => (await observer.readHealth()) === 200);
    },
  );
});

describe('a status that is held', () => {
  it.each(['CONFIRMING', 'AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED'] as const)(
    '%s continues when lifted',
    async (status) => {
      const { operation, lift } = await stack().scenarios.reachStatus(status);
      await lift();
      expect(await observer.became(operation, 'COMPLETED')).toMatchObject({ id: operation.id });
    },
  );
});

describe('a condition', () => {
  it.each(['emptyFloat', 'raiseFees', 'holdBlocks'] as const)('%s is lifted, and transfers continue', async (name) => {
    const { lift } = await stack().scenarios[name]();
    await lift();
    const { operation } = await stack().scenarios.reachStatus('COMPLETED');
    expect(operation.settlement).not.toBeNull();
  });

  it('ends independently of another condition', async () => {
    const { scenarios } = stack();
    const pause = await scenarios.pause('partner', 'deliveries');
    const { operation, lift } = await scenarios.reachStatus('CONFIRMING');
    await lift();
    expect(await observer.became(operation, 'DELAYED')).toMatchObject({ delayedReason: 'PAUSED' });
    await pause.lift();
    expect(await observer.became(operation, 'COMPLETED')).toMatchObject({ delayedReason: null });
  });

  it('on limits and deposits of Ethereum is visible in the API', async () => {
    const readLimits = async () => (await fetch(`${stack().apiUrl}/bridge/limits`)).text();
    const before = await readLimits();
    const limit = await stack().scenarios.limitOutflow('ethereum', 'USDC');
    await waitUntil('the limits differ', async () => (await readLimits()) !== before);
    await limit.lift();
    const pause = await stack().scenarios.pause('ethereum', 'beginnings');
    const quote = `${stack().apiUrl}/bridge/fee-quote?token=ETH&amount=1&direction=ETHEREUM_TO_PARTNER`;
    expect(await (await fetch(quote)).json()).toMatchObject({ paused: true });
    await pause.lift();
    expect(await (await fetch(quote)).json()).toMatchObject({ paused: false });
  });
});

describe('a recipient that refuses coins', () => {
  it('has a credit and claims it', async () => {
    const { operation, claimable, lift } = await stack().scenarios.refuseRecipient();
    expect(operation.settlement).toMatchObject({ credited: true });
    expect(claimable).toBe(BigInt(operation.outputAmount));
    await lift();
    expect(await observer.client('ethereum').getBalance({ address: operation.recipient })).toBe(claimable);
  });
});

describe('fund', () => {
  it('gives tokens of both chains', async () => {
    const address = privateKeyToAddress(generatePrivateKey());
    const { ethereum, partner } = stack().addressBook;
    for (const [chain, asset, token] of [
      ['ethereum', 'USDC', ethereum.tokens.USDC],
      ['ethereum', 'XCN', ethereum.tokens.XCN],
      ['partner', 'USDC', partner.tokens.USDC],
      ['partner', 'ETH', partner.tokens.ETH],
    ] as const) {
      await stack().fund({ address, chain, asset, amount: 1_234_567n });
      const balance = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] } as const;
      expect(await observer.client(chain).readContract(balance)).toBe(1_234_567n);
    }
  });
});

// Last, since it leaves the chains' clocks ahead.
describe('time', () => {
  it('moves by an hour, and transfers continue', async () => {
    const { operation } = await stack().scenarios.passHold();
    expect(operation.status).toBe('COMPLETED');
    await stack().scenarios.passTime(3_600);
    const { operation: next } = await stack().scenarios.reachStatus('COMPLETED');
    expect(next.settlement).not.toBeNull();
  });
});
