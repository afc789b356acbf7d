import { request as openRequest } from 'node:http';

/** A request to the REST API. */
export interface Request {
  readonly method: string;
  /** Path below `apiUrl`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The answer of the REST API. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error?: string; readonly message?: string };
}

export function post(path: string, body: object): Request {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export async function ask(apiUrl: string, { method, path, headers, body }: Request): Promise<Answer> {
  const response = await fetch(`${apiUrl}${path}`, { method, headers, body });
  const answer = (await response.json()) as Answer['body'];
  return { status: response.status, headers: Object.fromEntries(response.headers), body: answer };
}

/** Sends a request with an incomplete body. */
export async function askHalf(apiUrl: string, { method, path, headers, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': `${(body ?? '').length + 1}` };
    const sent = openRequest(`${apiUrl}${path}`, { method, headers: { ...headers, ...length } }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString('utf8')));
      response.once('end', () => {
        const answer = JSON.parse(text) as Answer['body'];
        const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(received), body: answer });
      });
    });
    sent.once('error', reject);
    sent.write(body ?? '');
  });
}
