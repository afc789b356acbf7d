import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { numberToHex, pad } from 'viem';
import { Caller } from '../setup/caller.js';
import { openChain, type TestChain } from '../setup/chains.js';

const EMITTER = pad('0xaa', { size: 20 });
/** Emits 8,000 logs of four topics. */
const CODE = '0x611f405b5f5f5f5f5f5fa460019003806003570000';

let world: TestChain;
let caller: Caller;
beforeAll(async () => {
  world = await openChain('embedded');
  caller = new Caller(world.methods);
});
afterAll(() => world?.close());

/** Working time of this thread, in milliseconds. */
const readWork = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

it('of 14 MB to a short call cost this thread less than twice their serialization and parsing', async () => {
  const call = { to: EMITTER, gas: '0xfffff0' };
  const block = { stateOverrides: { [EMITTER]: { code: CODE } }, calls: [call, call, call] };
  const params = [{ blockStateCalls: [block] }, 'latest'];
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_simulateV1', params });
  // The first call includes the start of the threads.
  await caller.sendText(message);
  const before = readWork();
  const answer = await caller.sendText(message);
  const work = readWork() - before;
  const { result } = JSON.parse(answer ?? '') as { readonly result: unknown };
  const written = JSON.stringify(result);
  const baseline = readWork() - before - work;
  expect(written.length).toBeGreaterThan(14_000_000);
  expect(result).toMatchObject([{ calls: [{ status: '0x1' }, { status: '0x1' }, { status: '0x1' }] }]);
  expect(work).toBeLessThan(2 * baseline);
});

it('with too deeply nested params are refused', async () => {
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const answer = await caller.sendText(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${nested}]}`);
  expect(JSON.parse(answer ?? '')).toMatchObject({ error: { code: -32602 } });
});

it('with long params are refused with the same message', async () => {
  const overrides = Object.fromEntries(
    Array.from({ length: 14_000 }, (_, index) => [numberToHex(index, { size: 20 }), { balance: '0x0' }]),
  );
  expect(await caller.call('eth_call', { to: EMITTER }, 'latest', overrides)).toBe('0x');
  const wrong = { ...overrides, [EMITTER]: { balance: '0x01' } };
  const { code, message } = await caller.refusal('eth_call', { to: EMITTER }, 'latest', wrong);
  expect(code).toBe(-32602);
  expect(message).toContain(`Invalid params: params[2].${EMITTER}.balance (stateOverrides): must be a quantity`);
});
