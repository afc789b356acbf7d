import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainResponseSchema } from '@causeway/protocol/rest';
import { aBurn, aDelivery, aSignature, opening, paying } from '@causeway/store/test';
import { aHash, anAddress, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { refusal, temporaryApi, type TemporaryApi } from './temporary-api.js';

// Explanations from the database alone, without nodes.

let api: TemporaryApi;
beforeAll(async () => {
  api = await temporaryApi();
});
afterAll(async () => api?.close());

const readStatus = (hash: Hex) => api.get(`/api/v1/bridge/status?originTxHash=${hash}`);
async function readVerdict(hash: Hex) {
  const { status, body } = await api.get(`/api/v1/bridge/explain?hash=${hash}`);
  expect(status).toBe(200);
  return explainResponseSchema.parse(body);
}

describe('a hash that the database knows', () => {
  /** Stores a final operation whose delivery is signed, and returns the call. */
  async function delivering(terms = aBurn()) {
    const block = await api.scan(terms.originChainId, { events: [opening(terms)] });
    const finality = { blockHash: block.hash, confirmations: 12, finalizedAt: block.timestamp, holdUntil: null };
    await api.store.operations.finalizeAll(api.fence, [{ operationId: terms.id, ...finality }]);
    const wallet = { chainId: terms.destinationChainId, address: anAddressBook().relayer };
    const nonce = await api.store.journal.nextNonce(wallet);
    const subject = { purpose: 'DELIVERY', operationIds: [terms.id] } as const;
    const call = { nonce, to: anAddress(), data: '0x01', value: 0n, subject, transaction: aSignature(nonce) } as const;
    await api.store.journal.record(api.fence, wallet, [call]);
    return { terms, call: (await api.store.journal.withNonce(wallet, nonce))! };
  }

  it('is explained as a delivery, and the status names the operation', async () => {
    const { terms, call } = await delivering();
    const { hash } = call.transactions[0]!;
    expect(await readVerdict(hash)).toMatchObject({ code: 'DELIVERING', operationIds: [terms.id] });
    const block = await api.scan(ETHEREUM, { events: [paying(terms, hash)] });
    await api.store.operations.settleAll(api.fence, [aDelivery(ETHEREUM, block)]);
    expect(await readVerdict(hash)).toMatchObject({
      code: 'COMPLETED',
      message: expect.stringContaining(`delivers operation ${terms.id}`),
    });
    expect(await readStatus(hash)).toEqual(
      refusal(404, 'OPERATION_NOT_FOUND', expect.stringMatching(/^No operation begins in this transaction\. /)),
    );
  });

  it('is explained as replaced when another transaction used its nonce', async () => {
    const { terms, call } = await delivering();
    const [first] = call.transactions;
    const second = aSignature(call.nonce);
    await api.store.journal.replace(api.fence, call, second, false);
    const { number, hash } = await api.scan(ETHEREUM);
    const outcome = { state: 'SUCCEEDED', txHash: second.hash, block: { number, hash }, feePaid: 1n } as const;
    await api.store.journal.conclude(api.fence, call, outcome, []);
    expect(await readVerdict(first!.hash)).toMatchObject({
      code: 'REPLACED',
      replacedBy: second.hash,
      operationIds: [terms.id],
    });
  });

  it('is explained by the end of its hold', async () => {
    const terms = aBurn();
    const block = await api.scan(PARTNER, { events: [opening(terms)] });
    const holdUntil = new Date(Date.now() + 60_000);
    const finality = { blockHash: block.hash, confirmations: 12, finalizedAt: block.timestamp, holdUntil };
    await api.store.operations.finalizeAll(api.fence, [{ operationId: terms.id, ...finality }]);
    const held = { code: 'HELD', until: holdUntil.toISOString() };
    expect(await readVerdict(terms.id)).toMatchObject(held);
    await api.store.halts.halt(PARTNER, 'a test');
    expect(await readVerdict(terms.id)).toMatchObject({
      ...held,
      message: expect.stringContaining('halted at present'),
    });
    for (const halt of await api.store.halts.list()) await api.store.halts.lift(halt);
  });

  it.each(['', 'hash=0x12', `hash=${aHash()}&chain=1`])('refuses the query "%s"', async (query) => {
    expect(await api.get(`/api/v1/bridge/explain?${query}`)).toEqual(refusal(400, 'VALIDATION_ERROR'));
  });
});
