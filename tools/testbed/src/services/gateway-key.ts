import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder, writeOwned, type ServiceUser } from './service-user.js';

/** The key with which the gateways exempt the bridge's own processes from limits. */
export interface GatewayKey {
  readonly secret: string;
  /** Value of the authorization header. */
  readonly authorization: string;
  /** Path of a file with the key's hash only. */
  readonly file: string;
}

/** Creates a key, and the file with its hash, which the gateways' user can read. */
export function makeGatewayKey(directory: string, user: ServiceUser): GatewayKey {
  const secret = randomBytes(32).toString('hex');
  const entry = { name: 'bridge', sha256: createHash('sha256').update(secret).digest('hex'), unlimited: true };
  const folder = makeFolder(join(directory, 'gateway-keys'), user);
  const authorization = `Basic ${Buffer.from(`${entry.name}:${secret}`).toString('base64')}`;
  return { secret, authorization, file: writeOwned(folder, 'keys.json', JSON.stringify([entry]), user) };
}
