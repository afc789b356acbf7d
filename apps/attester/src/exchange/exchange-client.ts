import type { Signer } from '@causeway/chain/signers';
import {
  encodeAttest,
  EXCHANGE_HEADERS,
  EXCHANGE_PATHS,
  EXCHANGE_VERSION,
  exchangeRequestTypedData,
  workAnswer,
  WORK_WAIT_MS,
  type AttestVerdict,
  type WorkAnswer,
} from '@causeway/protocol/attest';
import type { Hex } from 'viem';
import type { SignedStatement } from '../signing/reserves-signer.js';

/** An exchange did not answer, or answered invalidly. */
class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
}

/** Added to the time for which an exchange can hold a long poll. */
const ANSWER_MS = 10_000;
/** Above the size of an answer with all items that an attester holds. */
const LONGEST_ANSWER_BYTES = 8 * 1_024 * 1_024;

/**
 * The client of one exchange. The exchange is untrusted: its answers are bounded in time and size, and validated
 * strictly.
 */
export class ExchangeClient {
  /** Host and port, for logs. */
  readonly name: string;

  constructor(
    private readonly url: string,
    private readonly signer: Pick<Signer, 'address' | 'signTypedData'>,
    private readonly instance: string,
    private readonly end: AbortSignal,
  ) {
    this.name = new URL(url).host;
  }

  /** Long-polls for news after a position. @throws ExchangeError */
  async work(after: number): Promise<WorkAnswer> {
    const text = await this.post(EXCHANGE_PATHS.work, { instance: this.instance, after }, WORK_WAIT_MS + ANSWER_MS);
    const parsed = workAnswer.safeParse(parseJson(text));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new ExchangeError(`its answer is invalid at "${issue?.path.join('.') ?? ''}": ${issue?.message}`);
    }
    if (parsed.data.version !== EXCHANGE_VERSION)
      throw new ExchangeError(`it has version ${parsed.data.version}, this attester has ${EXCHANGE_VERSION}`);
    return parsed.data;
  }

  /** @throws ExchangeError */
  async sendVerdicts(verdicts: readonly { readonly id: Hex; readonly verdict: AttestVerdict }[]): Promise<void> {
    await this.post(EXCHANGE_PATHS.verdicts, { verdicts }, ANSWER_MS);
  }

  /** @throws ExchangeError */
  async sendSignature(digest: Hex, signature: Hex): Promise<void> {
    await this.post(EXCHANGE_PATHS.signatures, { digest, signature }, ANSWER_MS);
  }

  /** @throws ExchangeError */
  async sendReserves(signed: SignedStatement): Promise<void> {
    await this.post(EXCHANGE_PATHS.reserves, signed, ANSWER_MS);
  }

  private async post(path: string, fields: object, timeoutMs: number): Promise<string> {
    const body = encodeAttest({ version: EXCHANGE_VERSION, ...fields });
    const timeMs = Date.now();
    const headers = {
      'content-type': 'application/json',
      [EXCHANGE_HEADERS.attester]: this.signer.address.toLowerCase(),
      [EXCHANGE_HEADERS.time]: String(timeMs),
      [EXCHANGE_HEADERS.signature]: await this.signer.signTypedData(exchangeRequestTypedData(path, timeMs, body)),
    };
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.end]);
    try {
      const response = await fetch(new URL(path, this.url), {
        method: 'POST',
        headers,
        body,
        signal,
        redirect: 'error',
      });
      const text = await readBounded(response);
      if (response.status === 200 || response.status === 204) return text;
      throw new ExchangeError(`it answers ${response.status} ${toLine(text)}`);
    } catch (error) {
      throw error instanceof ExchangeError ? error : new ExchangeError(describe(error), { cause: error });
    }
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > LONGEST_ANSWER_BYTES) throw new ExchangeError('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** fetch reports the reason only in the cause. */
function describe(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'it does not answer in time';
  return toLine(cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message);
}

/** The text can come from the exchange, so control characters must not reach a terminal. */
function toLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200);
}
