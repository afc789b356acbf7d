import { keccak256, toBytes, type Address, type Hex } from 'viem';

/** Headers of each request to the exchange. */
export const EXCHANGE_HEADERS = {
  attester: 'x-causeway-attester',
  /** Unix milliseconds. */
  time: 'x-causeway-time',
  signature: 'x-causeway-signature',
} as const;

/** The exchange refuses a request whose time differs from its own by more than this. */
export const EXCHANGE_CLOCK_MS = 30_000;

/**
 * The typed data that an attester signs for a request. No contract accepts the signature, since none has this domain.
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
