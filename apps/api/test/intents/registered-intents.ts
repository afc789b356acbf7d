import { afterAll, beforeAll, expect } from '@jest/globals';
import { lower } from '@causeway/chain';
import { parseAmount, type IntentDomain, type IntentResponse } from '@causeway/protocol';
import { aBlock, aTransfer } from '@causeway/store/test';
import { PARTNER } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { alice, bob, INTENT, signIntent } from '../signed-intent.js';
import { temporaryApi, type Answer, type TemporaryApi } from '../temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// Registers intents. Each importing test file has its own chains and API.

export let bridge: TemporaryBridge;
export let api: TemporaryApi;
beforeAll(async () => {
  bridge = await temporaryBridge();
  api = await temporaryApi(bridge);
  for (const { address } of [alice, bob]) {
    await bridge.partner.test.setBalance({ address, value: parseAmount('XCN', '1000000') });
  }
});
afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

/** The body of a valid intent of Alice, with changes. */
export const intentBody = (over: object = {}, domain?: IntentDomain, signer = alice) =>
  signIntent(bridge.book, over, domain, signer);
/** Sends an intent to the API. */
export const register = (body: object): Promise<Answer> => api.post(INTENT, body);

/** Registers an intent of Alice. */
export async function registered(over: object = {}): Promise<IntentResponse> {
  const { status, body } = await register(await intentBody(over));
  expect(status).toBe(200);
  return body as IntentResponse;
}

/** Stores a transfer to the relayer wallet like the relayer's scan, in a new block after the judged ones. */
export async function scanTransfer(txHash: Hex, amount: bigint, payer = lower(alice.address), minedAt = new Date()) {
  await bridge.partner.test.mine({ blocks: 1 });
  const { nextBlock = 1n } = (await api.store.scan.cursor(PARTNER)) ?? {};
  const head = await bridge.partner.client.getBlockNumber();
  const number = head > nextBlock ? head : nextBlock;
  const block = aBlock(number, { timestamp: minedAt, transfers: [aTransfer({ txHash, payer, amount })] });
  await api.store.scan.extend(api.fence, PARTNER, [block], number, nextBlock);
  return { chainId: PARTNER, txHash, asset: 'XCN' as const, callIndex: 0 };
}
