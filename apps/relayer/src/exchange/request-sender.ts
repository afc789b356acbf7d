import type { IncomingHttpHeaders } from 'node:http';
import { EXCHANGE_CLOCK_MS, EXCHANGE_HEADERS, exchangeRequestTypedData } from '@causeway/protocol/attest';
import { hashTypedData, type Address, type Hex } from 'viem';
import { isSignedBy } from './attestation.js';
import { RequestRefused } from './request-refused.js';

interface Admission {
  readonly members: () => Promise<ReadonlySet<Address>>;
  readonly now: () => number;
}

/**
 * Finds the attester who sent a request, by its headers.
 *
 * @throws RequestRefused 403 when the sender is not a member, the time is wrong, or the signature is over another
 * request.
 */
export async function findSender(
  headers: IncomingHttpHeaders,
  path: string,
  body: string,
  { members, now }: Admission,
): Promise<Address> {
  const read = (name: string) => String(headers[name] ?? '').toLowerCase();
  const { attester: attesterHeader, time: timeHeader, signature: signatureHeader } = EXCHANGE_HEADERS;
  const attester = read(attesterHeader) as Address;
  if (!(await members()).has(attester))
    throw new RequestRefused(403, `${attesterHeader}: not a member of an attester set of the bridge`);
  const time = read(timeHeader);
  const timeMs = /^\d{1,15}$/.test(time) ? Number(time) : 0;
  const gapMs = Math.abs(now() - timeMs);
  if (gapMs > EXCHANGE_CLOCK_MS)
    throw new RequestRefused(403, `${timeHeader}: differs by ${gapMs} ms from the clock of the exchange`);
  const signature = read(signatureHeader);
  const digest = hashTypedData(exchangeRequestTypedData(path, timeMs, body));
  if (!/^0x[0-9a-f]{130}$/.test(signature) || !(await isSignedBy(attester, digest, signature as Hex)))
    throw new RequestRefused(403, `${signatureHeader}: not a signature of ${attester} over this request`);
  return attester;
}
