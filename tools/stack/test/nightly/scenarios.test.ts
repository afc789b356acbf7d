import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DELAY_REASONS, ERROR_CODES } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';
import { erc20Abi } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { Observer } from '../observer.js';
import { makeProject } from '../packed-stack.js';

// The scenarios that restart a service or wait for many blocks.

const { library } = await makeProject();
const stack = library.useStack({ beforeAll, afterAll });
const observer = new Observer(stack);

describe('a delay', () => {
  it.each(DELAY_REASONS)('%s is reached, and ends', async (reason) => {
    const { operation, lift } = await stack().scenarios.reachDelay(reason);
    expect(await observer.readOperation(operation)).toMatchObject({ status: 'DELAYED', delayedReason: reason });
    await lift();
    // A reorg has removed the origin of that one. The bridge goes on all the same.
    const waiting =
      reason === 'DELIVERY_CANCELLED' ? (await stack().scenarios.reachStatus('COMPLETED')).operation : operation;
    expect(await observer.became(waiting, 'COMPLETED')).toMatchObject({ delayedReason: null });
  });
});

describe('a status that is held', () => {
  it.each(['CONFIRMING', 'AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED'] as const)(
    '%s goes on when it is lifted',
    async (status) => {
      const { operation, lift } = await stack().scenarios.reachStatus(status);
      await lift();
      expect(await observer.became(operation, 'COMPLETED')).toMatchObject({ id: operation.id });
    },
  );
});

describe('an error', () => {
  it.each([
    'SERVICE_PAUSED',
    'INTENT_EXPIRED',
    'INTENT_NOT_PENDING',
    'RATE_LIMIT_EXCEEDED',
    'REQUEST_TIMEOUT',
    'SERVICE_UNAVAILABLE',
  ] as const)('%s is answered until it is lifted', async (code) => {
    const { answer, lift } = await stack().scenarios.reachError(code);
    expect(answer).toMatchObject({ status: ERROR_CODES[code].httpStatus, body: { error: code } });
    await lift();
    await waitUntil('the stack is healthy', async () => (await observer.readHealth()) === 200);
  });
});

describe('a condition', () => {
  it.each(['emptyFloat', 'raiseFees', 'holdBlocks'] as const)('%s ends, and transfers go on', async (name) => {
    const { lift } = await stack().scenarios[name]();
    await lift();
    const { operation } = await stack().scenarios.reachStatus('COMPLETED');
    expect(operation.settlement).not.toBeNull();
  });

  it('and another one at the same time end one after the other', async () => {
    const { scenarios } = stack();
    const pause = await scenarios.pause('partner', 'deliveries');
    const { operation, lift } = await scenarios.reachStatus('CONFIRMING');
    await lift();
    expect(await observer.became(operation, 'DELAYED')).toMatchObject({ delayedReason: 'PAUSED' });
    await pause.lift();
    expect(await observer.became(operation, 'COMPLETED')).toMatchObject({ delayedReason: null });
  });

  it('of the limits and the deposits of Ethereum shows in the API', async () => {
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
  it('has a credit, and gets it by a claim', async () => {
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

// Last, since the clocks of the chains are ahead afterwards.
describe('time', () => {
  it('passes by an hour, and transfers go on', async () => {
    const { operation } = await stack().scenarios.passHold();
    expect(operation.status).toBe('COMPLETED');
    await stack().scenarios.passTime(3_600);
    const { operation: next } = await stack().scenarios.reachStatus('COMPLETED');
    expect(next.settlement).not.toBeNull();
  });
});
