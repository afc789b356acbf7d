import { describe, expect, it } from '@jest/globals';
import {
  bindOriginResponseSchema,
  bridgeOperationResponseSchema,
  configResponseSchema,
  explainResponseSchema,
  feeQuoteResponseSchema,
  healthResponseSchema,
  historyResponseSchema,
  intentResponseSchema,
  limitsResponseSchema,
  operationsResponseSchema,
  refundResponseSchema,
  reservesResponseSchema,
  stateResponseSchema,
  transactionsResponseSchema,
} from '@causeway/protocol/rest';
import { postBinding, postIntent, postTransactions } from '../src/api/intents.js';
import {
  AnswerError,
  connectBridge,
  explainHash,
  getConfig,
  getHealth,
  getHistory,
  getLimits,
  getQuote,
  getRefund,
  getReserves,
  getState,
  getStatus,
  listOperations,
  type Bridge,
} from '../src/index.js';
import { makeAnswer } from './api-server.js';

const hash = `0x${'1'.repeat(64)}` as const;
const body = {} as never;

/** Each example of the API, its schema, and the function that reads it. */
const READS = [
  ['getConfig', configResponseSchema, getConfig],
  ['getLimits', limitsResponseSchema, getLimits],
  [
    'getFeeQuote',
    feeQuoteResponseSchema,
    async (bridge: Bridge) => getQuote(bridge, { asset: 'ETH', amount: '1', direction: 'ETHEREUM_TO_PARTNER' }),
  ],
  ['getStatus', bridgeOperationResponseSchema, async (bridge: Bridge) => getStatus(bridge, { intentId: hash })],
  ['getHistory', historyResponseSchema, async (bridge: Bridge) => getHistory(bridge, { ids: [] })],
  ['listOperations', operationsResponseSchema, async (bridge: Bridge) => listOperations(bridge)],
  ['explain', explainResponseSchema, async (bridge: Bridge) => explainHash(bridge, { hash })],
  ['getRefund', refundResponseSchema, async (bridge: Bridge) => getRefund(bridge, hash)],
  ['getState', stateResponseSchema, getState],
  ['getReserves', reservesResponseSchema, async (bridge: Bridge) => getReserves(bridge)],
  ['getHealth', healthResponseSchema, getHealth],
  ['writeTransactions', transactionsResponseSchema, async (bridge: Bridge) => postTransactions(bridge, body)],
  ['registerIntent', intentResponseSchema, async (bridge: Bridge) => postIntent(bridge, body)],
  ['bindOrigin', bindOriginResponseSchema, async (bridge: Bridge) => postBinding(bridge, body)],
] as const;

/** Copies of an answer in each of which one field, at any depth, has another value. */
function* replaceEach(answer: unknown, value: unknown): Generator {
  if (typeof answer !== 'object' || answer === null) return;
  for (const [key, inner] of Object.entries(answer)) {
    const replace = (changed: unknown) =>
      Array.isArray(answer) ? answer.with(Number(key), changed) : { ...answer, [key]: changed };
    yield replace(value);
    for (const changed of replaceEach(inner, value)) yield replace(changed);
  }
}

describe('the answers that this package accepts', () => {
  it.each(READS)('of %s are not fewer than those of the schema of the API', async (example, schema, read) => {
    const isAccepted = async (answer: unknown) => {
      const bridge = connectBridge({ apiUrl: 'http://bridge', fetch: async () => Response.json(answer) });
      return read(bridge).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(AnswerError);
          // The form is right, and the units of an asset are not the API's to say.
          return /^\w+\.tokens\.[A-Z]+\./.test((error as AnswerError).field ?? '');
        },
      );
    };
    const answer = makeAnswer<object>(example);
    expect(schema.safeParse(answer).error).toBeUndefined();
    expect(await isAccepted(answer)).toBe(true);
    let [accepted, refused] = [0, 0];
    for (const value of [undefined, null, 0, '0', 'text', hash])
      for (const changed of replaceEach(answer, value)) {
        const isRight = schema.safeParse(JSON.parse(JSON.stringify(changed))).success;
        const isRead = await isAccepted(changed);
        if (isRight && !isRead) throw new Error(`refused: ${JSON.stringify(changed)}`);
        accepted += Number(isRead);
        refused += Number(!isRead);
      }
    expect(accepted).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });
});
