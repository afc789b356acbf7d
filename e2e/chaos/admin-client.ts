import type { AddressBook } from '@causeway/protocol';
import {
  requestDeployment,
  requestDigest,
  type PreviewResponse,
  type RequestResponse,
  type RequestTerms,
  type SessionResponse,
} from '@causeway/protocol/admin';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';

const AGAIN_MS = 100;
/** Far more than a killed service needs to restart. */
const ATTEMPTS = 600;
const TIMEOUT_MS = 10_000;
const LIFE_MS = 5 * 60_000;
const REASON = 'a test of the console';

/** The URL of the console, and the deployment whose requests are signed. */
export interface AdminApi {
  readonly consoleUrl: string;
  readonly book: AddressBook;
}

/** The answer of the admin API. */
interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly cookie: string | null;
}

/**
 * A member of the console, who sends requests like its page: a request that is cut off, or that finds no service, is
 * retried with the same body.
 */
export class AdminClient {
  private readonly api: AdminApi;
  private readonly account: PrivateKeyAccount;
  private readonly headers: Readonly<Record<string, string>>;

  private constructor(api: AdminApi, account: PrivateKeyAccount, headers: Readonly<Record<string, string>>) {
    this.api = api;
    this.account = account;
    this.headers = headers;
  }

  /** Signs in. */
  static async signIn(api: AdminApi, privateKey: Hex): Promise<AdminClient> {
    const account = privateKeyToAccount(privateKey);
    const origin = new URL(api.consoleUrl).origin;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { nonce } = (await send(api, 'POST', '/sign-in/nonce', { origin })).body as { nonce: string };
      const issuedAt = new Date();
      const message = createSiweMessage({
        address: account.address,
        domain: new URL(origin).host,
        uri: origin,
        chainId: api.book.partner.chainId,
        version: '1',
        nonce,
        issuedAt,
        expirationTime: new Date(issuedAt.getTime() + LIFE_MS),
      });
      const body = { message, signature: await account.signMessage({ message }) };
      const answer = await send(api, 'POST', '/sign-in', { origin }, body);
      // If only the answer was lost, the nonce is already used.
      if (answer.status !== 200 || answer.cookie === null) continue;
      const { csrfToken } = answer.body as SessionResponse;
      return new AdminClient(api, account, { origin, cookie: answer.cookie, 'x-csrf-token': csrfToken });
    }
    throw new Error(`${account.address} cannot sign in`);
  }

  get address(): Address {
    return this.account.address.toLowerCase() as Address;
  }

  /** Makes a request: preview, signature if needed, and request. Returns what the API stored. */
  async ask(terms: RequestTerms): Promise<RequestResponse> {
    const shown = await this.call<PreviewResponse>('POST', '/requests/preview', { terms, reason: REASON });
    const { requestId, version, state: decidedOn, validUntil, approvalsNeeded } = shown;
    const request = { id: requestId, terms, decidedOn, validUntil, reason: REASON };
    const signature = approvalsNeeded === 0 ? null : await this.sign(request);
    const body = { requestId, terms, reason: REASON, version, validUntil, signature };
    return this.call('POST', '/requests', body);
  }

  /** Approves another member's request. */
  async approve(request: RequestResponse): Promise<RequestResponse> {
    const signature = await this.sign(request);
    return this.call('POST', `/requests/${request.id}/approvals`, { signature });
  }

  async find(id: string): Promise<RequestResponse> {
    return this.read(`/requests/${id}`);
  }

  /** Reads the data of a console page. */
  async read<T>(path: string): Promise<T> {
    return this.call('GET', path);
  }

  /** @throws Error for an unsuccessful answer. */
  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await send(this.api, method, path, this.headers, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }

  private async sign(request: Parameters<typeof requestDigest>[1]): Promise<Hex> {
    return this.account.sign({ hash: requestDigest(requestDeployment(this.api.book), request) });
  }
}

/** Retries a request until the answer is not a failure of the service. */
async function send(
  { consoleUrl }: AdminApi,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<AdminAnswer> {
  const url = new URL(`/api/v1/admin${path}`, consoleUrl);
  const content =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Only the network can fail here: the process was killed, or does not listen yet.
    const answer = await read(url, { method, headers, ...content }).catch(() => null);
    if (answer !== null && answer.status < 500)
      return { ...answer, body: answer.text === '' ? null : JSON.parse(answer.text) };
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  throw new Error(`${method} ${path} got no answer`);
}

async function read(url: URL, init: RequestInit) {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? null;
  return { status: answer.status, text: await answer.text(), cookie };
}
