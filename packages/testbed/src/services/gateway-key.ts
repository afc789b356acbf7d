import { createHash, randomBytes } from 'node:crypto';
import { writeOwned, findUser, makeFolder } from './service-user.js';
import { join } from 'node:path';

/** The key of the bridge's own processes at the gateways, which do not limit it. */
export interface GatewayKey {
  readonly secret: string;
  /** With the hash of the key alone. */
  readonly file: string;
}

/** Makes a key, and the file by which the gateways know it. */
export function makeGatewayKey(directory: string): GatewayKey {
  const user = findUser('gateway');
  const secret = randomBytes(32).toString('hex');
  const entry = { name: 'bridge', sha256: createHash('sha256').update(secret).digest('hex'), unlimited: true };
  const folder = makeFolder(join(directory, 'gateway-keys'), user);
  return { secret, file: writeOwned(folder, 'keys.json', JSON.stringify([entry]), user) };
}
