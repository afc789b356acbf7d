import type { Hex } from 'viem';
import { makeStranger, type Bench } from './bench.js';
import { payRelayer, registerIntent } from './intents.js';
import { post, type Request } from './request.js';

const OTHER_HASH: Hex = `0x${'7a'.repeat(32)}`;
const SHORT_SECONDS = 2;

/** The intent and transaction that provoke each code of a refused bind. */
const WAYS = {
  INTENT_NOT_FOUND: async () => ({ intentId: OTHER_HASH, originTxHash: OTHER_HASH }),
  SENDER_MISMATCH: async (bench: Bench) => ({
    intentId: (await registerIntent(bench)).intentId,
    originTxHash: OTHER_HASH,
    senderAddress: makeStranger(),
  }),
  INTENT_ALREADY_BOUND: async (bench: Bench) => ({
    intentId: (await payIntent(bench)).intentId,
    originTxHash: OTHER_HASH,
  }),
  DUPLICATE_ORIGIN_TX: async (bench: Bench) => {
    const { originTxHash } = await payIntent(bench);
    return { intentId: (await registerIntent(bench)).intentId, originTxHash };
  },
  INTENT_NOT_PENDING: async (bench: Bench) => {
    const { intentId, amount } = await registerIntent(bench);
    const { firstOperator, secondOperator } = bench.environment.accounts;
    for (const operator of [firstOperator, secondOperator]) {
      const { code, output } = await bench.environment.operatorCommand(operator, 'reject', intentId);
      if (code !== 0) throw new Error(`relayer reject: ${output}`);
    }
    await payRelayer(bench, amount);
    await bench.untilStatus(`intentId=${intentId}`, 'FAILED');
    return { intentId, originTxHash: OTHER_HASH };
  },
  INTENT_EXPIRED: async (bench: Bench) => {
    const { intentId } = await registerIntent(bench, { seconds: SHORT_SECONDS });
    await bench.untilStatus(`intentId=${intentId}`, 'EXPIRED');
    return { intentId, originTxHash: OTHER_HASH };
  },
} as const;

/** Prepares an intent, and a request that binds a transaction that does not pay it. */
export async function prepareBind(bench: Bench, code: keyof typeof WAYS): Promise<{ readonly request: Request }> {
  const body = { senderAddress: bench.account.address, ...(await WAYS[code](bench)) };
  return { request: post('/bridge/xcn-withdraw-intent/bind-origin', body) };
}

/** Pays a new intent, and waits until the relayer has bound the payment. */
async function payIntent(bench: Bench): Promise<{ readonly intentId: Hex; readonly originTxHash: Hex }> {
  const { intentId, amount } = await registerIntent(bench);
  const originTxHash = await payRelayer(bench, amount);
  await bench.until(`intentId=${intentId}`, 'paid', (operation) => operation.originTxHash !== null);
  return { intentId, originTxHash };
}
