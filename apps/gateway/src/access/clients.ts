import type { IncomingMessage } from 'node:http';
import type { Client, ClientAddresses } from '@causeway/service/http';
import { hashKey } from './api-key.js';
import type { KeyFile } from './key-file.js';

/** The sender of a request. */
interface Sender {
  /** Whom the request counts for: the holder of its key, or its address. */
  readonly client: Client;
  /** Whether it sent an invalid key. Then the request counts for the address. */
  readonly hasWrongKey: boolean;
}

/** The response to every invalid key. It reveals nothing about valid keys. */
export const WRONG_KEY = 'the API key is not valid';
/** The header that a 401 must have (RFC 9110, section 11.6.1). */
export const CHALLENGE = { 'www-authenticate': 'Bearer' } as const;

/** Identifies the clients of the gateway by their keys and addresses. */
export class Clients {
  /** @param keys null disables keys; the header is then ignored. */
  constructor(
    private readonly addresses: ClientAddresses,
    private readonly keys: KeyFile | null,
    private readonly onWrongKey: () => void,
  ) {}

  identify(request: IncomingMessage): Sender {
    const { authorization } = request.headers;
    const address = this.addresses.identifyClient(request);
    if (this.keys === null || authorization === undefined) return { client: address, hasWrongKey: false };
    const hash = hashKey(readKey(authorization));
    const key = hash === null ? undefined : this.keys.find(hash);
    if (key !== undefined) return { client: toClient(key.name), hasWrongKey: false };
    this.onWrongKey();
    return { client: address, hasWrongKey: true };
  }
}

/** Returns the client of a key. Its `key` cannot collide with an address. */
export function toClient(name: string): Client {
  return { key: `key:${name}`, isExempt: false };
}

/** Reads the key from the Authorization header: a bearer token, or the password of any user. Empty if there is none. */
function readKey(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(value, 'base64').toString()) ?? [];
  return password;
}
