import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  encodeAttest,
  EXCHANGE_HEADERS,
  EXCHANGE_PATHS,
  EXCHANGE_VERSION,
  exchangeRequestTypedData,
  workAnswer,
  type AttestItem,
  type AttestVerdict,
} from '@causeway/protocol/attest';
import { privateKeyToAccount, sign } from 'viem/accounts';
import type { TestAccount } from '../bridge/accounts.js';

const AGAIN_MS = 200;

/** An attester that judges by a given function, and signs every batch without checks. */
export class PlayedAttester {
  /** The items that it saw, with their stages, in order. */
  readonly seen: { readonly stage: string; readonly item: AttestItem }[] = [];
  private readonly ended = new AbortController();
  private readonly running: Promise<void>;
  private readonly account;
  private readonly instance = randomUUID();

  constructor(
    private readonly exchangeUrl: string,
    private readonly key: Pick<TestAccount, 'privateKey'>,
    private readonly judge: (item: AttestItem) => AttestVerdict = () => ({ kind: 'SIGN' }),
  ) {
    this.account = privateKeyToAccount(key.privateKey);
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.running;
  }

  /** Sends a request as an attester does. */
  async post(path: string, fields: object): Promise<Response> {
    const body = encodeAttest({ version: EXCHANGE_VERSION, ...fields });
    const timeMs = Date.now();
    const signature = await this.account.signTypedData(exchangeRequestTypedData(path, timeMs, body));
    const { attester, time, signature: signed } = EXCHANGE_HEADERS;
    const headers = { [attester]: this.account.address, [time]: `${timeMs}`, [signed]: signature };
    return fetch(`${this.exchangeUrl}${path}`, { method: 'POST', body, headers, signal: this.ended.signal });
  }

  private async run(): Promise<void> {
    let after = 0;
    while (!this.ended.signal.aborted) {
      try {
        after = await this.work(after);
      } catch {
        // The relayer can be down, or can have read an older attester set.
        await sleep(AGAIN_MS);
      }
    }
  }

  private async work(after: number): Promise<number> {
    const response = await this.post(EXCHANGE_PATHS.work, { instance: this.instance, after });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const { items, batches, after: next } = workAnswer.parse(await response.json());
    this.seen.push(...items);
    const verdicts = items.map(({ item }) => ({ id: item.id, verdict: this.judge(item) }));
    if (verdicts.length > 0) await this.post(EXCHANGE_PATHS.verdicts, { verdicts });
    for (const { digest } of batches) {
      const signature = await sign({ hash: digest, privateKey: this.key.privateKey, to: 'hex' });
      await this.post(EXCHANGE_PATHS.signatures, { digest, signature });
    }
    return next;
  }
}
