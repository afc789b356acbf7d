import { keccak256, toBytes, type Address, type Hex } from 'viem';

/** Of each request to an exchange. */
export const EXCHANGE_HEADERS = {
  attester: 'x-causeway-attester',
  /** Unix milliseconds. */
  time: 'x-causeway-time',
  signature: 'x-causeway-signature',
} as const;

/** A request whose time differs by more from that of the exchange is refused. */
export const EXCHANGE_CLOCK_MS = 30_000;

/**
 * The typed data that an attester signs for a request. Its domain is none of a contract, so such a signature is worth
 * nothing there.
 *
 * @param body the text of the request.
 */
export function exchangeRequestTypedData(path: string, timeMs: number, body: string) {
  return {
    domain: { name: 'Causeway exchange', version: '1' },
    types: {
      Request: [
        { name: 'path', type: 'string' },
        { name: 'time', type: 'uint64' },
        { name: 'body', type: 'bytes32' },
      ],
    },
    primaryType: 'Request',
    message: { path, time: BigInt(timeMs), body: keccak256(toBytes(body)) },
  } as const;
}

/** The values of the three headers. */
export interface ExchangeCredentials {
  readonly attester: Address;
  readonly timeMs: number;
  readonly signature: Hex;
}
