import type { AddressBook, Environment } from '@causeway/protocol';
import { InvalidInputError } from './errors.js';
import { TIMEOUT_MS } from './read.js';

/** Settings of a connection. */
export interface BridgeOptions {
  /** URL of the REST API, such as `https://bridge.example/api/v1`. */
  readonly apiUrl: string;
  /** The expected environment. An API of another environment is refused. */
  readonly environment?: Environment;
  /** The trusted contracts. An API that names others is refused. */
  readonly addressBook?: AddressBook;
  /**
   * A trusted JSON-RPC node of the partner chain. It verifies whom an intent pays, because the API may have named the
   * wallet's node. With an address book, a withdrawal by an intent requires it.
   */
  readonly partnerRpcUrl?: string;
  /** Base URL of the documentation, for links of errors: `error.toString(bridge.docsUrl)`. */
  readonly docsUrl?: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * Time in milliseconds for each read from the API or the wallet's node, with its repetitions and the waits between
   * them. Default 15,000. Windows of a wallet have no time-out.
   */
  readonly timeoutMs?: number;
}

/** The settings of a bridge, without connection or state. */
export interface Bridge extends BridgeOptions {
  readonly timeoutMs: number;
}

/**
 * Creates the settings for all functions of this package. It makes no request.
 *
 * @throws InvalidInputError for a URL that is not http or https.
 * @example
 * ```ts
 * const bridge = connectBridge({ apiUrl: 'http://127.0.0.1:3000/api/v1' });
 * ```
 */
export function connectBridge(options: BridgeOptions): Bridge {
  const { apiUrl, partnerRpcUrl = apiUrl, timeoutMs = TIMEOUT_MS } = options;
  for (const [field, url] of Object.entries({ apiUrl, partnerRpcUrl }))
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new InvalidInputError(field, 'must be an http or https address');
  return { ...options, apiUrl: apiUrl.replace(/\/+$/, ''), timeoutMs };
}
