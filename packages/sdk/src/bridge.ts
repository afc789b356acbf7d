import type { AddressBook, Environment } from '@causeway/protocol';
import { InvalidInputError } from './errors.js';

/** Settings of a connection. */
export interface BridgeOptions {
  /** Address of the REST API, such as `https://bridge.example/api/v1`. */
  readonly apiUrl: string;
  /** The environment that the caller means. An API of another one is refused. */
  readonly environment?: Environment;
  /** The contracts that the caller trusts. An API that names others is refused. */
  readonly addressBook?: AddressBook;
  /**
   * A JSON-RPC node of the partner chain that the caller trusts. It says whom an intent pays: the node of a wallet may
   * be one that the API has named. With an address book a withdrawal by an intent needs it.
   */
  readonly partnerRpcUrl?: string;
  /** Site of the documentation, for the links of errors: `error.toString(bridge.docsUrl)`. */
  readonly docsUrl?: string;
  /** By default the global one. */
  readonly fetch?: typeof fetch;
  /** Milliseconds until a request counts as unanswered. 15,000 unless given. */
  readonly timeoutMs?: number;
}

/** A bridge to talk to. It holds settings only: no connection, and no state. */
export interface Bridge extends BridgeOptions {
  readonly timeoutMs: number;
}

/**
 * Names the bridge for all functions of this package. Makes no request.
 *
 * @throws InvalidInputError for addresses that are not http or https.
 * @example
 * ```ts
 * const bridge = connectBridge({ apiUrl: 'http://127.0.0.1:3000/api/v1' });
 * ```
 */
export function connectBridge(options: BridgeOptions): Bridge {
  const { apiUrl, partnerRpcUrl = apiUrl, timeoutMs = 15_000 } = options;
  for (const [field, url] of Object.entries({ apiUrl, partnerRpcUrl }))
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new InvalidInputError(field, 'must be an http or https address');
  return { ...options, apiUrl: apiUrl.replace(/\/+$/, ''), timeoutMs };
}
