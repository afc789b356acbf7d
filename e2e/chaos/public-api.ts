import { setTimeout as sleep } from 'node:timers/promises';
import { intentDigest, intentDomain, type BridgeOperationResponse, type RefundResponse } from '@causeway/protocol';
import { bridgeOperationResponseSchema, refundResponseSchema } from '@causeway/protocol/rest';
import type { Environment } from '@causeway/testbed';
import type { Address, Hex } from 'viem';

const PAUSE_MS = 400;
const REQUEST_MS = 4_000;
const PATIENCE_MS = 240_000;
const INTENT_SECONDS = 1_500;
/** The service, or one that it needs, is unavailable or busy. */
const isTransient = (status: number) => status >= 500 || status === 429 || status === 408;

/** Payer, recipient and amount of an intent, in 18-decimal units. */
interface Intent {
  readonly sender: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly nonce: string;
}

/** A client of the API that retries a request until the API answers. */
export class PublicApi {
  private readonly environment: Environment;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /** Signs and registers an intent. Retries send the same request, which is always the same intent. */
  async registerIntent(
    { sender, recipient, amount, nonce }: Intent,
    sign: (digest: Hex) => Promise<Hex>,
  ): Promise<Hex> {
    const deadline = Math.floor(Date.now() / 1_000) + INTENT_SECONDS;
    const message = { sender, recipient, amount, deadline: BigInt(deadline), nonce };
    const intentId = intentDigest(intentDomain(this.environment.book.partner), message);
    const body = {
      senderAddress: sender,
      recipientAddress: recipient,
      amountAtomic: `${amount}`,
      idempotencyKey: nonce,
      deadline,
      nonce,
      signature: await sign(intentId),
    };
    await this.post('/bridge/xcn-withdraw-intent', body);
    return intentId;
  }

  /** Binds the transaction that pays an intent. */
  async bindOrigin(intentId: Hex, senderAddress: Address, originTxHash: Hex): Promise<void> {
    await this.post('/bridge/xcn-withdraw-intent/bind-origin', { intentId, senderAddress, originTxHash });
  }

  /** The operation that a transaction began; null while the API does not know it or is unavailable. */
  async operation(originTxHash: Hex): Promise<BridgeOperationResponse | null> {
    const answer = await this.get(`/bridge/status?originTxHash=${originTxHash}`);
    return answer === null ? null : bridgeOperationResponseSchema.parse(answer);
  }

  /** A refund; null while the API does not know it or is unavailable. */
  async refund(id: Hex): Promise<RefundResponse | null> {
    const answer = await this.get(`/bridge/refunds/${id}`);
    return answer === null ? null : refundResponseSchema.parse(answer);
  }

  private async get(path: string): Promise<unknown> {
    const response = await this.fetch(path, {});
    if (response === null || isTransient(response.status) || response.status === 404) return null;
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return response.json().catch(() => null);
  }

  private async post(path: string, body: object): Promise<void> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    await patiently(`the API takes POST ${path}`, async () => {
      const response = await this.fetch(path, init);
      if (response === null || isTransient(response.status)) return null;
      if (response.ok) return true;
      const why = await response.text();
      // While a node lags and another is away, the nodes do not show the smart account.
      if (why.includes('SIGNATURE_MISMATCH')) return null;
      throw new Refused(`POST ${path}: ${response.status} ${why} for ${init.body}`);
    });
  }

  private async fetch(path: string, init: RequestInit): Promise<Response | null> {
    const signal = AbortSignal.timeout(REQUEST_MS);
    return fetch(`${this.environment.stack.apiUrl}${path}`, { ...init, signal }).catch(() => null);
  }
}

/** An answer that no retry changes. */
class Refused extends Error {
  override readonly name = 'Refused';
}

/**
 * Repeats an attempt until it returns a value.
 *
 * @param what completes the error message "Timed out …: waited until …".
 * @throws Error when it has returned null for four minutes.
 */
export async function patiently<T>(what: string, attempt: () => Promise<T | null>): Promise<T> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(PAUSE_MS)) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Error(`Timed out after ${PATIENCE_MS / 1_000} s: waited until ${what}`);
}
