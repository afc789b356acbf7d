import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder, writeOwned, type ServiceUser } from './service-user.js';

/** The key of the bridge's own processes at the gateways, which do not limit it. */
export interface GatewayKey {
  readonly secret: string;
  /** The header with it. */
  readonly authorization: string;
  /** With the hash of the key alone. */
  readonly file: string;
}

/** Makes a key, and the file by which the gateways, which run under the user, know it. */
export function makeGatewayKey(directory: string, user: ServiceUser): GatewayKey {
  const secret = randomBytes(32).toString('hex');
  const entry = { name: 'bridge', sha256: createHash('sha256').update(secret).digest('hex'), unlimited: true };
  const folder = makeFolder(join(directory, 'gateway-keys'), user);
  const authorization = `Basic ${Buffer.from(`${entry.name}:${secret}`).toString('base64')}`;
  return { secret, authorization, file: writeOwned(folder, 'keys.json', JSON.stringify([entry]), user) };
}
